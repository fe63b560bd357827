"""The hooks of a plugin beside those in settings: one of the two speaks, never both.

A plugin is there in every repository; where a project's settings (or the user's) have
our hooks too, the plugin's are silent. ``shims/tool.sh`` asks the same.
"""

from __future__ import annotations

import os

from gitstate.hooks.agents import foreign

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.hooks.agents.place import Place

PLUGIN = "plugin"  # the word behind a command of a plugin's
ROOT = "CLAUDE_PLUGIN_ROOT"  # the variable that names its folder
_MARK = "claude-code.plugin"
# others have a hooks/agents/hook.py too: ours is told the agent's name
_OURS = (b"/hooks/agents/hook.py claude-code ", b"/hooks/agents/hook.py' claude-code ")
_LARGEST = 4 << 20  # bytes of a settings file


def stands_aside(
    place: Place, project: str, environ: Mapping[str, str] = os.environ
) -> bool:
    """Are our hooks in settings that the client reads here."""
    own = environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    folders = {os.path.join(base, ".claude") for base in (project, place.root) if base}
    paths = [os.path.join(own, "settings.json")]
    for folder in folders:
        paths += [
            os.path.join(folder, name)
            for name in ("settings.local.json", "settings.json")
        ]
    return any(map(_has_ours, paths))


def _has_ours(path: str) -> bool:
    text = foreign.head(path, _LARGEST)
    return any(one in text for one in _OURS)


def note(place: Place, environ: Mapping[str, str] = os.environ) -> None:
    """Remember which plugin spoke here last; raises ``OSError``."""
    root = os.fsencode(environ.get(ROOT, ""))
    os.makedirs(place.agents, 0o700, exist_ok=True)
    path = os.path.join(place.agents, _MARK)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as file:
        file.write(root)


def seen(place: Place) -> str:
    """The folder of the plugin that spoke here last; "" where it is gone, or none did."""
    try:
        with open(os.path.join(place.agents, _MARK), "rb") as file:
            root = os.fsdecode(file.read(_LARGEST))
    except OSError:
        return ""
    return root if root and os.path.isdir(root) else ""

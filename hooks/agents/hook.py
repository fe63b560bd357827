"""What an agent's hook starts: ``python -I -S hook.py AGENT EVENT``, the event on stdin.

A plugin's hook has one word more, and is silent where the settings have the same hook.

An agent goes on whatever happens here: exit code 0, and nothing on stdout but an answer.
A tool use of a session to which nothing is to be said is only left in the spool; for
that, nothing outside the standard library is loaded.
"""

from __future__ import annotations

import json
import os
import sys
import time

if __name__ == "__main__":  # started as a file, with -I and -S
    sys.path[:0] = [
        os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    ]

from gitstate import utf8
from gitstate.hooks.agents import place as places

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Event, Reply, ToolUsed
    from gitstate.hooks.agents.place import Place

_LARGEST = 64 << 20  # bytes of an event
_LOG = 256 << 10  # bytes of the log, of which there are two
_GARBAGE_AFTER = 50_000  # a hook ends before it pays to look for any


def main(words: list[str]) -> int:
    """``AGENT EVENT [plugin]``; always 0."""
    place: Place | None = None
    name = event = ""
    try:
        name, event = words[0], words[1]
        data = sys.stdin.buffer.read(_LARGEST + 1)
        place, said = _run(name, event, data, plugin=len(words) > 2)  # noqa: PLR2004 the word
        if said:  # in UTF-8, whatever the locale is
            sys.stdout.buffer.write(said.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
    except Exception as error:  # noqa: BLE001 the agent goes on, whatever it is
        place = place or _here("")
        if place is not None:
            tell(place, f"{name} {event}: {_line(error)}")
    return 0


def _run(
    name: str, event: str, data: bytes, *, plugin: bool
) -> tuple[Place | None, str]:
    from gitstate.hooks.agents import adapters  # noqa: PLC0415 after the path is set

    adapter = adapters.get(name)
    if adapter is None:
        raise ValueError("no such agent")
    place = _here(os.environ.get(adapter.project, "") if adapter.project else "")
    if len(data) > _LARGEST:
        raise ValueError(f"more than {_LARGEST >> 20} MiB were told")
    wire = json.loads(data)
    if not isinstance(wire, dict):
        raise TypeError("what was told is no JSON object")
    told = adapter.event(event, wire)
    if told is None:
        raise ValueError("what was told is of no kind that is known, or of no session")
    if place is None and told.cwd:
        place = _here(told.cwd)
    if place is None:
        return None, ""
    if told.cwd and places.is_elsewhere(place, told.cwd):
        # sessions of another worktree never get this one's state
        tell(place, f"{name} {event}: it works in another worktree; nothing was said")
        return place, ""
    if plugin and _is_aside(place, adapter, event):
        return place, ""
    if _only_noted(place, adapter, told):
        return place, ""
    _load_site()
    from gitstate.hooks.agents import reactions  # noqa: PLC0415 only where there is time

    reply = reactions.react(place, adapter, told)
    return place, adapter.answer(event, _whole(reply))


def _whole(reply: Reply) -> Reply:
    """Without halves of characters, as of a name that is not UTF-8: some drop it all then."""
    for part in ("context", "block", "instructions"):
        text = getattr(reply, part).encode("utf-8", "replace").decode()
        setattr(reply, part, text)
    return reply


def _here(folder: str) -> Place | None:
    try:
        return places.find(folder or os.getcwd())
    except OSError:
        return None


def _is_aside(place: Place, adapter: Adapter, event: str) -> bool:
    """Does a plugin have to be silent here; where it speaks, that is remembered."""
    from gitstate.hooks.agents import beside  # noqa: PLC0415 after the path is set

    if beside.stands_aside(place, os.environ.get(adapter.project, "")):
        return True
    if event == adapter.started:
        beside.note(place)
    return False


def _only_noted(place: Place, adapter: Adapter, told: Event) -> bool:
    """Leave a tool use in the spool where nothing is to be said; was it that."""
    from gitstate.hooks.agents import spool  # noqa: PLC0415 after the path is set
    from gitstate.hooks.agents.events import ToolUsed  # noqa: PLC0415 the same

    if not isinstance(told, ToolUsed):
        return False
    noted = spool.note(place, told, time.time())
    if noted or (told.command and told.failed is not None):
        spool.leave(
            place,
            adapter.name,
            told.session,
            noted,
            command=told.command,
            failed=told.failed,
        )
    if not told.carries:
        return True
    told.edited = tuple(one.path for one in noted if one.action in {"edit", "create"})
    return not (
        _waits(place, adapter.name, told) or _is_first(place, adapter.name, told)
    )


def _is_first(place: Place, agent: str, told: ToolUsed) -> bool:
    """Is it the first edit after a compaction of a file that was changed before it."""
    if not told.edited or not os.path.isdir(os.path.join(place.agents, "first")):
        return False
    from gitstate.hooks.agents import first_edits, names  # noqa: PLC0415 as above

    known = first_edits.expected(place, names.name_of(agent, told.session))
    return not known.isdisjoint(told.edited)


def _waits(place: Place, agent: str, told: ToolUsed) -> bool:
    """Does something wait to be said to the session."""
    waiting = os.path.join(place.agents, "waiting")
    if not os.path.isdir(waiting):
        return False
    from gitstate.hooks.agents import names  # noqa: PLC0415 as above

    return os.path.exists(os.path.join(waiting, names.name_of(agent, told.session)))


def _load_site() -> None:
    """What a hook that has time needs: the installed packages, and no look for garbage."""
    import gc  # noqa: PLC0415 only where there is time

    gc.set_threshold(_GARBAGE_AFTER)
    if sys.flags.no_site:
        import site  # noqa: PLC0415 10 ms, which a tool use does not have

        site.main()


def _line(error: BaseException) -> str:
    words = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}{': ' if words else ''}{words}"


def tell(place: Place, line: str) -> None:
    """One line into the log, which never holds what an agent or a state says."""
    path = os.path.join(place.agents, "log")
    try:
        os.makedirs(place.agents, 0o700, exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > _LOG:
            os.replace(path, f"{path}.1")
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with open(fd, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n")
    except OSError:
        pass


if __name__ == "__main__":
    try:
        utf8.required()
        main(sys.argv[1:])
    finally:  # where the client's user interrupts, too
        os._exit(0)  # to take the interpreter apart would cost 10 ms

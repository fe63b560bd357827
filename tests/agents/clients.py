"""The real clients, pinned, from npm: ``python -m tests.agents.clients [NAME…]``.

Each goes into a folder of its own below the user's cache, where it stays. npm knows its
registry from the user's own configuration.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(
    platform.machine(), platform.machine()
)
_SYSTEM = f"{sys.platform}-{_MACHINE}"
# as this process was started: the tests have homes of their own
_ENVIRONMENT = dict(os.environ)
_TIMEOUT_S = 600
# what a registry says where it refuses a package; a network that fails says none of it
_REFUSALS = ("E401", "E403", "E404", "E451")


@dataclass(frozen=True)
class Client:
    """One client: its packages, its program in them, and the node that has to run it."""

    packages: tuple[str, ...]
    program: str
    node: str = ""  # the node that runs it; "" for none or the one on the PATH


CLIENTS = {
    "claude-code": Client(
        (f"@anthropic-ai/claude-code-{_SYSTEM}@2.1.332",),
        f"@anthropic-ai/claude-code-{_SYSTEM}/claude",
    ),
    "codex": Client(
        ("@openai/codex@0.171.0",), "@openai/codex/bin/codex.js", node="node"
    ),
    "gemini-cli": Client(("@google/gemini-cli@0.61.0",), ".bin/gemini"),
    "qwen-code": Client(
        ("@qwen-code/qwen-code@0.24.4", f"node-{_SYSTEM}@22.23.5"),
        ".bin/qwen",
        node=f"node-{_SYSTEM}/bin/node",  # it needs 22
    ),
    "opencode": Client(("opencode-ai@1.18.33",), ".bin/opencode"),
    "copilot-cli": Client(("@github/copilot@1.0.102",), ".bin/copilot"),
}


class Refused(Exception):
    """The registry refused a package; its own words."""


def cache() -> Path:
    """Where the clients are."""
    home = _ENVIRONMENT.get("XDG_CACHE_HOME") or f"{_ENVIRONMENT['HOME']}/.cache"
    return Path(home) / "gitstate-test-clients"


def installed(name: str) -> Path:
    """The client's ``node_modules``, installed first where it is not.

    Raises ``Refused`` with what the registry printed.
    """
    client = CLIENTS[name]
    version = client.packages[0].rpartition("@")[2]
    folder = cache() / f"{name}-{version}"
    if (folder / "node_modules" / client.program).exists():
        return folder / "node_modules"
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    part.mkdir()
    options = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    done = subprocess.run(
        ["npm", "install", "--prefix", str(part), *options, *client.packages],
        env=_ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )
    if done.returncode != 0:
        shutil.rmtree(part)
        said = f"{done.stdout}{done.stderr}".strip()
        if any(f"code {code}" in said for code in _REFUSALS):
            raise Refused(f"{name}: {said[-400:]}")
        raise AssertionError(f"npm could not install {name}: {said[-2000:]}")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return folder / "node_modules"


def program(name: str) -> list[str]:
    """The words that start a client; raises as ``installed``."""
    modules = installed(name)
    path = modules / CLIENTS[name].program
    node = CLIENTS[name].node
    if not node:
        return [str(path)]
    return [str(modules / node) if "/" in node else node, str(path)]


def main(names: list[str]) -> int:
    """Install the clients that are named, or all."""
    for name in names or list(CLIENTS):
        print(name, *program(name))  # noqa: T201 a script
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

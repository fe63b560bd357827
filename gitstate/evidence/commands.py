"""The commands that manifests and task files define, as they are typed.

A script is run by its name, through the tool that its file belongs to: its own text
(``vitest run``) is mostly no command of anybody's shell. That stands beside the source.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gitstate.evidence.managers import package_managers
from gitstate.evidence.runtimes import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.evidence.facts import Fact
    from gitstate.evidence.files import Place

_MAX_SCRIPTS = 12
_OF_PACKAGES = ("pnpm", "npm", "yarn", "bun")
_TYPED = re.compile(
    r"[A-Za-z0-9][\w:.-]{0,80}"
)  # nothing that a shell would take apart
_BRACKET = re.compile("[()\uff08\uff09]")
_USUAL = re.compile(
    r"(?:install|setup|bootstrap|build|compile|dev|start|serve|run|watch|test|tests|check|lint"
    r"|format|fmt|fix|type|types|typecheck|tsc|ci|ok|verify|docs?|release|deploy|migrate)"
    r"([:._-].*)?"
)


def commands(at: Place) -> Iterator[Fact]:
    """Scripts, those of usual names first, and the names of other tasks."""
    package = table(at.json("package.json"), "scripts")
    yield from _scripts(at, at.cite("package.json", "scripts"), package, _manager(at))
    for name in ("deno.json", "deno.jsonc"):
        tasks = table(at.jsonc(name), "tasks")
        yield from _scripts(at, at.cite(name, "tasks"), tasks, "deno task")
    composer = table(at.json("composer.json"), "scripts")
    source = at.cite("composer.json", "scripts")
    yield from _scripts(at, source, composer, "composer run")
    project = at.toml("pyproject.toml")
    for runner, keys in (
        ("pdm run", ("tool", "pdm", "scripts")),
        ("poe", ("tool", "poe", "tasks")),
        ("task", ("tool", "taskipy", "tasks")),
        ("hatch run", ("tool", "hatch", "envs", "default", "scripts")),
        ("pixi run", ("tool", "pixi", "tasks")),
    ):
        source = at.cite("pyproject.toml", ".".join(keys))
        yield from _scripts(at, source, table(project, *keys), runner)
    pixi = table(at.toml("pixi.toml"), "tasks")
    yield from _scripts(at, at.cite("pixi.toml", "tasks"), pixi, "pixi run")
    pipfile = table(at.toml("Pipfile"), "scripts") if "Pipfile" in at.names else {}
    yield from _scripts(at, at.cite("Pipfile", "scripts"), pipfile, "pipenv run")
    for config in ("mise.toml", ".mise.toml"):
        tasks = table(at.toml(config), "tasks")
        yield from _scripts(at, at.cite(config, "tasks"), tasks, "mise run")
    for pattern, runner, names in _TASK_FILES:
        for name in at.matching(pattern):
            yield at.fact("commands", runner, names(at.lines(name)), at.cite(name))


def _manager(at: Place) -> str | None:
    """What runs the scripts of a ``package.json``; ``None`` where nothing decides it."""
    found = {
        value.partition(" ")[0]
        for fact in package_managers(at)
        if fact.key == "package manager"
        for value in fact.values
    }
    return next((f"{name} run" for name in _OF_PACKAGES if name in found), None)


def _scripts(
    at: Place, source: str, scripts: dict[str, Any], runner: str | None
) -> Iterator[Fact]:
    texts = [(name, command_text(value)) for name, value in scripts.items()]
    known = [(name, text) for name, text in texts if text]
    known.sort(key=lambda item: _rank(item[0]))
    for name, text in known[:_MAX_SCRIPTS]:
        if runner is None or not _TYPED.fullmatch(name):
            yield at.fact("commands", name, [text], source)
            continue
        # a source ends with its bracket
        beside = [source] if _BRACKET.search(text) else [source, text]
        yield at.fact("commands", name, [_typed(runner, name)], *beside)
    rest = [name for name, _ in known[_MAX_SCRIPTS:]]
    yield at.fact("commands", "more scripts", rest, source)


def _typed(runner: str, name: str) -> str:
    short = name in {"test", "start"} and runner in {"pnpm run", "npm run", "yarn run"}
    return f"{runner.partition(' ')[0] if short else runner} {name}"


def _rank(name: str) -> int:
    """Usual names first, then variants of them (``test:unit``), then the rest."""
    usual = _USUAL.fullmatch(name)
    return 2 if not usual else 1 if usual[1] else 0


def command_text(value: object) -> str:
    """A script's text, in whichever way its file writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("cmd", "command", "shell", "run", "task"):
            if value.get(key):
                return command_text(value[key])
    if isinstance(value, list):
        return " && ".join(item for item in value if isinstance(item, str))
    return ""


def _make(lines: list[str]) -> list[str]:
    phony: list[str] = []
    targets: list[str] = []
    for line in lines:
        head, colon, tail = line.partition(":")
        tail = tail.removeprefix(":")
        if (
            not colon
            or tail.startswith(("=", ":"))
            or line.startswith((" ", "\t", "#"))
        ):
            continue  # no rule: an assignment, a recipe's line, a comment
        if head.strip() == ".PHONY":
            phony += [word for word in tail.split() if re.fullmatch(r"[\w.-]+", word)]
        elif "=" not in head:
            targets += [
                word for word in head.split() if re.fullmatch(r"\w[\w-]*", word)
            ]
    return phony or targets


def _just(lines: list[str]) -> list[str]:
    found = []
    for line in lines:
        recipe = re.match(r"@?([A-Za-z][\w-]{0,80})(?:\s[^:]{0,200})?:(?!=)", line)
        if recipe and recipe[1] not in {"set", "alias", "export", "import", "mod"}:
            found.append(recipe[1])
    return found


def _task(lines: list[str]) -> list[str]:
    """The keys one step below ``tasks:``; no YAML beyond that."""
    found = []
    depth = -1  # -1 outside, 0 before the first key
    for line in lines:
        key = re.match(r"(\s*)['\"]?([\w:.-]{1,80}?)['\"]?:(?:\s|$)", line)
        if not key:
            continue
        if not key[1]:
            depth = 0 if key[2] == "tasks" else -1
        elif depth == 0:
            depth = len(key[1])
        if depth > 0 and len(key[1]) == depth:
            found.append(key[2])
    return found


def _rake(lines: list[str]) -> list[str]:
    found = (re.match(r"\s*task\(?\s+:?['\"]?([\w:]{1,80})", line) for line in lines)
    return [task[1].rstrip(":") for task in found if task]


def _tox(lines: list[str]) -> list[str]:
    found = []
    inside = False
    for line in lines:
        told = re.match(r"(env_?list)\s*=(.*)", line)
        if told or (inside and line.startswith((" ", "\t"))):
            inside = True
            found += re.split(r"[,\s]+(?![^{]{0,80}\})", told[2] if told else line)
        elif line.strip():
            inside = False
    return [name for name in found if name]


def _nox(lines: list[str]) -> list[str]:
    found = []
    session = False
    for line in lines:
        if re.match(r"@(?:nox\.)?session\b", line):
            session = True
        function = re.match(r"def (\w{1,80})", line)
        if function and session:
            found.append(function[1])
            session = False
    return found


_TASK_FILES = (
    (r"(?:GNUm|m|M)akefile", "make", _make),
    (r"\.?[Jj]ustfile", "just", _just),
    (r"[Tt]askfile(?:\.dist)?\.ya?ml", "task", _task),
    (r"Rakefile", "rake", _rake),
    (r"tox\.ini", "tox", _tox),
    (r"noxfile\.py", "nox", _nox),
)

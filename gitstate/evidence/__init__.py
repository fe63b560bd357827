"""What the repository itself proves, each fact with its source.

Nothing is asked, guessed or resolved: two lock files that contradict each other are
stated as such, and a file that cannot be read is a fact of its own. Only files that are
tracked or plainly present are read, none through a link, each and all within limits; no
process but git is started, and no network is used.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from gitstate.evidence.commands import commands
from gitstate.evidence.facts import Fact
from gitstate.evidence.files import FOREIGN, Files
from gitstate.evidence.layout import entry_points, folders, languages, workspaces
from gitstate.evidence.managers import LOCK_NAME, MANIFEST_NAME, package_managers
from gitstate.evidence.render import project_context
from gitstate.evidence.runtimes import runtimes
from gitstate.evidence.testing import test_runners
from gitstate.evidence.tools import continuous_integration, instructions, linters
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Fact", "gather", "project_context"]

MAX_PLACES = 8
_MAX_DEPTH = 3
_OF_A_PROJECT = (
    package_managers,
    runtimes,
    test_runners,
    linters,
    workspaces,
    entry_points,
)
_OF_A_PART = (package_managers, test_runners)


def gather(root: Path, *, without: str = ".agent-state") -> list[Fact]:
    """What the repository at ``root`` proves, the state directory ``without`` left out.

    Always in the same order for the same files; never raises for what they contain.
    """
    files = Files(root, without)
    top = files.at("")
    whole = any(map(MANIFEST_NAME.fullmatch, top.names))
    bases = _projects(files, by_manifest=not whole)
    places = [files.at(base) for base in bases[:MAX_PLACES]]
    of_the_top = [
        *languages(files),
        *chain.from_iterable(read(top) for read in _OF_A_PROJECT),
        *continuous_integration(top),
        *folders(files),
        *instructions(top),
    ]
    of_places = [
        *chain.from_iterable(
            read(place)
            for place in places
            for read in (_OF_A_PART if whole else _OF_A_PROJECT)
        ),
        top.fact("facts", "more projects", bases[MAX_PLACES:], "git ls-files"),
        *chain.from_iterable(map(commands, (top,) if whole else (top, *places))),
    ]
    facts = _joined(of_the_top)
    rest = _joined(of_places)
    sources = [source for fact in (*facts, *rest) for source in fact.sources]
    notes = [
        top.fact(
            "facts", "read but not tracked", files.untracked(sources), "git ls-files"
        ),
        *(
            top.fact("facts", "could not be read", [why], path)
            for path, why in sorted(files.unreadable.items())
        ),
    ]
    tidied = [fact.tidied() for fact in (*facts, *notes, *rest)]
    return [fact for fact in tidied if fact.values and fact.key]


def _projects(files: Files, *, by_manifest: bool) -> list[str]:
    """The folders below the root that hold a project of their own, shallowest first.

    A lock file makes one; where the root has no manifest, a manifest does.
    """
    found = set()
    for path in files.tracked:
        *parts, name = path.split("/")
        if not 1 <= len(parts) <= _MAX_DEPTH or FOREIGN.intersection(parts):
            continue
        if LOCK_NAME.fullmatch(name) or (by_manifest and MANIFEST_NAME.fullmatch(name)):
            found.add("/".join(parts))
    return sorted(found, key=lambda base: (base.count("/"), base))


def _joined(facts: Iterable[Fact]) -> list[Fact]:
    """The same facts, those that differ in sources alone or in values alone as one."""
    by_values: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        if not fact.values:
            continue
        same = (fact.section, fact.key, fact.values, fact.place)
        known = by_values.get(same)
        sources = (*known.sources, *fact.sources) if known else fact.sources
        by_values[same] = replace(fact, sources=sources)
    by_sources: dict[tuple[object, ...], Fact] = {}
    for fact in by_values.values():
        same = (fact.section, fact.key, fact.sources, fact.place)
        known = by_sources.get(same)
        values = (*known.values, *fact.values) if known else fact.values
        by_sources[same] = replace(fact, values=values)
    return list(by_sources.values())

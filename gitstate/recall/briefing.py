"""The state as text within a budget: what an agent gets back after a compaction.

The groups stand in one order. What is of high strength is never shortened: where all of
it does not fit, whole items are left out, the weakest first, each named with the command
that reads it.
"""

from __future__ import annotations

import shlex
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from gitstate.documents import CURRENT_TASK
from gitstate.errors import Refused
from gitstate.recall import file_states
from gitstate.recall.fence import fence_of, line_of
from gitstate.recall.groups import LAST, ORDER, Item, shows
from gitstate.recall.reading import read
from gitstate.recall.words import age, protocol, word
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.history.stamp import Stamp
    from gitstate.recall.groups import Gathered
    from gitstate.workspace import Workspace

Unit = Literal["characters", "tokens", "bytes"]
LEAST = 2_400  # characters: the frame, the protocol and what cannot be left out
_NAMES_SHOWN = (12, 3, 0)  # of what one command reads, where there is less room
_MOST_COMMANDS = 12
_HIGH = 2
_GROW = {"decisions", "issues"}
_TOKEN = 4  # bytes of UTF-8, as Codex counts them


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """A briefing and what a receipt looks for in it, word for word.

    ``left_out``: names and the command that reads each.
    """

    text: str
    version: int | None
    goal: str | None
    prohibitions: tuple[str, ...]
    next_step: str | None
    left_out: tuple[tuple[str, str], ...] = ()


def measure(text: str, unit: Unit) -> int:
    """How long a text is; characters as JavaScript counts them (UTF-16)."""
    if text.isascii():
        size = len(text)
        return -(-size // _TOKEN) if unit == "tokens" else size
    if unit == "characters":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    size = len(text.encode("utf-8", "surrogatepass"))
    return size if unit == "bytes" else -(-size // _TOKEN)


def brief_for(
    ws: Workspace,
    *,
    limit: int,
    unit: Unit = "characters",
    after: int | None = None,
    lean: bool = False,
) -> Briefing:
    """The state of a worktree, at most ``limit`` in ``unit`` and ``briefBudget`` characters.

    ``after``: the version that was saved before a compaction. ``lean``: without what is
    of medium and low strength. Writes nothing into the state. Raises ``Refused`` where there is no
    state, or where the budget cannot hold the frame.
    """
    found, stamp = read(ws, after)
    if lean:
        found.items = [item for item in found.items if item.weight >= _HIGH]
    lang = ws.settings.lang
    differ = file_states.told(file_states.states_of(ws, found.operations), lang)
    # it stands before anything is continued: of what is dropped it goes with the last
    found.items += [
        Item("files", line, LAST, f"gitstate context {shlex.quote(one)}", one)
        for one, line in differ
    ]
    most = ws.settings.brief_budget

    def fits(text: str) -> bool:
        return measure(text, unit) <= limit and measure(text, "characters") <= most

    head = _head(stamp, found, lang)
    text, gone = _whole_or_without_next(ws, found, head, fits)
    return Briefing(
        text=text,
        version=stamp.version,
        goal=found.goal,
        prohibitions=found.prohibitions,
        next_step=found.next_step,
        left_out=tuple((item.name, item.command) for item in gone),
    )


def _whole_or_without_next(
    ws: Workspace,
    found: Gathered,
    head: Sequence[str],
    fits: Callable[[str], bool],
) -> tuple[str, list[Item]]:
    """As ``_fitted``; a next step that is longer than the budget is named instead."""
    lang = ws.settings.lang
    try:
        return _fitted(head, found.items, _tail(ws, found, lang), lang, fits)
    except Refused:
        if found.next_step is None:
            raise
        tail = _tail(ws, found, lang, named=True)
        text, gone = _fitted(head, found.items, tail, lang, fits)
        step = Item(
            "work",
            found.next_step,
            LAST,
            shows(CURRENT_TASK),
            word(lang, "kind next step"),
        )
        return text, [*gone, step]


def _fitted(
    head: Sequence[str],
    items: Sequence[Item],
    tail: Sequence[str],
    lang: str,
    fits: Callable[[str], bool],
) -> tuple[str, list[Item]]:
    """As many items as fit: the fewest of the weakest are left out, the last ones first."""
    weakest = sorted(range(len(items)), key=lambda at: _first_to_go(items[at], at))

    def text(count: int, shown: int) -> str:
        gone = set(weakest[:count])
        kept = [item for at, item in enumerate(items) if at not in gone]
        left = _left([items[at] for at in weakest[:count]], shown, lang)
        return _rendered(head, kept, left, tail, lang)

    for shown in _NAMES_SHOWN:
        low, high = 0, len(items)
        while low < high:
            middle = (low + high) // 2
            if fits(text(middle, shown)):
                high = middle
            else:
                low = middle + 1
        whole = text(low, shown)
        if fits(whole):
            return whole, [items[at] for at in weakest[:low]]
    raise Refused(
        f"the budget is too small for a briefing: at least {LEAST} characters"
    )


def _first_to_go(item: Item, at: int) -> tuple[int, bool, int, int]:
    """The weakest first, of these finished tasks, then the last groups.

    Of what grows at its end the oldest.
    """
    oldest_first = item.group in _GROW
    place = at if oldest_first else -at
    return item.weight, not item.past, -ORDER.index(item.group), place


def _rendered(
    head: Sequence[str],
    kept: Sequence[Item],
    left: Sequence[str],
    tail: Sequence[str],
    lang: str,
) -> str:
    body: list[str] = []
    for title, items in groupby(kept, key=lambda item: item.group):
        body += ["", f"## {word(lang, title)}", *(f"- {item.text}" for item in items)]
    if left:
        body += ["", f"## {word(lang, 'left')}", *left]
    fence = fence_of([*body, *tail])
    lines = [*head, "", word(lang, "data"), fence, *body[1:], fence, "", *tail]
    return "\n".join(lines) + "\n"


def _left(left: Sequence[Item], most: int, lang: str) -> list[str]:
    """A line for each command, with what it reads: ``most`` names, then how many more."""
    by_command: dict[str, list[str]] = {}
    for item in left:
        by_command.setdefault(item.command, []).append(item.name)
    lines = []
    for command, names in list(by_command.items())[-_MOST_COMMANDS:]:
        shown = names[:most]
        if len(names) > len(shown):
            key = "more" if shown else "only"
            shown.append(word(lang, key, count=len(names) - len(shown)))
        said = word(lang, "reads", names="; ".join(shown), command=command)
        lines.append(f"- {said}")
    if others := list(by_command.values())[:-_MOST_COMMANDS]:
        lines.append(f"- {word(lang, 'all', count=sum(map(len, others)))}")
    return lines


def _head(stamp: Stamp, found: Gathered, lang: str) -> list[str]:
    if stamp.version is None:
        lines = [word(lang, "state new")]
    else:
        old = age(lang, stamp.age_s or 0)
        lines = [word(lang, "state", version=stamp.version, age=old)]
    if stamp.saved is not None:
        lines.append(word(lang, "saved", saved=stamp.saved))
        if stamp.changed is not None:
            names = _named(stamp.changed, lang)
            lines.append(word(lang, "since" if names else "same", names=names))
    if stamp.commits is not None:
        lines.append(word(lang, "commits", count=stamp.commits))
    if stamp.edited:
        lines.append(word(lang, "edited", names=_named(stamp.edited, lang)))
    if stamp.missing:
        lines.append(word(lang, "missing", names=_named(stamp.missing, lang)))
    trouble = stamp.trouble
    lines.append(
        word(lang, "trouble", text=trouble) if trouble else word(lang, "whole")
    )
    if found.broken:
        lines.append(word(lang, "broken", names=_named(found.broken, lang)))
    return lines


def _named(names: Sequence[str], lang: str) -> str:
    """Names of files; of many the first, and how many more."""
    most = _NAMES_SHOWN[0]
    more = [word(lang, "more", count=len(names) - most)] if names[most:] else []
    return ", ".join([*map(line_of, names[:most]), *more])


def _tail(
    ws: Workspace, found: Gathered, lang: str, *, named: bool = False
) -> list[str]:
    """The protocol, and at the very end what to do: the anchor, then the next step.

    ``named``: where both are read, in their place.
    """
    lines = [f"## {word(lang, 'protocol')}", *protocol(lang, ws.settings.dir)]
    lines += ["", f"## {word(lang, 'end')}"]
    if named:
        long = word(lang, "long", command=shows(CURRENT_TASK))
        return [*lines, long, word(lang, "anew")]
    if found.anchor:
        lines.append(word(lang, "anchor", anchor=found.anchor))
    said = found.next_step
    lines.append(word(lang, "next", next=said) if said else word(lang, "no next"))
    lines.append(word(lang, "anew"))
    return lines


__all__ = ["ORDER", "Briefing", "Unit", "brief_for", "measure"]

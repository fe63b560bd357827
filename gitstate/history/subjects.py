"""Changes -> what a subject says of them: the weightiest first, in so many columns; pure."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.history.columns import clip, columns, one_line
from gitstate.history.phrases import said_of, signs

if TYPE_CHECKING:
    from gitstate.history.change import Act, Change, Changes, Subject

_LEAST_COLUMNS = 16  # of a piece, where several share a subject
# in a subject nothing stands over a piece: it names its subject itself
_IN_SUBJECT: dict[Subject, tuple[str, str]] = {
    "decision": ("decision", "决策"),
    "issue": ("issue", "问题"),
    "rule": ("rule", "规则"),
    "fact": ("fact", "事实"),
    "file": ("file", "文件"),
    "step": ("step", "步骤"),
}
# the acts in the order of their weight in a subject
_WEIGHTS: tuple[tuple[Subject, tuple[Act, ...]], ...] = (
    (
        "task",
        ("finished", "started and finished", "ended", "started", "started and ended"),
    ),
    ("step", ("done", "blocked")),
    ("decision", ("made", "superseded", "withdrawn", "changed")),
    ("decision", ("reinstated", "proposed")),
    ("issue", ("resolved", "opened", "opened and resolved", "reopened")),
    ("rule", ("removed", "changed", "added")),
    ("step", ("begun", "reopened", "put back")),
    ("attempt", ("added",)),
    ("task", ("changed",)),
    ("constraint", ("removed", "changed", "added")),
    ("blocker", ("added", "removed", "changed")),
    ("next", ("changed",)),
    ("step", ("added", "changed", "removed")),
    ("conclusion", ("added",)),
    ("fact", ("changed", "added", "removed")),
    ("command", ("changed", "added", "removed")),
    ("file", ("added", "changed", "removed")),
    ("issue", ("changed", "removed", "archived")),
    ("decision", ("removed", "archived")),
    ("rule", ("archived",)),
    ("fact", ("archived",)),
    ("command", ("archived",)),
    ("file", ("archived",)),
    ("constraint", ("archived",)),
    ("blocker", ("archived",)),
    ("anchor", ("changed",)),
)
_RANKS: dict[tuple[Subject, Act], int] = {
    pair: rank
    for rank, pair in enumerate(
        (subject, act) for subject, acts in _WEIGHTS for act in acts
    )
}


def summary(told: Changes, room: int, lang: str) -> str:
    """The weightiest changes in at most ``room`` columns; several share the room."""
    semicolon = signs(lang).semicolon
    found = pieces(told, lang)
    texts = [one.text for one in found]

    def whole() -> str:
        return semicolon.join(
            one.label + text for one, text in zip(found, texts, strict=True)
        )

    if columns(whole()) > room and len(found) > 1 and found[1].weighty:
        used = columns(found[0].label + found[1].label + semicolon)
        least = max(_LEAST_COLUMNS, room - used - columns(texts[1]))
        texts[0] = clip(texts[0], max(least, (room - used) // 2))
    return clip(whole(), room)


class Piece(NamedTuple):
    """A part of a subject: a label, what stands behind it, and whether it must be seen."""

    label: str
    text: str
    weighty: bool


def pieces(changes: Changes, lang: str) -> list[Piece]:
    """What a subject can say, the weightiest first."""
    groups: dict[tuple[bool, Subject, Act], list[Change]] = {}
    for one in changes.items:
        groups.setdefault((one.prohibition, one.subject, one.act), []).append(one)
    ranked = sorted(
        groups.items(),
        key=lambda item: (not item[0][0], _RANKS.get(item[0][1:], len(_RANKS))),
    )
    found = [
        Piece(
            _heading(these[0], changes, lang),
            signs(lang).between.join(map(_short, these)),
            weighty=_RANKS.get(key[1:], len(_RANKS)) < _RANKS["attempt", "added"],
        )
        for key, these in ranked
        if key[1] != "anchor"
    ]
    if found or not changes.items:
        return found
    texts = signs(lang).between.join(map(_short, changes.items))
    return [Piece(_heading(changes.items[0], changes, lang), texts, weighty=False)]


def _heading(one: Change, changes: Changes, lang: str) -> str:
    """How a piece of a subject begins."""
    sign, said = signs(lang), said_of(one, lang)
    if one.subject == "step" and one.act == "done" and changes.progress:
        return f"{said} {changes.progress[0]}/{changes.progress[1]} – "
    if one.subject == "decision" and one.act == "made":
        return _IN_SUBJECT["decision"][lang == "zh"] + sign.colon
    own = one.subject in {"decision", "issue", "rule", "fact", "file"} or (
        one.subject == "step" and one.act in {"added", "changed", "removed"}
    )
    if own and (one.subject, one.act) != ("file", "added"):
        name = _IN_SUBJECT[one.subject]
        said = f"{name[1]}{said}" if lang == "zh" else f"{name[0]} {said}"
    return said + sign.colon


def _short(one: Change) -> str:
    numbered = one.act == "archived" and one.id
    return one_line(f"{one.id} {one.text}" if numbered else one.text)

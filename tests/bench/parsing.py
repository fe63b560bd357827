"""Reading the state's files, beside markdown-it-py's own parse of the same bytes."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from gitstate import documents
from gitstate.documents import (
    conventions,
    current_task,
    decision_log,
    file_map,
    known_issues,
    project_context,
)
from gitstate.documents.header import lines_of_header
from tests.bench.measure import Row, Sample, interleaved, ratio
from tests.support import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_GARBAGE_AFTER = 50_000  # objects, as in gitstate.cli
_CORPUS = Path(__file__).parent.parent / "documents" / "corpus"
_READERS: dict[str, Callable[[str], object]] = {
    "context": project_context.parse,
    "rules": conventions.parse,
    "task": current_task.parse,
    "issues": known_issues.parse,
    "decisions": decision_log.parse,
    "map": file_map.parse,
}
_TEMPLATES = Path(documents.__file__).parent / "templates" / "en"
_NAMES = {
    "context": "context",
    "rules": "conventions",
    "task": "task",
    "issues": "issues",
    "decisions": "decision",
    "map": "map",
}
_COUNTS = (100, 1000, 10_000)
_BOUND = 1.5
_LARGE = 1 << 20
_DECISION = """## D-{number:04d} Use way {number} for part {number}

- Reason: it keeps `src/part{number}.ts:{number}` free of the other ways
- Alternatives: way {number}b, which nobody knows here
- Confidence: {confidence}
- Date: 2026-11-{day:02d}

"""
_CONFIDENCES = ("high", "medium", "low")


def log_of(count: int) -> str:
    """A decision log of so many decisions."""
    entries = (
        _DECISION.format(
            number=number, confidence=_CONFIDENCES[number % 3], day=1 + number % 28
        )
        for number in range(1, count + 1)
    )
    return "# Decision log\n\n" + "".join(entries)


def _with_header(kind: str, text: str) -> str:
    """As it stands in a state directory: every numbered file describes itself."""
    lines = text.splitlines(keepends=True)
    if lines_of_header(lines):
        return text
    (name,) = (name for name in NUMBERED if _NAMES[kind] in name)
    template = (_TEMPLATES / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join([*template[: lines_of_header(template)], "\n", text])


def parsing(_: Path, *, runs: int, most: int) -> Iterator[Row]:
    """Every kind of file as agents write it; decision logs up to ``most`` decisions.

    Garbage is looked for as seldom as in a verb.
    """
    usual = gc.get_threshold()
    gc.set_threshold(_GARBAGE_AFTER)
    try:
        yield from _parsing(runs, most)
    finally:
        gc.set_threshold(*usual)


def _parsing(runs: int, most: int) -> Iterator[Row]:
    for kind, parse in _READERS.items():
        files = sorted(_CORPUS.glob(f"{kind}-*.md"))
        texts = [_with_header(kind, path.read_text(encoding="utf-8")) for path in files]
        ours, theirs = _both(parse, texts, runs)
        what = f"parse, {len(texts)} files of kind {kind}"
        yield ratio(what, ours, theirs, _BOUND, name="markdown-it-py")
    each: list[float] = []
    for count in (count for count in _COUNTS if count <= most):
        turns = max(2, min(runs, 2000 // count))
        ours, theirs = _both(decision_log.parse, [log_of(count)], turns)
        what = f"parse, a log of {count:,} decisions"
        yield ratio(what, ours, theirs, _BOUND, name="markdown-it-py")
        each.append(ours.median / count)
    what = f"parse, a decision among {_COUNTS[len(each) - 1]:,} / among {_COUNTS[0]:,}"
    last, first = (f"{seconds * 1e6:.0f} us" for seconds in (each[-1], each[0]))
    yield Row(what, last, first, each[-1] / each[0], _BOUND)


def _both(parse: Callable[[str], object], texts: list[str], runs: int) -> list[Sample]:
    """Ours and theirs, in turn; each with what it needs to see the same tables."""
    markdown = MarkdownIt("commonmark").enable("table")

    def each(action: Callable[[str], object]) -> Callable[[int], Callable[[], object]]:
        return lambda _: lambda: [action(text) for text in texts]

    warm = 1 if len(texts[0]) < _LARGE else 0
    return interleaved([each(parse), each(markdown.parse)], runs=runs, warm=warm)

"""A briefing of the largest state that the files' limits allow, in process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from gitstate.recall.briefing import brief_for
from gitstate.workspace import Workspace
from tests.bench.measure import Row, interleaved, limit
from tests.bench.places import begun, run
from tests.support import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support import Repo

_MOST_MS = 50
_PARSED_S = 0.020  # the same files, by markdown-it-py, on the machine that it is for
_LONG = "the other parts of the program stay apart from what changes most often; " * 7
# a file's name -> how an entry of it reads, how many its header allows, and of what size
_ENTRIES = {
    NUMBERED[0]: ("- key {n}: value {n} of src/part{n}.ts\n", 400, 8 << 10),
    NUMBERED[1]: (
        (
            "- Never edit src/part{n}.ts:{n} without the test of part {n} beside it, and run "
            "the whole suite of that part before and after the edit is made\n"
        ),
        40,
        8 << 10,
    ),
    NUMBERED[2]: ("\n{n}. [todo] Step {n} of src/part{n}.ts", 60, 8 << 10),
    NUMBERED[3]: (
        (
            "\n## I-{n:04d} Part {n} fails in src/part{n}.ts\n\n- Kind: bug\n- Status: open\n"
            "- Workaround: use part {n}b; {long}\n"
        ),
        20,
        16 << 10,
    ),
    NUMBERED[4]: (
        (
            "\n## D-{n:04d} Use way {n} for src/part{n}.ts\n\n- Reason: {long}\n"
            "- Alternatives: way {n}b: slow\n- Confidence: high\n- Date: 2026-11-29\n"
        ),
        20,
        16 << 10,
    ),
    NUMBERED[5]: (
        (
            "- src/part{n}.ts: the role of part {n}, which the others use\n"
            "  - Uses: src/part{n}a.ts\n  - Tested by: tests/part{n}.test.ts\n"
        ),
        80,
        12 << 10,
    ),
}


def fill(repo: Repo) -> None:
    """Every file up to its limit: of entries, or of bytes."""
    for name, (entry, most, size) in _ENTRIES.items():
        text = (repo.state / name).read_text(encoding="utf-8")
        for number in range(1, most + 1):
            more = entry.format(n=number, long=_LONG)
            if len(text) + len(more) > size:
                break
            text += more
        repo.write(name, text)


def briefing(folder: Path, *, runs: int) -> Iterator[Row]:
    """All of it read, parsed, put together and fitted into what Claude Code takes."""
    repo, _ = begun(folder / "brief")
    fill(repo)
    run("snapshot", cwd=repo.path)
    ws = Workspace.open(repo.path)

    def brief(_: int) -> Callable[[], object]:
        (ws.runtime / "parsed").unlink(missing_ok=True)  # nothing of it read before
        return lambda: brief_for(ws, limit=9_990)

    texts = [path.read_text("utf-8") for path in sorted(repo.state.glob("0*.md"))]
    markdown = MarkdownIt("commonmark").enable("table")

    def parsed(_: int) -> Callable[[], object]:
        return lambda: [markdown.parse(text) for text in texts]

    ours, theirs = interleaved([brief, parsed], runs=runs, warm=2)
    size = sum(len(text.encode()) for text in texts) >> 10
    # the bound is that of a machine which parses the same bytes in so long
    bound = _MOST_MS * max(1.0, theirs.median / _PARSED_S)
    what = f"a briefing of {size} KiB of state, in process"
    yield limit(what, ours, bound, beside=f"markdown-it-py alone {theirs}")

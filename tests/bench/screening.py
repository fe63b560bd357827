"""The cost of screening one changed file, beside the whole scanner on the same file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detect_secrets.core.secrets_collection import SecretsCollection
from detect_secrets.settings import transient_settings

from gitstate.memory.scanner import DETECTORS
from gitstate.memory.screening import screen
from tests.bench.measure import Row, interleaved, limit, ratio
from tests.bench.places import text
from tests.memory.secrets_made_up import secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_SIZE = 2048
_MOST_MS = 2.0
_PARTS = {"plugins_used": [{"name": name} for name in DETECTORS.values()]}


def screening(folder: Path, *, runs: int) -> Iterator[Row]:
    """A text of 2 KB with nothing in it, and one that the scanner has to judge."""
    suspect, _ = secrets()["github ghp"]
    for what, last in (("nothing in it", ""), ("a key in it", f"\n{suspect}\n")):

        def written(turn: int, last: str = last) -> bytes:
            return (text(turn)[: _SIZE - len(last)] + last).encode()

        def ours(turn: int, written=written) -> Callable[[], object]:  # type: ignore[no-untyped-def] # noqa: ANN001 bound at once
            data: bytes = written(turn)
            return lambda: screen(data)

        def theirs(turn: int, written=written) -> Callable[[], object]:  # type: ignore[no-untyped-def] # noqa: ANN001 the same
            path = folder / f"{turn}.md"
            path.write_bytes(written(turn))
            return lambda: SecretsCollection().scan_file(str(path))

        with transient_settings(_PARTS):
            mine, other = interleaved([ours, theirs], runs=runs, warm=3)
        name = f"screening 2 KB, {what}"
        yield ratio(name, mine, other, 0.1 if not last else 0.5, name="detect-secrets")
        yield limit(name, mine, _MOST_MS)

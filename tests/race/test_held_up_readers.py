"""git processes that are held up while they list the packs, beside a burst of versions."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engines import begun
from tests.ledger import fsck
from tests.shims import build
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = float(os.environ.get("RACE_SECONDS", "12"))
CHECKOUT = Path(__file__).parents[2]
READERS = (("rev-list", "--all", "--count"), ("repack", "-q", "-adf"))


@pytest.mark.timeout(SECONDS + 240)
def test_no_reader_misses_an_object(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    repo = make_repo(tmp_path / "repo")
    ws = begun(repo)
    slow = {"LD_PRELOAD": str(build("slow_listing", tmp_path)), "SLOW_MS": "30"}
    stop = tmp_path / "stop"
    writers = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.race.writer"),
                *(ws.root, f"agent-{number}.md", tmp_path / f"note-{number}", stop),
                "0",
            ],
            cwd=CHECKOUT,
        )
        for number in range(2)
    ]
    ran: Counter[str] = Counter()
    failed: list[str] = []
    try:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for words in READERS:
                done = subprocess.run(
                    ["git", *words],
                    cwd=repo.path,
                    env={**os.environ, **slow},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                ran[words[0]] += 1
                if done.returncode != 0:
                    failed.append(f"{words}: {done.stderr}")
    finally:
        stop.touch()
        codes = [writer.wait(timeout=120) for writer in writers]

    made = repo.git("rev-list", "--count", "agent-state")
    record_property(
        "figures", f"held up: {dict(ran)}, {len(failed)} failed, {made} versions"
    )
    assert failed == []
    assert codes == [0, 0]
    fsck(repo)

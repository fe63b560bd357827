"""One writer of state in a process of its own: ``python -m tests.race.writer``.

Writes its file, makes a version, and notes what it was told, until the stop file is
there. Each line of the note is one report: number, commit, and the text the version
must hold. It is the only writer of its file, so that text is in that version whichever
of the writers made it.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

from gitstate.errors import GitstateError
from gitstate.history.snapshot import take
from gitstate.workspace import Workspace


def run(root: Path, name: str, note: Path, stop: Path, pause_s: float) -> None:
    """Write until the stop file is there, with a pause between two versions."""
    ws = Workspace.open(root)
    target = ws.state_dir / name
    beside = note.with_suffix(".new")
    failures: Counter[str] = Counter()
    with note.open("w", encoding="ascii") as report:
        count = 0
        while not stop.exists():
            count += 1
            time.sleep(pause_s)
            text = f"# {name}\n\ntext {count} at {time.time_ns()}\n" * (1 + count % 40)
            beside.write_text(text)
            beside.replace(target)
            try:
                outcome = take(ws, verb="snapshot", wait_s=30.0)
            except GitstateError as error:
                failures[f"{type(error).__name__}: {error}"] += 1
                continue
            told = [outcome.version, outcome.commit, text, list(outcome.notices)]
            report.write(json.dumps(told) + "\n")
            report.flush()
        report.write(json.dumps(failures) + "\n")


if __name__ == "__main__":
    _, folder, file, note_file, stop_file, pause = sys.argv
    run(Path(folder), file, Path(note_file), Path(stop_file), float(pause))

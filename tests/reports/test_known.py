from __future__ import annotations

from pathlib import Path

from tests.reports.known import KNOWN, marked, untested

TESTS = Path(__file__).parents[1]


def test_every_mark_is_a_known_report() -> None:
    assert sorted(marked(TESTS).keys() - KNOWN.keys()) == []
    assert list(KNOWN) == list(range(1, len(KNOWN) + 1))


def test_the_numbers_without_a_test_are_found(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    mark = "@pytest.mark." + "report"  # in two, or this file would count as marked
    text = f"{mark}(1, 3)\ndef test_a(): ...\n{mark}(25)\n"
    (tmp_path / "below" / "test_a.py").write_text(text)
    assert untested(tmp_path) == [n for n in KNOWN if n not in {1, 3, 25}]

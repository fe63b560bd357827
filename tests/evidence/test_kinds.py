"""Every kind of project gives exactly the facts that its files prove, in both languages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.evidence import gather, project_context
from tests.evidence import projects
from tests.evidence.projects import make_project

if TYPE_CHECKING:
    from collections.abc import Mapping

EXPECTED = Path(__file__).parent / "expected"
BARE = "<!-- facts -->\n\n----\n\n<!-- commands -->\n\n"
KINDS: dict[str, Mapping[str, str | bytes]] = {
    name.lower(): files
    for name, files in vars(projects).items()
    if name.isupper() and isinstance(files, dict)
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_facts_of_a_kind(tmp_path: Path, kind: str, lang: str) -> None:
    repo = make_project(tmp_path / "repo", KINDS[kind])
    expected = (EXPECTED / f"{kind}.{lang}.md").read_text(encoding="utf-8")
    assert project_context(gather(repo.path), BARE, lang) == expected


def test_every_expectation_is_of_a_kind() -> None:
    wanted = {f"{kind}.{lang}.md" for kind in KINDS for lang in ("en", "zh")}
    assert {path.name for path in EXPECTED.iterdir()} == wanted


def test_facts_do_not_depend_on_where_the_repository_is(tmp_path: Path) -> None:
    one = make_project(tmp_path / "one", projects.TWO_HALVES)
    other = make_project(tmp_path / "an other", projects.TWO_HALVES)
    assert gather(one.path) == gather(other.path)

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gitstate
from gitstate.documents import (
    CURRENT_TASK,
    LANGUAGES,
    NUMBERED,
    PROJECT_CONTEXT,
    template,
)
from gitstate.errors import UsageError
from tests import support

KEYS = [
    "order",
    "title",
    "provides",
    "requires",
    "strength",
    "capacity",
    "archive",
    "verify",
]
EACH = pytest.mark.parametrize(
    ("lang", "name"), [(lang, name) for lang in LANGUAGES for name in NUMBERED]
)


def header_of(text: str) -> dict[str, str]:
    """The front matter's lines, in order; every value fits on its line."""
    start, header, _ = text.split("---\n", 2)
    assert start == ""
    return dict(line.split(": ", 1) for line in header.splitlines())


def body_of(text: str) -> str:
    return text.split("---\n", 2)[2]


def headings_of(text: str) -> list[str]:
    return [line for line in body_of(text).splitlines() if line.startswith("#")]


def test_the_names_are_the_six() -> None:
    assert NUMBERED == support.NUMBERED
    assert (NUMBERED[0], NUMBERED[2]) == (PROJECT_CONTEXT, CURRENT_TASK)


@EACH
def test_a_template_is_small(lang: str, name: str) -> None:
    assert len(template(name, lang).encode()) < 2048


@EACH
def test_a_template_describes_itself(lang: str, name: str) -> None:
    header = header_of(template(name, lang))
    assert list(header) == KEYS
    assert header["order"] == str(int(name[:2]))
    assert header["provides"] == f"[{name[3:-3]}]"
    assert header["strength"] in {"high", "medium", "low"}
    assert re.fullmatch(r"\{(items: \d+, )?size: \d+ KiB\}", header["capacity"])
    assert header["archive"] in {"archive/", "resolved/", "completed/"}
    assert re.fullmatch(r"[^:#\[\]{}'\"]+[.。]", header["verify"])  # plain YAML
    assert headings_of(template(name, lang))[0] == f"# {header['title']}"


@EACH
def test_a_template_states_nothing(lang: str, name: str) -> None:
    body = re.sub(r"<!--.*?-->", "", body_of(template(name, lang)), flags=re.DOTALL)
    assert all(line.startswith("#") for line in body.splitlines() if line.strip())


@EACH
def test_guidance_has_no_line_that_could_be_taken_for_a_heading(
    lang: str, name: str
) -> None:
    text = template(name, lang)
    comments = re.findall(r"<!--.*?-->", text, flags=re.DOTALL)
    lines = "\n".join(comments).splitlines()
    assert comments
    assert not [
        line for line in lines if re.match(r" {0,3}(#|[-*+] |\d+[.)] |---)", line)
    ]
    assert text.endswith("\n")
    assert "\n\n\n" not in text


@pytest.mark.parametrize("name", NUMBERED)
def test_both_languages_have_the_same_structure(name: str) -> None:
    english, chinese = (template(name, lang) for lang in LANGUAGES)
    translated = {"title", "verify"}
    for key in KEYS:
        same = header_of(english)[key] == header_of(chinese)[key]
        assert same == (key not in translated)
    levels = [
        [line.split()[0] for line in headings_of(text)] for text in (english, chinese)
    ]
    assert levels[0] == levels[1]
    assert english.count("<!--") == chinese.count("<!--")


def test_what_a_file_requires_is_provided_by_an_earlier_one() -> None:
    provided: set[str] = set()
    for name in NUMBERED:
        header = header_of(template(name, "en"))
        required = header["requires"].strip("[]")
        assert set(filter(None, required.split(", "))) <= provided
        provided.add(header["provides"].strip("[]"))


def test_the_headings_of_the_current_task() -> None:
    assert headings_of(template(CURRENT_TASK, "en")) == [
        "# Current task",
        "## Goal",
        "## Constraints",
        "## Steps",
        "## Next step",
        "## Anchor",
        "## Blockers",
    ]
    assert headings_of(template(CURRENT_TASK, "zh")) == [
        "# 当前任务",
        "## 目标",
        "## 约束",
        "## 步骤",
        "## 下一步",
        "## 锚点",
        "## 阻塞",
    ]


def test_the_forms_that_agents_are_shown() -> None:
    english = template("04-decision-log.md", "en")
    chinese = template("04-decision-log.md", "zh")
    for label in ("Reason", "Alternatives", "Confidence", "Supersedes", "Date"):
        assert f"\n    - {label}: " in english
    for label in ("理由", "替代方案", "置信度", "取代", "日期"):
        assert f"\n    - {label}：" in chinese


@pytest.mark.parametrize("lang", LANGUAGES)
def test_facts_have_one_place_each(lang: str) -> None:
    text = template(PROJECT_CONTEXT, lang)
    assert [text.count(f"<!-- {part} -->\n\n") for part in ("facts", "commands")] == [
        1,
        1,
    ]


def test_a_language_without_templates() -> None:
    with pytest.raises(UsageError) as caught:
        template(CURRENT_TASK, "../en\n")
    assert str(caught.value) == r"no templates in language ../en\n; there are: en, zh"


def test_templates_are_found_where_there_are_no_files(tmp_path: Path) -> None:
    archive = tmp_path / "gitstate.zip"
    package = Path(gitstate.__file__).parent
    with zipfile.ZipFile(archive, "w") as packed:
        for path in [*package.glob("*.py"), *package.glob("documents/**/*")]:
            if path.is_file():
                packed.write(path, path.relative_to(package.parent))
    program = (
        "from gitstate.documents import template; import gitstate, sys;"
        "assert 'gitstate.zip' in gitstate.__file__;"
        f"sys.stdout.buffer.write(template({CURRENT_TASK!r}, 'zh').encode())"
    )
    run = [
        sys.executable,
        "-S",
        "-c",
        f"import sys; sys.path.insert(0, {str(archive)!r}); {program}",
    ]
    done = subprocess.run(run, capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.decode() == template(CURRENT_TASK, "zh")

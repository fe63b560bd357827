from __future__ import annotations

import time

import pytest

from gitstate.documents import LANGUAGES, NUMBERED, template
from gitstate.documents.header import (
    UNNUMBERED,
    Capacity,
    Header,
    HeaderRead,
    Problem,
    from_name,
    read,
)

NAME = "07-deploy-notes.md"
FALLBACK = Header(7, "Deploy notes", ("deploy-notes",))
SAID = "it is taken from the file's name"


def headed(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "# Deploy notes", ""])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NUMBERED)
def test_a_template_and_its_name_say_the_same(lang: str, name: str) -> None:
    found = read(name, template(name, lang))
    known, said = from_name(name), found.header
    assert found.problems == ()
    assert found.lines == 10
    assert said.verify
    assert known == Header(
        said.order,
        known.title,
        said.provides,
        said.requires,
        said.strength,
        said.capacity,
        said.archive,
        None,
    )
    assert lang == "zh" or known.title == said.title


def test_all_fields() -> None:
    text = headed(
        'order: "07"',
        "title: 部署 说明",
        "provides: [deploy, 'release notes']",
        "requires: project-context, file-map",
        "strength: 高",
        "capacity: {items: 12, size: 4 KiB}",
        "archive: old/deploys",
        "verify: >",
        "  Name the stages",
        "  in order.",
        "owner: ops",
    )
    assert read(NAME, text) == HeaderRead(
        Header(
            7,
            "部署 说明",
            ("deploy", "release notes"),
            ("project-context", "file-map"),
            "high",
            Capacity(12, 4096),
            "old/deploys/",
            "Name the stages in order.",
        ),
        13,
        (),
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("order: first", f"order is not a number from 0 to 999999; {SAID}"),
        ("order: -1", f"order is not a number from 0 to 999999; {SAID}"),
        ("title: [a]", f"title is not a text; {SAID}"),
        ("title: ''", f"title is not a text; {SAID}"),
        ("provides: {a: b}", f"provides is not a list of names; {SAID}"),
        ("strength: hihg", f"strength is not high, medium or low; {SAID}"),
        (
            "capacity: {items: many}",
            f"capacity is not like {{items: 20, size: 16 KiB}}; {SAID}",
        ),
        (
            "capacity: {size: 0}",
            f"capacity is not like {{items: 20, size: 16 KiB}}; {SAID}",
        ),
        (
            "archive: ../up",
            f"archive is not a folder of the state directory, like archive/; {SAID}",
        ),
        (
            "archive: /etc",
            f"archive is not a folder of the state directory, like archive/; {SAID}",
        ),
        ("stregnth: high", "no field is called stregnth: strength?"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(line: str, problem: str) -> None:
    found = read(NAME, headed("# a comment", line, "requires: [file-map]"))
    assert found.problems == (Problem(3, problem),)
    assert found.header == Header(7, "Deploy notes", ("deploy-notes",), ("file-map",))


def test_a_field_that_stands_twice() -> None:
    found = read(NAME, headed("order: 1", "order: 3"))
    assert found.header.order == 3
    assert found.problems == (Problem(3, "order stands twice; the last one counts"),)


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (
            ("order: 2", "title: a: b"),
            3,
            "mapping values are not allowed in this context",
        ),
        (("order: &a 2", "title: *a"), 2, "anchors and aliases are not used here"),
        (("order: 2", "<<: *x"), 3, "anchors and aliases are not used here"),
        (("order: [[1]]",), 2, "it is nested too deep"),
        (("order: 2", "? [a]", ": b"), 3, "it is nested too deep"),
        (("order: 2", "title: a\ud800"), 3, "it is not UTF-8"),
        (("order: 2", "title: a\x00"), 2, "a character that YAML does not allow"),
        (("order: 2", "title: 'a"), 3, "found unexpected end of stream"),
    ],
)
def test_broken_yaml_names_its_line(
    lines: tuple[str, ...], line: int, problem: str
) -> None:
    found = read(NAME, headed(*lines))
    text = f"the header is broken: {problem}; {SAID}"
    assert found == HeaderRead(FALLBACK, len(lines) + 2, (Problem(line, text),))


def test_a_tab_is_named_in_the_words_of_the_parser() -> None:
    found = read(NAME, headed("order: 2", "\ttitle: a"))
    assert (found.header, found.lines) == (FALLBACK, 4)
    [problem] = found.problems
    assert problem.line == 3
    assert problem.text.startswith("the header is broken: found ")


def test_a_list_and_an_empty_header_are_none() -> None:
    what = f"the header is broken: it is not a list of 'name: value'; {SAID}"
    assert read(NAME, "---\n---\n") == HeaderRead(FALLBACK, 2, (Problem(2, what),))
    text = "---\n- order: 2\n---\n"  # a list between two rulers
    unclosed = f"the header is not closed, or names no field; {SAID}"
    assert read(NAME, text) == HeaderRead(FALLBACK, 0, (Problem(1, unclosed),))


@pytest.mark.parametrize(
    "text",
    ["", "# Deploy notes\n", "\ufeff# x", "--- \nprose\n---\n", "----\norder: 1"],
)
def test_no_header(text: str) -> None:
    found = read(NAME, text)
    assert (found.header, found.lines) == (FALLBACK, 0)
    assert len(found.problems) == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark(end: str, mark: str) -> None:
    text = mark + headed("order: 3", "title: T").replace("\n", end)
    assert read(NAME, text) == HeaderRead(Header(3, "T", ("deploy-notes",)), 4, ())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("02-current-task.md", (2, "Current task", ("current-task",))),
        ("10_api.md", (10, "Api", ("api",))),
        ("notes.md", (UNNUMBERED, "Notes", ("notes",))),
        ("03-.md", (3, "03", ("03-",))),
        ("06-部署.md", (6, "部署", ("部署",))),
        ("1234567-x.md", (UNNUMBERED, "1234567 x", ("1234567-x",))),
        ("-.md", (UNNUMBERED, "-", ("-",))),
    ],
)
def test_what_a_name_says(name: str, expected: tuple[int, str, tuple[str]]) -> None:
    found = from_name(name)
    assert (found.order, found.title, found.provides) == expected


@pytest.mark.parametrize(
    "line",
    [
        "a: " + "[" * 8000,
        "a: " + "{" * 8000,
        "- " * 4000,
        "? " * 4000,
        "a: &x [" + "*x, " * 2000 + "]",
        "a: !!python/object/apply:os.system ['false']",
        "order: " + "1:" * 3000 + "1",
        "order: " + "9" * 7000,
        "!" * 8000,
        "'" * 8001,
    ],
)
def test_hostile_yaml_is_bounded(line: str) -> None:
    start = time.monotonic()
    found = read(NAME, headed("title: T", line))
    assert time.monotonic() - start < 20
    assert found.header.order == 7
    assert found.lines in {0, 4}


def test_a_long_header_is_none() -> None:
    long = headed("order: 2", "x: " + "y" * 9000)
    found = read(NAME, long)
    what = f"the header has over 8192 characters; {SAID}"
    assert found == HeaderRead(FALLBACK, 4, (Problem(1, what),))
    many = headed("order: 2", *(f"k{number}: v" for number in range(200)))
    assert read(NAME, many).lines == 0

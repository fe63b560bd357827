from __future__ import annotations

import pytest

from gitstate.documents.blocks import Block
from gitstate.documents.fields import Coverage, Lines
from gitstate.documents.sections import outline
from gitstate.documents.vocabulary import vocabulary


def kinds(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.start, block.stop) for block in outline(text).blocks]


def test_blocks_with_their_lines() -> None:
    text = """# Title

two
lines
- item
  of two
  1) nested

     its paragraph
> quoted

<!-- a
comment -->

| a | b |
|---|---|
| 1 | 2 |

***

```sh
# no heading
```

    indented

<div>
html
</div>

Below
-----
"""
    assert kinds(text) == [
        ("heading", 0, 1),
        ("text", 2, 4),
        ("item", 4, 6),
        ("item", 6, 7),
        ("text", 8, 9),
        ("text", 9, 10),
        ("comment", 11, 13),
        ("table", 14, 17),
        ("bar", 18, 19),
        ("verbatim", 20, 23),
        ("verbatim", 24, 25),
        ("html", 26, 29),
        ("heading", 30, 32),
    ]
    found = outline(text)
    assert found.blocks[2] == Block("item", 4, 6, 0, ("item", "of two"))
    assert found.blocks[3] == Block("item", 6, 7, 2, ("nested",), 0, 1)
    assert found.blocks[5] == Block("text", 9, 10, 2, ("quoted",), 0, None, 1, 0)
    assert found.blocks[-1] == Block("heading", 30, 32, 0, ("Below",), 2)
    assert found.ends[2] == 5
    assert found.ends[3] == 5


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "7)"])
@pytest.mark.parametrize("indent", ["  ", "   ", "\t"])
def test_an_indent_of_two_nests_below_any_marker(marker: str, indent: str) -> None:
    found = outline(f"{marker} a\n{indent}- b\n{indent}- c\n{marker} d\n")
    assert [block.rows for block in found.blocks] == [("a",), ("b",), ("c",), ("d",)]
    assert found.ends == [3, 2, 3, 4]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("## A", "A"),
        ("#   A  ##  ", "A"),
        ("### A#", "A#"),
        ("# #", ""),
        ("#", ""),
        ("###### a \\#", "a \\#"),
        ("   ## a b", "a b"),
    ],
)
def test_a_heading_without_its_marks(line: str, text: str) -> None:
    assert outline(line).blocks[0].rows == (text,)


def test_a_label_ends_the_sentence_before_it() -> None:
    text = "1. find it\nConclusion: x\n   Files: a.ts\n2. next\n"
    assert len(outline(text).blocks) == 2
    found = outline(text, vocabulary("step"))
    assert [(block.kind, block.rows) for block in found.blocks] == [
        ("item", ("find it",)),
        ("text", ("Conclusion: x", "Files: a.ts")),
        ("item", ("next",)),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n```\nb\n", 1),
        ("a\n```\nb\n```\n", None),
        ("~~~\n```\n", 0),
        ("````\n```\n", 0),
        ("```", 0),
        ("<!-- a\n\nb", 0),
        ("<!-- a -->", None),
        ("x\n\n<script>\n\na\n", 2),
        ("<pre>a</pre>\n", None),
        ("<div>\na", None),
        ("- ```\n  a\n", None),
        ("    ```\n", None),
        ("```\n```\nb\n", None),
    ],
)
def test_what_swallows_the_rest_is_known(text: str, line: int | None) -> None:
    assert outline(text).unclosed == line


def test_what_is_nested_too_deep_is_kept_as_unread() -> None:
    text = f"{'> ' * 200}deep\n\n# Title\n"
    found = outline(text)
    assert [block.kind for block in found.blocks] == ["heading"]
    assert Coverage(found).unread() == (Lines(1, 3),)


def test_only_line_ends_end_a_line() -> None:
    found = outline("a\x0bb\x0cc\x85d\u2028e\rf\r\ng\nh")
    assert found.lines == ["a\x0bb\x0cc\x85d\u2028e", "f", "g", "h"]

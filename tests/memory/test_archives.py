"""What takes in moved things: each once, in files that stay small enough."""

from __future__ import annotations

from gitstate.memory.archives import add
from tests.memory.shelf import Shelf

NAME = "04-decision-log.md"


def test_a_new_file_begins_with_its_title() -> None:
    added = add(
        Shelf(),
        "archive/",
        NAME,
        ["## D-1 a", "## D-2 b\n\n- x"],
        title="# T",
        max_size=999,
    )
    assert added.texts == {f"archive/{NAME}": "# T\n\n## D-1 a\n\n## D-2 b\n\n- x\n"}
    assert added.places == (f"archive/{NAME}",) * 2


def test_what_is_there_stays_byte_for_byte_and_is_not_added_again() -> None:
    old = "\ufeff# T\r\n\r\n## D-1 a  \r\n\r\nno end"
    shelf = Shelf({f"archive/{NAME}": old})
    things = ["## D-1 a  \n\nno end", "## D-2 b"]
    added = add(shelf, "archive/", NAME, things, title="# T", max_size=999)
    assert added.texts == {f"archive/{NAME}": f"{old}\r\n\r\n## D-2 b\r\n"}
    again = add(Shelf(added.texts), "archive/", NAME, things, title="# T", max_size=999)
    assert again.texts == {}
    assert again.places == (f"archive/{NAME}",) * 2


def test_a_part_of_an_entry_is_not_the_entry() -> None:
    shelf = Shelf({f"archive/{NAME}": "# T\n\n## D-1 abc\n"})
    added = add(shelf, "archive/", NAME, ["## D-1 a"], title="# T", max_size=999)
    assert added.texts == {f"archive/{NAME}": "# T\n\n## D-1 abc\n\n## D-1 a\n"}


def test_twice_the_same_is_two() -> None:
    things = ["read a", "read a"]
    added = add(Shelf(), "archive/", "operations.log", things, max_size=999)
    assert added.texts == {"archive/operations.log": "read a\nread a\n"}
    shelf = Shelf({"archive/operations.log": "read a\n"})
    added = add(shelf, "archive/", "operations.log", things, max_size=999)
    assert added.texts == {"archive/operations.log": "read a\nread a\n"}


def test_the_next_file_begins_before_one_is_too_large_for_a_version() -> None:
    shelf = Shelf(
        {"archive/04-decision-log-x.md": "", "archive/04-decision-log-02.md": ""}
    )
    things = [f"## D-{n} {'x' * 30}" for n in range(1, 5)]
    added = add(shelf, "archive/", NAME, things, title="# T", max_size=90)
    names = [f"archive/04-decision-log{n}.md" for n in ("", "-2")]
    assert added.places == (names[0], names[0], names[1], names[1])
    assert all(len(text) <= 90 for text in added.texts.values())
    # killed before they were taken out: found in both, and the next one goes to the last
    again = add(
        Shelf({**shelf, **added.texts}),
        "archive/",
        NAME,
        [*things, "## D-5 y"],
        title="# T",
        max_size=90,
    )
    assert again.places == (*added.places, "archive/04-decision-log-3.md")
    assert again.texts == {"archive/04-decision-log-3.md": "# T\n\n## D-5 y\n"}

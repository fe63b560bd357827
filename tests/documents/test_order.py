from __future__ import annotations

from gitstate.documents import NUMBERED
from gitstate.documents.header import Header, Problem, from_name
from gitstate.documents.order import Recovery, recovery_order


def header(order: int, provides: str, *requires: str) -> Header:
    return Header(order, provides, (provides,), requires)


def test_the_six_come_by_their_numbers() -> None:
    headers = {name: from_name(name) for name in reversed(NUMBERED)}
    assert recovery_order(headers) == Recovery(NUMBERED, ())


def test_a_requirement_is_stronger_than_a_number() -> None:
    headers = {
        "00-a.md": header(0, "a", "z"),
        "01-b.md": header(1, "b"),
        "09-z.md": header(9, "z", "b"),
    }
    assert recovery_order(headers).names == ("01-b.md", "09-z.md", "00-a.md")


def test_the_same_number_comes_by_name() -> None:
    headers = {name: header(3, name) for name in ("03-c.md", "03-a.md", "03-b.md")}
    assert recovery_order(headers).names == ("03-a.md", "03-b.md", "03-c.md")


def test_a_cycle_is_named_and_broken_at_its_lowest_number() -> None:
    headers = {
        "00-a.md": header(0, "a"),
        "01-b.md": header(1, "b", "d"),
        "02-c.md": header(2, "c", "b"),
        "03-d.md": header(3, "d", "c", "a"),
    }
    assert recovery_order(headers) == Recovery(
        ("00-a.md", "01-b.md", "02-c.md", "03-d.md"),
        (
            Problem(
                0,
                "a cycle: 01-b.md requires 03-d.md requires 02-c.md requires 01-b.md",
            ),
        ),
    )


def test_two_cycles_and_one_of_a_single_file() -> None:
    headers = {
        "00-a.md": header(0, "a", "a"),
        "01-b.md": header(1, "b", "c"),
        "02-c.md": header(2, "c", "b"),
    }
    found = recovery_order(headers)
    assert found.names == ("00-a.md", "01-b.md", "02-c.md")
    assert [problem.text for problem in found.problems] == [
        "a cycle: 00-a.md requires 00-a.md",
        "a cycle: 01-b.md requires 02-c.md requires 01-b.md",
    ]


def test_what_nobody_provides_is_named_and_holds_nothing_up() -> None:
    headers = {"00-a.md": header(0, "a", "x\ny"), "01-b.md": header(1, "b")}
    assert recovery_order(headers) == Recovery(
        ("00-a.md", "01-b.md"),
        (Problem(0, r"00-a.md requires x\ny, which no file provides"),),
    )


def test_all_that_provide_it_come_first() -> None:
    headers = {
        "00-a.md": header(0, "a", "notes"),
        "05-x.md": header(5, "notes"),
        "06-y.md": header(6, "notes"),
    }
    assert recovery_order(headers).names == ("05-x.md", "06-y.md", "00-a.md")


def test_a_thousand_files_in_one_chain() -> None:
    headers = {
        f"{number:04}.md": header(number, f"p{number}", f"p{number + 1}")
        for number in range(1000)
    }
    headers["1000.md"] = header(1000, "p1000")
    assert recovery_order(headers).names == tuple(sorted(headers, reverse=True))

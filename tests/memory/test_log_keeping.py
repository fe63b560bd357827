"""How long the operations log keeps a line."""

from __future__ import annotations

from datetime import datetime

from gitstate.memory.log_keeping import part

NOW = datetime.fromisoformat("2026-11-29T12:00:00+01:00")
OLD = "2026-11-20T10:00:00+01:00"
NEW = "2026-11-29T12:00:00+01:00"


def test_what_says_nothing_of_how_a_file_is_to_look_goes_when_it_is_old() -> None:
    goes = [
        f"{OLD} | src/a.ts | read | looked",
        f"{OLD} | test/ | run | 3 failed",
        f"{OLD} | src/a.ts | edit aaaaaaaaaaaa | first",
        f"{OLD} | src/a.ts | edit aaaaaaaaaaaa | first",
        f"{OLD} | src/gone.ts | create bbbbbbbbbbbb | made",
        f"{OLD} | src/b.ts | edit cccccccccccc | the last (strength: low)",
    ]
    stays = [
        f"{OLD} | src/a.ts | edit dddddddddddd | the last",
        f"{OLD} | src/gone.ts | delete | gone",
        f"{OLD} | test/ | run | green (strength: high)",
        f"{OLD.replace('+01:00', '')} | src/a.ts | read | a time without its zone",
        "yesterday | src/a.ts | read | no time",
        "what somebody wrote by hand",
        f"{NEW} | src/a.ts | read | just now",
        "",
    ]
    parted = part("\n".join([*stays[3:6], *goes, *stays]), NOW, 50)
    assert parted.gone == tuple(goes)
    assert parted.text == "\n".join([*stays[3:6], *stays])


def test_where_nothing_goes_the_text_is_the_same() -> None:
    text = f"{NEW} | a | read | x\r\n\r\nno end"
    assert part(text, NOW, 50) == (text, ())


def test_turns_count_before_days_do() -> None:
    def turn(number: int) -> list[str]:
        return [
            f"{NEW} | turn",
            f"{NEW} | src/{number}.ts | read | looked",
            f"{NEW} | src/{number}.ts | edit aaaaaaaaaaaa | x",
        ]

    lines = [f"{OLD} | src/a.ts | read | old", *turn(1), *turn(2), *turn(3)]
    text = "\n".join(lines)
    assert part(text, NOW, 2).gone == tuple(lines[:3])
    assert part(text, NOW, 1).gone == (*lines[:3], *lines[4:6])
    # fewer turns are known than are kept: before them, days count
    assert part(text, NOW, 3).gone == (lines[0],)
    assert part(text, datetime.fromisoformat(OLD), 3).gone == ()
    left = part(text, NOW, 1).text
    assert left.split("\n") == [lines[3], lines[6], *lines[7:]]
    assert part(left, NOW, 1) == (left, ())

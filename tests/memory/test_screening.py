"""The labelled corpus: every secret is caught, no harmless line is; and what it costs to know."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitstate.memory import formats, scanner, screening
from gitstate.memory.screening import Finding, is_suspect, screen, told
from gitstate.memory.text import unfit
from tests.memory.secrets_made_up import ALNUM, made, secrets

SECRETS = secrets()
HARMLESS = [
    line
    for line in (Path(__file__).parent / "harmless.txt").read_text("utf-8").split("\n")
    if line
]
PROSE = "# Notes\n\nThe parser fails at src/core/parser.ts:142 since 7ac8d86.\n\n"
# those of the scanner that find what state is full of, or what we judge ourselves
LEFT_OUT = frozenset(
    {"basic_auth", "high_entropy_strings", "ip_public", "keyword", "private_key"}
)


def test_the_corpus_is_as_large_as_it_says() -> None:
    assert len(SECRETS) >= 60
    assert len({value for _, value in SECRETS.values()}) == len(SECRETS)
    assert len(set(HARMLESS)) == len(HARMLESS) >= 200


@pytest.mark.parametrize("kind", SECRETS)
def test_every_secret_is_caught(kind: str) -> None:
    text, value = SECRETS[kind]

    found = screen(f"{PROSE}{text}\n\nnext: rotate it\n".encode())

    assert found
    first = len(PROSE.split("\n"))
    assert {item.line for item in found} <= set(range(first, first + 20))
    assert value not in told(found)
    assert all(value not in item.kind and value not in item.mark for item in found)


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_caught_wherever_it_stands(kind: str) -> None:
    text, _ = SECRETS[kind]
    for around in ("{}", "\r\n{}\r\n", "  > {}", "- [ ] {}", "1. x\n   {}\n", "\t{} "):
        assert screen(around.replace("{}", text).encode()), around


@pytest.mark.parametrize("line", HARMLESS)
def test_no_harmless_line_is_held(line: str) -> None:
    assert screen(f"{PROSE}{line}\nmore\n".encode()) == ()
    assert screen(line.encode()) == ()


def test_all_harmless_lines_at_once_are_harmless() -> None:
    assert screen("\n".join(HARMLESS).encode()) == ()


def test_this_repository_has_no_secret_in_it() -> None:
    """Code, prose about secrets, ids: the largest harmless text at hand."""
    import gitstate  # noqa: PLC0415 what is installed

    texts = [
        path.read_bytes()
        for folder in (Path(gitstate.__file__).parent, Path(__file__).parents[1])
        for path in folder.rglob("*")
        if path.suffix in {".py", ".md", ".txt", ".1", ".json"}
    ]
    assert len(texts) > 100
    found = [
        (text.split(b"\n")[item.line - 1], item)
        for text in texts
        for item in screen(text)
    ]
    assert found == []


def test_what_is_found_is_told_by_line_and_kind() -> None:
    key = "AK" + "IA" + made(16, "ABCDEFGHIJ234567", 900)
    text = f"one\n{key} and {key}\nthree\nDB_PASSWORD={made(20, ALNUM, 901)}\n".encode()

    found = screen(text)

    assert [(item.line, item.kind) for item in found] == [
        (2, "AWS Access Key"),
        (4, "credential"),
    ]
    assert (
        told(found) == "holds secrets: AWS Access Key in line 2, credential in line 4"
    )
    assert told(found[:1]) == "holds a secret: AWS Access Key in line 2"
    many = tuple(Finding(line, "x", str(line)) for line in range(1, 9))
    assert told(many) == "holds secrets: x in line 1, x in line 2, x in line 3, 5 more"


def test_a_mark_is_of_the_value_alone() -> None:
    def marks(text: str) -> list[str]:
        return [item.mark for item in screen(text.encode())]

    one, two = ("gh" + f"p_{made(36, ALNUM, seed)}" for seed in (910, 911))
    assert marks(f"a {one}\n") == marks(f"x\ny\nmoved: {one} (still)\n")
    assert marks(one) != marks(two)
    blocks = [SECRETS["private key RSA"][0], SECRETS["private key, half"][0]]
    assert len({mark for block in blocks for mark in marks(block)}) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", mark) for mark in marks(one))


# --- the cheap search before the scanner -------------------------------------------


def _loads_scanner(text: str) -> bool:
    """Does a process of its own load the scanner for this text."""
    program = (
        "import sys; from gitstate.memory.screening import screen;"
        "screen(sys.stdin.buffer.read()); print('detect_secrets' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.strip() == b"True"


def test_the_scanner_is_loaded_only_where_it_has_something_to_judge() -> None:
    assert not _loads_scanner(PROSE)
    assert _loads_scanner(SECRETS["github ghp"][0])


def test_prose_is_no_suspect() -> None:
    suspects = [line for line in HARMLESS if is_suspect(line.encode())]
    assert len(suspects) < len(HARMLESS) / 6, suspects


def test_every_detector_of_the_scanner_is_used_or_left_out_on_purpose() -> None:
    spec = importlib.util.find_spec("detect_secrets.plugins")
    assert spec is not None
    modules = {
        found.name for found in pkgutil.iter_modules(spec.submodule_search_locations)
    }
    assert modules - {"base"} == set(scanner.DETECTORS) | LEFT_OUT
    assert len(scanner.detectors()) == len(scanner.DETECTORS)
    assert re.fullmatch(r"\d+\.\d+.*", scanner.version())


PATTERNS = [
    pytest.param(pattern, id=f"{type(detector).__name__}-{at}")
    for detector in scanner.detectors()
    for at, pattern in enumerate(detector.denylist)
]
PRINTABLE = st.characters(min_codepoint=33, max_codepoint=126)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_search_loses_nothing_that_a_detector_would_find(
    pattern: re.Pattern[str],
) -> None:
    """Each text that a pattern of the scanner matches is looked at by the scanner.

    But for a value that is shorter than any issuer's key, and for marks in a case that
    the issuer does not write them in.
    """

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(pattern, fullmatch=True, alphabet=PRINTABLE | st.just(" ")))
    def holds(text: str) -> None:
        text = text.lower() if pattern.flags & re.IGNORECASE else text
        found = pattern.search(text)
        if found is None:
            return
        value = max(
            (part for part in found.groups() if part), key=len, default=found[0]
        )
        value = value if len(value) > 3 else found[0]  # a group may be the mark alone
        value = max(re.findall(r"[\w+/=.:-]+", value), key=len)
        if len(value) < formats.SHORTEST or re.fullmatch("[0-9a-f:]+", value):
            return
        data = f"- {text} .\n".encode()
        words = formats.long_words(data)
        assert (
            list(formats.matches(formats.SUSPECTS, data, words))
            or list(formats.named_matches(data, words))
            or list(formats.matches(formats.FORMATS, data, words))
        )

    holds()


@given(st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_whatever_the_bytes_nothing_breaks(data: bytes) -> None:
    assert isinstance(screen(data), tuple)
    assert screen(data + b" \n") is not None


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_a_secret_is_found_in_any_text(text: str) -> None:
    value, _ = SECRETS["github gho"]
    data = f"{text}\n{value}\n{text}".encode("utf-8", "replace")
    line = f"{text}\n".encode("utf-8", "replace").count(b"\n") + 1
    assert line in {item.line for item in screen(data)}


# --- what is no text ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", None),
        (b"plain\n", None),
        ("漢字 🎉 \u202e".encode(), None),
        (b"\x1b[31m\x7f\x01", None),
        (b"a\nb\0c", "not a text: a NUL byte in line 2"),
        (b"\0", "not a text: a NUL byte in line 1"),
        (b"ok\n\nlatin \xe9t\xe9\n", "not UTF-8: byte 0xe9 in line 3"),
        ("x".encode("utf-16"), "not a text: a NUL byte in line 1"),
        ("é".encode()[:1], "not UTF-8: byte 0xc3 in line 1"),
        (b"\xed\xa0\x80", "not UTF-8: byte 0xed in line 1"),
    ],
)
def test_what_is_no_text_is_said_with_its_line(data: bytes, reason: str | None) -> None:
    assert unfit(data) == reason


def test_the_set_of_rules_has_a_name() -> None:
    assert screening.detectors() == f"{screening.RULES}/{scanner.version()}"

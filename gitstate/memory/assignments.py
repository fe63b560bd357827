"""Credentials that are assigned to a name: ``DB_PASSWORD=…``, ``"apiKey": "…"``; pure.

The scanner's own keyword detector takes prose for credentials ("the token: base64url")
and needs quadratic time on a long line. Here a name is looked for, the value that belongs to
it, and how both are written; ``values`` says whether that is a credential.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.memory.values import Said, is_credential

if TYPE_CHECKING:
    from collections.abc import Iterator

# Patterns are compiled where they are used, but for those that every text is searched with.
#
# Of the text in lower case, with no group in it: so it costs 13 µs for 2 KB; a pattern
# that ignores case, or begins with a group, five times that.
_STEM = re.compile(
    rb"passwo?r?[dt]|passphrase|passcode|pass(?![a-z])|pwd|secret|token|credential|key|"
    + "密码|口令|密钥|令牌".encode()
)
_OF_KEYS = tuple(
    b"api access auth private encryption signing account master secret".split()
)
_OTHER = frozenset(
    (b"secret", b"token", b"credential", b"key", "密钥".encode(), "令牌".encode())
)
# what may follow in the same name: SECRET_KEY_BASE, passwordProd, token2
_REST = re.compile(
    rb"s?(?:_?key(?:_?base)?|_?value|_?(?:production|prod|dev|test|staging|live|root|admin)|_?[0-9]{1,2})?"
    rb"(?![a-z0-9_-])"
)
_VALUE = (
    rb"(?:(?P<quote>[\"'`])(?P<quoted>[!-~]{4,256}?)(?P=quote)"
    rb"|[\"'`]?(?P<bare>[!#-&(-;=-_a-{}~]{4,256}))"
)
_WIDE = "：|＝|→".encode()  # noqa: RUF001 as people type them
_TAIL = re.compile(
    # `password: str = "…"`, then the plain forms
    rb"[\\\"'`*\])]{0,4}[ \t]{0,8}"
    rb"(?::[ \t]*[A-Za-z_][\w.\[\]| ]{0,30}?[ \t]*(?P<typed>=)"
    rb"|(?P<sep>:=|=>|={1,3}|::?|->|\||>|" + _WIDE + rb"))"
    rb"[ \t]{0,8}\*{0,2}[ \t]{0,2}\\{0,3}" + _VALUE
)
_SAID = re.compile(
    rb"(?i:[ \t]+is:?[ \t]+|[ \t]*" + "(?:是|为)".encode() + rb"[ \t]*)" + _VALUE
)
_GAP = re.compile(rb"[ \t]+" + _VALUE)
_BEARER = rb"(?i:\b(?:bearer|basic|token)[ \t]+)" + _VALUE
_USER = rb"(?:[ \t]-u[ \t]*|--user[ =])[\"']?[\w.@+-]{1,64}:" + _VALUE
_IDENTIFIED = rb"(?i:identified[ \t]+by[ \t]+)" + _VALUE
_SSHPASS = rb"sshpass[ \t]+-p[ \t]*" + _VALUE
_SPOKEN = (
    ((b"bearer", b"authorization"), _BEARER),
    ((b" -u", b"--user"), _USER),
    ((b"identified",), _IDENTIFIED),
    ((b"sshpass",), _SSHPASS),
)
_NAME_BEFORE = rb"[A-Za-z0-9_.\-]{0,64}$"

# names in which such a word is an id or a mark of a position
_NO_CREDENTIAL = (
    rb"(?i:.*(?:change|request|verif\w*|update|idempoten\w*|pagination|sequence|resume|"
    rb"page|next|prev|csrf|xsrf|sync|cancel\w*|continu\w*|lock|cursor|max|min|num|public|"
    rb"nonce|pad|stop|eos|bos|unk|sep|mask|start|end|first|last|lex\w*|parse\w*)[_\-.]?)"
)
_STRIP = b".,;:!?)]}*_`'\"\\"
_MOST_STEMS = 4
_STOPS = frozenset((b"", b".", b",", b";", b"\n", b"!", b"/"))


def assigned(text: bytes) -> Iterator[tuple[int, int]]:
    """Where the values are that look like credentials: start and end."""
    lower = text.lower()
    run, seen = 0, 0  # one unbroken word is not judged from each stem in it
    for stem in _STEM.finditer(lower):
        seen = seen + 1 if stem.start() < run else 0
        if seen > _MOST_STEMS:
            continue
        end = _name_end(lower, stem)
        tail = None if end is None else _tail(text, stem.start(), end)
        if tail is None or end is None:
            continue
        found, code = tail
        run = max(run, found.end())
        before = _name_before(text, stem.start())
        start, value, quoted = _value(found)
        said = Said(
            password=stem[0] not in _OTHER,
            code=code or quoted or _is_api_key(lower, stem),
            compound=bool(before) or end > stem.end() or stem[0] == b"key",
            quoted=quoted,
            token=stem[0] == b"token",
        )
        if not re.fullmatch(_NO_CREDENTIAL, before) and is_credential(value, said):
            yield start, start + len(value)
    yield from _spoken(text, lower)


def _spoken(text: bytes, lower: bytes) -> Iterator[tuple[int, int]]:
    """The values after ``Bearer``, ``curl -u name:`` and their like."""
    for words, pattern in _SPOKEN:
        if not any(word in lower for word in words):
            continue
        flag = pattern is not _BEARER
        for found in re.finditer(pattern, text):
            start, value, quoted = _value(found)
            said = Said(password=flag, code=flag, compound=True, quoted=quoted)
            if is_credential(value, said):
                yield start, start + len(value)


def _name_end(lower: bytes, stem: re.Match[bytes]) -> int | None:
    """Where the name ends that a stem stands in; ``None`` where it names something else."""
    rest = _REST.match(lower, stem.end())
    if rest is None:
        return None
    if stem[0] == b"key":
        owner = lower[max(0, stem.start() - 12) : stem.start()].rstrip(b"_- ")
        if not owner.endswith(_OF_KEYS):
            return None
    elif stem[0] == b"pass" and not lower[: stem.start()].endswith((b"_", b"-")):
        return None  # DB_PASS, and no count of tests
    return rest.end()


def _is_api_key(lower: bytes, stem: re.Match[bytes]) -> bool:
    """A name that nobody gives to anything else, in a sentence either."""
    owner = lower[max(0, stem.start() - 8) : stem.start()].rstrip(b"_- ")
    return stem[0] == b"key" and owner.endswith((b"api", b"secret"))


def _name_before(text: bytes, at: int) -> bytes:
    found = re.search(_NAME_BEFORE, text[max(0, at - 64) : at])
    return found[0] if found else b""


def _tail(text: bytes, at: int, end: int) -> tuple[re.Match[bytes], bool] | None:
    """The value that may belong to the name at ``at``, and whether it is written as code."""
    if text[end : end + 1] in _STOPS:
        return None
    if text[end : end + 1] == b" " and text[end + 1 : end + 2].isalpha():
        # in a sentence, as nearly always: no mark of an assignment can follow
        found = _SAID.match(text, end) if text[end + 1 : end + 2] in b"iI" else None
        if found is not None:
            return found, False
    else:
        found = _TAIL.match(text, end)
        if found is not None:
            tight = text[end : end + 1] in {b"=", b'"', b"'"}
            code = bool(found["typed"]) or tight or found["sep"] in {b"=>", b":="}
            return found, code
        found = _SAID.match(text, end)
        if found is not None:
            return found, False
    if text[end : end + 1] == b" " and (
        text[max(0, at - 2) : at] == b"--" or _after_login(text, at)
    ):
        found = _GAP.match(text, end)
        return None if found is None else (found, True)
    return None


def _after_login(text: bytes, at: int) -> bool:
    """``machine … login … password``: the line of a .netrc."""
    line = text[max(0, at - 200) : at].rpartition(b"\n")[2]
    return line.startswith((b"machine ", b"default ")) or b" login " in line


def _value(found: re.Match[bytes]) -> tuple[int, bytes, bool]:
    if found["quoted"] is not None:
        return found.start("quoted"), found["quoted"].rstrip(b"\\"), True
    return found.start("bare"), found["bare"].rstrip(_STRIP), False

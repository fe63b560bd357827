"""Credentials that are assigned to a name: ``DB_PASSWORD=…``, ``"apiKey": "…"``; pure.

The scanner's own keyword detector takes prose for credentials ("the token: base64url")
and needs quadratic time on a long line. Here a value counts by how it looks and by how it is
said: what is written as code or configuration needs less evidence than a sentence.
Ids, hashes, paths, names of algorithms, placeholders and references to a variable or a
vault never count; nor do words without a digit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Patterns are compiled where they are used, but for those that every text is searched with.
#
# Of the text in lower case, with no group in it: so it costs 13 µs for 2 KB; a pattern
# that ignores case, or begins with a group, five times that.
_STEM = re.compile(
    rb"passwo?r?d|passphrase|passcode|pass(?![a-z])|pwd|secret|token|credential|key|"
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

_HEX = rb"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)"
_UUID = rb"(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_WORDS = (
    rb"(?:[A-Z]?[a-z]{2,}[0-9]{0,4}|[A-Z]{1,}[0-9]{0,4}|[0-9]+[A-Za-z]{0,4}|[a-z][0-9]{0,3}"
    rb"|[a-z]{2,12}[0-9]{1,4}[a-z]{1,12})"
)
_CAMEL = (
    rb"[A-Z]{0,4}[a-z]{2,}[0-9]{0,4}(?:[A-Z]{1,4}[a-z]{2,}[0-9]{0,4}|[A-Z]{2,4}[0-9]{0,3})*"
    rb"|[A-Z]{1,3}[a-z]{0,2}[0-9]{1,5}(?:[A-Z][a-z]{2,}[0-9]{0,3})+"  # X25519PrivateKey
)
_PARTS = rb"[-_./:,+&=#@~]+"
_ALGORITHM = (
    rb"(?i:(?:sha|md|aes|rsa|hs|rs|es|ps|ed|x|utf|base|hmac|hmacsha|argon|bcrypt|scrypt|pbkdf|"
    rb"oauth|http|tls|ssl|v|ipv|utf|step|line|row|col|field|arg|param|page|day|week|min|max|len|"
    rb"length|d|i|h|s|p|issue|pr|version|python|es|node|uuidv?|test|item|option|type|level)"
    rb"[-_]?[0-9]+[a-z]{0,5})"
)
_REFERENCE = (
    rb"[$%{<\[(!&*@]|\.\.|(?i:arn:|vault:|op:|ssm:|enc[\[(]|env[.:(\[]|file:|keychain|"
    rb"process\.|os\.|secrets?\.|settings?\.|config\.|self\.|this\.|http|sha256:|blob:?|ref:)"
)
_PLACEHOLDER = (
    rb"(?i:.*(?:your[-_]?|my[-_]?(?:secret|token|key|pass)|example|placeholder|redacted|changeme|"
    rb"change[-_]me|dummy|insert|replace|todo|tbd|xxx|\*\*\*|\.\.\.|<|>|\$\{|\{\{|hidden|masked|none$|"
    rb"null$|undefined|secret[-_]?here|here$|abc123$|goes))"
)
# names in which such a word is an id or a mark of a position
_NO_CREDENTIAL = (
    rb"(?i:.*(?:change|request|verif\w*|update|idempoten\w*|pagination|sequence|resume|page|next|prev|csrf|xsrf|sync|cancel\w*|continu\w*|lock|cursor|max|min|num|public|"
    rb"nonce|pad|stop|eos|bos|unk|sep|mask|start|end|first|last|lex\w*|parse\w*)[_\-.]?)"
)
_SAMPLE = frozenset(
    (b"pass", b"password", b"passwd", b"pwd", b"pw", b"secret", b"token")
)
_SHORTEST, _LONG, _SHORTEST_KEY = 6, 10, 12  # characters of a value
_LONG_WORD = 16  # no common word is so long
_FEW = 2
_DIGITS, _UPPER, _LOWER = (
    frozenset(part)
    for part in (
        b"0123456789",
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        b"abcdefghijklmnopqrstuvwxyz",
    )
)
_SPECIAL = frozenset(b"!@#$%^&*?~+=;,|")
_STRIP = b".,;:!?)]}*_`'\"\\"
_LONG_HEX = 32
_MOST_STEMS = 4
_STOPS = frozenset((b"", b".", b",", b";", b"\n", b"!", b"/"))


class _Said(NamedTuple):
    """How a value is said: its name, and the writing around it.

    ``code``: as code or configuration, not as a sentence. ``compound``: the name has
    more than the one word. ``token``: it says so, which a request's id does, too.
    """

    password: bool
    code: bool
    compound: bool
    quoted: bool
    token: bool = False


class _Looks(NamedTuple):
    """How many characters of a kind a value has."""

    digits: int
    upper: int
    lower: int
    special: int

    @property
    def letters(self) -> int:
        return self.upper + self.lower

    @classmethod
    def of(cls, value: bytes) -> _Looks:
        digits = sum(byte in _DIGITS for byte in value)
        upper = sum(byte in _UPPER for byte in value)
        lower = sum(byte in _LOWER for byte in value)
        return cls(digits, upper, lower, sum(byte in _SPECIAL for byte in value))


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
        said = _Said(
            password=stem[0] not in _OTHER,
            code=code or quoted,
            compound=bool(before) or end > stem.end() or stem[0] == b"key",
            quoted=quoted,
            token=stem[0] == b"token",
        )
        if not re.fullmatch(_NO_CREDENTIAL, before) and _counts(value, said):
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
            said = _Said(password=flag, code=flag, compound=True, quoted=quoted)
            if _counts(value, said):
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


def _counts(value: bytes, said: _Said) -> bool:
    """Is the value a credential, by its looks and by how it is said."""
    if len(value) < _SHORTEST or is_placeholder(value) or _is_code(value):
        return False
    if re.fullmatch(_HEX, value) or re.fullmatch(_UUID, value):
        return _is_secret_id(value, said)
    if _is_random(value):
        return True
    if said.password:
        return _is_password(value, said)
    looks = _Looks.of(value)
    enough = looks.digits >= _FEW and looks.letters >= 2 * _FEW and len(value) >= _LONG
    return said.code and said.compound and enough and not is_words(value)


def _is_secret_id(value: bytes, said: _Said) -> bool:
    """Is what looks like any id one that opens something, by its name."""
    if value.isdigit():
        return said.password and said.code
    if b"-" in value and said.token:  # of a request
        return False
    return said.code and said.compound and len(value) >= _LONG_HEX


def _is_password(value: bytes, said: _Said) -> bool:
    """Is it what people take for a password: a word with something odd in it."""
    looks = _Looks.of(value)
    mixed = looks.digits > 0 and looks.letters > 0
    odd = mixed or (looks.letters and said.code and said.quoted)
    if looks.special and odd and not is_words(value):
        return True
    if len(re.split(_PARTS, value)) > 1:
        return False
    if said.code:
        return mixed or (said.quoted and len(value) >= _LONG_WORD)
    return mixed and not value[:1].isdigit()


def _is_code(value: bytes) -> bool:
    """A call, an element of a list, a pattern, a URL (judged itself), an algorithm's name."""
    called = re.match(rb"[A-Za-z_][\w.]*[(\[]", value) or b"(" in value
    return bool(
        called or b"\\" in value or b"://" in value or re.fullmatch(_ALGORITHM, value)
    )


def is_placeholder(value: bytes) -> bool:
    """Does a value stand for another one: ``${PASS}``, ``<password>``, ``your-token``."""
    return (
        bool(re.match(_REFERENCE, value) or re.match(_PLACEHOLDER, value))
        or value.lower() in _SAMPLE
    )


def _is_random(value: bytes) -> bool:
    """Letters and digits mixed as no person, path or name mixes them."""
    if len(value) < _SHORTEST_KEY or is_words(value):
        return False
    looks = _Looks.of(value)
    if len(value) >= _LONG_WORD:
        # no name has two cases and a single digit in its midst
        mixed = min(looks.upper, looks.lower) >= _FEW
        return looks.digits >= (1 if mixed else _FEW) and looks.letters >= 2 * _FEW
    return looks.digits >= _FEW and looks.upper > 0 and looks.lower >= _FEW


def is_words(value: bytes) -> bool:
    """A path, a slug, a dotted or camel-cased name: its parts are words and numbers."""
    parts = [part for part in re.split(_PARTS, value) if part]
    if len(parts) == 1:
        return re.fullmatch(_CAMEL, parts[0]) is not None and not _ends_in_years(
            parts[0]
        )
    return all(
        re.fullmatch(_WORDS, part)
        or re.fullmatch(_CAMEL, part)
        or re.fullmatch(_HEX, part)
        for part in parts
    )


def _ends_in_years(value: bytes) -> bool:
    """Summer2024: a word with a number behind it, as people make passwords."""
    return re.fullmatch(rb"[A-Za-z]+[0-9]{2,}", value) is not None

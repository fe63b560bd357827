"""Is a value a credential, by its looks and by how it is said; pure.

What is written as code or configuration needs less evidence than a sentence. Ids, hashes,
paths, names of algorithms, placeholders and references to a variable or a vault never
count; nor do words without a digit.
"""

from __future__ import annotations

import re
from typing import NamedTuple

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
    rb"[${<\[(]|%[\w(]|[!&*@][A-Za-z_|-]+$|\.\.|(?i:arn:|vault:|op:|ssm:|enc[\[(]|env[.:(\[]|file:|keychain|"
    rb"process\.|os\.|secrets?\.|settings?\.|config\.|self\.|this\.|http|sha256:|blob:?|ref:)"
)
_PLACEHOLDER = (
    rb"(?i:.*(?:your[-_]?|my[-_]?(?:secret|token|key|pass)|placeholder|redacted|changeme|"
    rb"change[-_]me|dummy|insert|replace|todo|tbd|xxx|\*\*\*|\.\.\.|<|>|\$\{|\{\{|hidden|masked|none$|"
    rb"null$|undefined|secret[-_]?here|here$|abc123$|goes))"
)
_ADDRESS = rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_STRONG = frozenset(b"!@$%^*")
_SAMPLE = frozenset(
    (b"pass", b"password", b"passwd", b"pwd", b"pw", b"secret", b"token")
)
_SHORTEST, _LONG, _SHORTEST_KEY = 6, 10, 12  # characters of a value
_LONG_WORD = 16  # no common word is so long
_LONGEST_WORD = 24
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
_LONG_HEX = 32


class Said(NamedTuple):
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


def is_credential(value: bytes, said: Said) -> bool:
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
    if said.code and (said.compound or said.quoted) and enough and not is_words(value):
        return True
    one_word = value.isalpha() and (value.islower() or value.isupper())
    return said.code and said.compound and one_word and len(value) >= _LONGEST_WORD


def _is_secret_id(value: bytes, said: Said) -> bool:
    """Is what looks like any id one that opens something, by its name."""
    if value.isdigit():
        return said.password and said.code
    if b"-" in value and said.token:  # of a request
        return False
    return said.code and said.compound and len(value) >= _LONG_HEX


def _is_password(value: bytes, said: Said) -> bool:
    """Is it what people take for a password: a word with something odd in it."""
    looks = _Looks.of(value)
    mixed = looks.digits > 0 and looks.letters > 0
    odd = mixed or (looks.letters and said.code and said.quoted)
    if looks.special and odd and not re.fullmatch(_ADDRESS, value):
        if mixed and any(byte in _STRONG for byte in value) and b"/" not in value:
            return True
        if not is_words(value):
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
    if re.match(_REFERENCE, value) or re.match(_PLACEHOLDER, value):
        return True
    # but for the keys in AWS's documentation, which are like any other
    example = b"example" in value.lower() and len(value) < _LONG_HEX
    return example or value.lower() in _SAMPLE


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

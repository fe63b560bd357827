"""Which secrets a text holds, asked before its bytes enter history; pure.

Asked for each file whose bytes are new. A text is first searched for what a credential has to hold at least (``formats``, ``assignments``): that
costs some microseconds for a file of 2 KB and is all that happens to nearly every one.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.memory import assignments, formats, scanner, values

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = "2"  # counts up with every change of what is found here
_BEFORE, _AFTER = 256, 2048  # bytes of a long line around a suspect
_MOST = 200  # findings of one text
_NAMED = 3

_URL = (
    rb"://(?P<user>[^\s/:@\"'`<>]{0,64}):(?P<value>[^\s/\"'`<>]{4,128})@[\w\[]"
    rb"|://(?P<alone>[A-Za-z0-9_-]{20,255})@\w"
)
_VERSION = rb"v?[0-9]+(?:\.[0-9]+)*(?:-[a-z0-9]+)?"
_HEADER = (
    rb"-{2,5} ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{2,5}"
    rb"|(?m:^PuTTY-User-Key-File-[0-9]: \S+)"
)
_LINES = rb"(?:\\r)?\\n|\r?\n"
_FIELD = rb"[A-Za-z][A-Za-z-]*: ?\S"
_BODY = rb"[A-Za-z0-9+/=]{8,}\\?"
_AROUND = b" \t>|#*/\"'`+,;"
_LONG_BODY = 16
_BLOCK = 8192
_BLANK = rb"[xX*0._\-=+/]{8,}$|[xX]{8}|\*{4}|\.{3}"
_PRIVATE_KEY = "private key"
_SLUG_PARTS, _SLUG_PART = 3, 14


class Finding(NamedTuple):
    """A secret: its line (from 1), what it is, and a mark that only its value has."""

    line: int
    kind: str
    mark: str


def detectors() -> str:
    """The name of the set of rules, the scanner's included; a verdict holds only for one."""
    return f"{RULES}/{scanner.version()}"


def is_suspect(data: bytes) -> bool:
    """Can there be a secret at all; false for nearly every text."""
    return next(_suspects(data), None) is not None


def screen(data: bytes) -> tuple[Finding, ...]:
    """The secrets in a text, by line; none for the same bytes is none for ever.

    Loads the scanner where the text has something for it.
    """
    if not is_suspect(data):
        return ()
    spans = sorted(_certain(data))
    spans += _scanned(data)
    for start, end in assignments.assigned(data):
        if not any(low < end and start < high for low, high, _ in spans):
            spans.append((start, end, "credential"))
    found: dict[tuple[int, str], Finding] = {}
    for start, end, kind in sorted(spans):
        value = data[start:end]
        if kind == _PRIVATE_KEY:  # the same one in a quotation, or inside JSON
            value = re.sub(rb"\\\\[nr]|[^A-Za-z0-9+/=]", b"", value)
        mark = hashlib.sha256(value).hexdigest()[:32]
        line = data.count(b"\n", 0, start) + 1
        found.setdefault((line, mark), Finding(line, kind, mark))
        if len(found) >= _MOST:
            break
    return tuple(found.values())


def told(findings: tuple[Finding, ...]) -> str:
    """Findings as the reason of a file that is held; never a value."""
    seen = list(dict.fromkeys((item.kind, item.line) for item in findings))
    named = [f"{kind} in line {line}" for kind, line in seen[:_NAMED]]
    more = len(seen) - _NAMED
    if more > 0:
        named.append(f"{more} more")
    return f"holds {'a secret' if len(seen) == 1 else 'secrets'}: {', '.join(named)}"


def _suspects(data: bytes) -> Iterator[object]:
    words = formats.long_words(data)
    yield from formats.matches(formats.FORMATS, data, words)
    yield from formats.matches(formats.SUSPECTS, data, words)
    yield from formats.named_matches(data, words)
    if b"://" in data:
        yield from re.finditer(_URL, data)
    if b"PRIVATE KEY" in data or b"PuTTY-User-Key" in data:
        yield from re.finditer(_HEADER, data)
    yield from assignments.assigned(data)


def _certain(data: bytes) -> Iterator[tuple[int, int, str]]:
    """What needs no scanner: start, end, kind."""
    words = formats.long_words(data)
    for kind, start, end in formats.matches(formats.FORMATS, data, words):
        value = data[start:end]
        if not re.search(_BLANK, value) and not _is_slug(value):
            yield start, end, kind
    for found in re.finditer(_URL, data):
        name = "alone" if found["alone"] else "value"
        if _is_password(found[name], alone=name == "alone", text=data, end=found.end()):
            yield *found.span(name), "credentials in a URL"
    for header in re.finditer(_HEADER, data):
        last = _key_end(data, header)
        if last is not None:
            yield header.start(), last, _PRIVATE_KEY


def _is_password(value: bytes, *, alone: bool, text: bytes, end: int) -> bool:
    """Is what stands before a URL's @ a secret, and no placeholder, version or word."""
    if values.is_placeholder(value) or re.search(_BLANK, value):
        return False
    if alone:
        return not values.is_words(value)
    # docker://alpine:3.19@sha256:…
    pinned = text[end - 1 : end + 10].startswith((b"sha256:", b"sha512:"))
    return not (pinned and re.fullmatch(_VERSION, value))


def _key_end(data: bytes, header: re.Match[bytes]) -> int | None:
    """Where a private key ends; ``None`` where only its header is spoken of."""
    if header[0].startswith(b"PuTTY"):
        return min(len(data), header.end() + _BLOCK)
    start = data.rfind(b"\n", 0, header.start()) + 1
    alone = not data[start : header.start()].strip(_AROUND)
    rest = data[header.end() : header.end() + _BLOCK]
    stop = min(
        (at for at in (rest.find(b"END "), rest.find(b"BEGIN ")) if at >= 0), default=-1
    )
    lines = re.split(_LINES, rest[:stop] if stop >= 0 else rest)
    alone = alone and not lines[0].strip(_AROUND)
    seen = False
    for number, line in enumerate(lines):
        text = line.strip(_AROUND)
        if not text or re.match(_FIELD, text):
            continue
        seen = True
        if re.fullmatch(_BODY, text) and (
            len(text) >= _LONG_BODY or (alone and number)
        ):
            return header.end() + (stop if stop >= 0 else len(rest))
        break
    if alone and not seen and stop < 0:  # its other half is not written yet
        return header.end()
    return None


def _scanned(data: bytes) -> list[tuple[int, int, str]]:
    """What the scanner finds around the suspects: start, end, kind."""
    words = formats.long_words(data)
    spans = [*formats.matches(formats.SUSPECTS, data, words)]
    spans += formats.named_matches(data, words)
    found: list[tuple[int, int, str]] = []
    covered = -1
    for _, start, end in sorted(spans, key=lambda span: span[1:]):
        if end <= covered:
            continue
        if len(found) >= _MOST:
            break  # it is held whatever else it has
        first = max(data.rfind(b"\n", 0, start) + 1, start - _BEFORE)
        newline = data.find(b"\n", end)
        last = min(len(data) if newline < 0 else newline, end + _AFTER)
        covered = last if last == newline or last == len(data) else end + _AFTER // 2
        line = data[first:last].decode("utf-8", "surrogateescape")
        for kind, value, low, high in scanner.found_in(line):
            if _is_noise(kind, value, line[:low], line[high:]):
                continue
            at = first + len(line[:low].encode("utf-8", "surrogateescape"))
            length = len(line[low:high].encode("utf-8", "surrogateescape"))
            found.append((at, at + length, kind))
    return found


def _is_noise(kind: str, value: str, before: str, after: str) -> bool:  # noqa: PLR0911 one line a kind
    """Is what a detector found something else that state is full of."""
    raw = value.encode("utf-8", "surrogateescape")
    if re.search(_BLANK, raw):
        return True
    digits = sum(char.isdigit() for char in value)
    joined = before[-1:].isalnum() or after[:1].isalnum()
    if kind == "Artifactory Credentials":  # APBackgroundTask
        return digits < 2  # noqa: PLR2004 words have one
    if kind == "AWS Access Key":
        if value.startswith(("A3T", "ABIA", "ACCA", "AKIA", "ASIA")):
            # a run of capitals
            return any(
                side.isdigit() or side.isupper() for side in (before[-1:], after[:1])
            )
        return re.fullmatch("[0-9a-f]+", value) is not None  # a commit's id in quotes
    if kind == "Telegram Bot Token":  # a time and a commit's id
        return joined or re.fullmatch("[0-9a-f]+", value.partition(":")[2]) is not None
    if kind == "Discord Bot Token":  # Some_module.method.some_other_name
        return digits < 3  # noqa: PLR2004 a token of 59 has ten
    if kind in {"Mailchimp Access Key", "Twilio API Key"}:
        return joined or digits == 0
    if kind == "IBM Cloud IAM Key":
        return digits < 2 or values.is_words(raw)  # noqa: PLR2004 a slug
    if kind == "GitLab Token":
        return _is_slug(raw)
    return False


def _is_slug(value: bytes) -> bool:
    """Words joined by dashes, as in the name of a branch."""
    parts = re.split(rb"[-_.]", value)
    short = all(len(part) <= _SLUG_PART for part in parts)
    return len(parts) > _SLUG_PARTS and short and values.is_words(value)

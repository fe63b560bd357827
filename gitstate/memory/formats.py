"""The looks of credentials: what their issuers put at the front; pure.

Two tables. ``FORMATS`` are formats that the scanner does not know (or knows in an older
form): what matches is one. ``SUSPECTS`` are as wide as the scanner's own detectors and
never narrower (tests/memory holds that against each detector's pattern): only where one
matches is the scanner loaded, which costs a process 100 ms and 7 MiB.

No key is shorter than ``SHORTEST``, and state has few words so long: ids, hashes, paths.
So each row's pattern is tried only where one of its literals stands in such a word that is
neither (``long_words``): one pass over the text, some 20 µs for 2 KB.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Format(NamedTuple):
    """One look: its literals, its pattern (``kind`` says what it is, in words)."""

    kind: str
    literals: tuple[bytes, ...]
    pattern: bytes  # compiled where it is tried: all of them would cost 15 ms


def _format(kind: str, pattern: bytes, *literals: bytes) -> Format:
    return Format(kind, literals, pattern)


_EDGE = rb"(?<![A-Za-z0-9])"

FORMATS = (
    _format("GitHub token", rb"github_pat_[A-Za-z0-9_]{36,}", b"github_pat_"),
    _format(
        "API key (sk-)",
        # OpenAI, Anthropic, OpenRouter, DeepSeek, …: never words joined by dashes
        _EDGE + rb"sk-(?:[a-z0-9]{2,8}-){0,3}(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}",
        b"sk-",
    ),
    _format("Groq API key", _EDGE + rb"gsk_[A-Za-z0-9]{40,}", b"gsk_"),
    _format("Hugging Face token", _EDGE + rb"hf_[A-Za-z0-9]{30,}", b"hf_"),
    _format("Replicate token", _EDGE + rb"r8_[A-Za-z0-9]{37}", b"r8_"),
    _format("Perplexity API key", _EDGE + rb"pplx-[A-Za-z0-9]{40,}", b"pplx-"),
    _format("xAI API key", _EDGE + rb"xai-[A-Za-z0-9]{60,}", b"xai-"),
    _format("LangSmith key", rb"lsv2_(?:pt|sk)_[a-f0-9]{32}", b"lsv2_"),
    _format("Google API key", rb"AIza[0-9A-Za-z_-]{35}", b"AIza"),
    _format("Google OAuth token", _EDGE + rb"ya29\.[0-9A-Za-z_-]{20,}", b"ya29."),
    _format("Google client secret", rb"GOCSPX-[0-9A-Za-z_-]{24,}", b"GOCSPX-"),
    _format("AWS session key", rb"FwoGZXIvYXdz[A-Za-z0-9/+=]{60,}", b"FwoGZXIvYXdz"),
    _format("Alibaba Cloud key", _EDGE + rb"LTAI[A-Za-z0-9]{12,30}", b"LTAI"),
    _format("Tencent Cloud key", _EDGE + rb"AKID[A-Za-z0-9]{32}", b"AKID"),
    _format(
        "Azure shared access key",
        rb"SharedAccessKey=[A-Za-z0-9+/]{40,}",
        b"SharedAccessKey=",
    ),
    _format("Azure shared access signature", rb"[?&]sig=[A-Za-z0-9%+/]{40,}", b"sig="),
    _format(
        "DigitalOcean token",
        rb"do[opr]_v1_[a-f0-9]{64}",
        *(b"doo_v1_", b"dop_v1_", b"dor_v1_"),
    ),
    _format("Shopify token", rb"shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}", b"shp", b"SHP"),
    _format("Docker token", rb"dckr_[op]at_[A-Za-z0-9_-]{24,}", b"dckr_"),
    _format("npm token", _EDGE + rb"npm_[A-Za-z0-9]{36}", b"npm_"),
    _format(
        "Slack token", rb"xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[A-Za-z0-9]{20,}", b"xapp-"
    ),
    _format("Slack token", rb"xoxe[.-][A-Za-z0-9.-]{20,}", b"xoxe"),
    _format("Stripe key", _EDGE + rb"[prs]k_(?:live|test)_[0-9a-zA-Z]{16,}", b"k_"),
    _format("Stripe webhook secret", rb"whsec_[A-Za-z0-9+/=]{24,}", b"whsec_"),
    _format("Square token", rb"sq0[a-z]{3}-[0-9A-Za-z_-]{22,}", b"sq0"),
    _format(
        "Vault token",
        _EDGE + rb"hv[bsr]\.[A-Za-z0-9_-]{24,}",
        b"hvb.",
        b"hvs.",
        b"hvr.",
    ),
    _format("Databricks token", _EDGE + rb"dapi[a-f0-9]{32}", b"dapi"),
    _format("Linear API key", rb"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", b"lin_"),
    _format(
        "Notion token", _EDGE + rb"(?:ntn|secret)_[A-Za-z0-9]{43,}", b"ntn_", b"secret_"
    ),
    _format(
        "Sentry token", rb"sntry[su]_[A-Za-z0-9_=+/-]{40,}", b"sntrys_", b"sntryu_"
    ),
    _format("Grafana token", rb"glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}", b"glsa_"),
    _format("Grafana token", rb"glc_eyJ[A-Za-z0-9+/=]{30,}", b"glc_"),
    _format("New Relic key", rb"NRA[KL]-[A-Z0-9]{26,}", b"NRAK-", b"NRAL-"),
    _format("Postman key", rb"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", b"PMAK-"),
    _format("age secret key", rb"AGE-SECRET-KEY-1[A-Z0-9]{50,}", b"AGE-SECRET-KEY-1"),
    _format("RubyGems key", rb"rubygems_[a-f0-9]{48}", b"rubygems_"),
    _format("crates.io token", _EDGE + rb"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", b"cio"),
    _format("NuGet key", _EDGE + rb"oy2[a-z0-9]{43}(?![A-Za-z0-9])", b"oy2"),
    _format("Facebook token", _EDGE + rb"EAA[A-Za-z0-9]{80,}", b"EAA"),
    _format("Figma token", rb"fig[dop][ur]?_[A-Za-z0-9_-]{36,}", b"fig"),
    _format("Pulumi token", _EDGE + rb"pul-[a-f0-9]{40}", b"pul-"),
    _format(
        "Terraform token",
        rb"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
        b".atlasv1.",
    ),
    _format(
        "Atlassian token",
        rb"AT(?:ATT|CTT|BB)[A-Za-z0-9_=-]{28,}",
        b"ATATT",
        b"ATCTT",
        b"ATBB",
    ),
    _format("Supabase token", rb"sb[p]_[a-f0-9]{40}", b"sbp_"),
    _format(
        "PlanetScale token", rb"pscale_[a-z]{2,6}_[A-Za-z0-9_.=-]{32,}", b"pscale_"
    ),
    _format(
        "Doppler token",
        _EDGE + rb"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}",
        b"dp.",
    ),
    _format("Airtable token", _EDGE + rb"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", b"pat"),
    _format("Tailscale key", rb"tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{16,}", b"tskey-"),
    _format("1Password token", rb"ops_eyJ[A-Za-z0-9_=-]{60,}", b"ops_eyJ"),
    _format("Brevo key", rb"xkeysib-[a-f0-9]{64}", b"xkeysib-"),
    _format(
        "chat webhook",
        rb"discord(?:app)?\.com/api/webhooks/[0-9]{10,}/[A-Za-z0-9_-]{40,}",
        b"/api/webhooks/",
    ),
    _format(
        "chat webhook",
        rb"webhook\.office\.com/webhookb2/[A-Za-z0-9@/-]{60,}",
        b"webhook.office.com/",
    ),
)

_SEP = rb"[\"']?\]? *(?:=>|:=|::|=|:| ) *[\"']?"

SUSPECTS = (
    _format("", rb"AKC[a-zA-Z0-9]{10}|AP[0-9A-F][a-zA-Z0-9]{8}", b"AKC", b"AP"),
    _format(
        "",
        rb"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}",
        *(b"A3T", b"ABIA", b"ACCA", b"AKIA", b"ASIA"),
    ),
    _format("", rb"AccountKey=[a-zA-Z0-9+/=]{88}", b"AccountKey="),
    _format("", rb"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}", b"."),
    _format(
        "",
        rb"gh[pousr]_[A-Za-z0-9_]{36}",
        *(b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
    ),
    _format(
        "",
        rb"(?:gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941)[A-Za-z0-9_-]{20}",
        *(b"glpat-", b"gldt-", b"glft-", b"glsoat-", b"glrt-", b"GR1348941"),
        *(b"glcbt-", b"glimt-", b"glptt-", b"glagent-", b"gloas-"),
    ),
    _format("", rb"(?<![A-Za-z0-9_=-])eyJ[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+", b"eyJ"),
    _format("", rb"[0-9a-z]{32}-us[0-9]", b"-us"),
    _format("", rb"T3BlbkFJ[A-Za-z0-9]{20}", b"T3BlbkFJ"),
    _format("", rb"pypi-AgE[A-Za-z0-9_-]{80}", b"pypi-AgE"),
    _format("", rb"SG\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}", b"SG."),
    _format("", rb"sq0csp-[0-9A-Za-z\\_-]{43}", b"sq0csp-"),
    _format("", rb"[rs]k_live_[0-9a-zA-Z]{24}", b"k_live_"),
    _format("", rb"(?<=[0-9]{8}):[0-9A-Za-z_-]{35}", b":"),
    _format("", rb"(?:AC|SK)[a-z0-9]{32}", b"AC", b"SK"),
    _format("", rb"(?i:xox[abpors]-[0-9])", b"xox", b"XOX", b"Xox"),
    _format(
        "", rb"(?i:hooks\.slack\.com/services/t[a-z0-9_])", b"slack.com", b"SLACK.COM"
    ),
)
# the same, of the text in lower case, where the name of the issuer stands before the key
NAMED_SUSPECTS = (
    _format("", rb"['\"][0-9a-z/+]{40}['\"]", b"aws"),
    _format("", rb"softlayer", b"softlayer"),
    _format("", rb":_authtoken=\s*(?:npm_|[a-f0-9-]{36})", b":_authtoken="),
    _format("", rb"https?://[a-z0-9_-]+:[0-9a-z]{24}", b"cloudant"),
    _format(
        "",
        rb"(?:cl(?:oudant|ou)?|sl)[_-]?(?:api)?(?:key|pwd|pw|pass|token)",
        *(b"cl", b"sl"),
    ),
    _format(
        "",
        rb"(?:key|pwd|pass|password|token)" + _SEP + rb"[a-z0-9_-]{44}",
        *(b"key", b"pwd", b"pass", b"token"),
    ),
    _format(
        "",
        rb"secret[-_]?(?:access)?[-_]?key" + _SEP + rb"[a-f0-9]{48}",
        b"secret",
    ),
)
SHORTEST = 16
_NAMED_SHORTEST = 24
_LONG = re.compile(rb"[A-Za-z0-9_+/=.:@%%~?&\\-]{%d,}" % SHORTEST)
_PLAIN = re.compile(rb"[0-9a-f:.-]+|(?:[a-z]{0,18}[_./-])*[a-z]{0,18}(?::[0-9-]+)?")


class Words(NamedTuple):
    """The long words of a text: those that can be a key, and the length of the longest."""

    odd: bytes
    longest: int


def long_words(text: bytes) -> Words:
    """The long words of a text, without ids, hashes and plain paths."""
    words = _LONG.findall(text)
    odd = [word for word in words if not _PLAIN.fullmatch(word)]
    return Words(b" ".join(odd), max(map(len, words), default=0))


def matches(
    table: tuple[Format, ...], text: bytes, words: Words
) -> Iterator[tuple[str, int, int]]:
    """Every place in ``text`` that looks like a row of ``table``: kind, start, end."""
    if not words.odd:
        return
    for kind, literals, pattern in table:
        for literal in literals:
            if literal in words.odd:
                for found in re.finditer(pattern, text):
                    yield kind, found.start(), found.end()
                break


def named_matches(text: bytes, words: Words) -> Iterator[tuple[str, int, int]]:
    """The same for ``NAMED_SUSPECTS``."""
    if words.longest < _NAMED_SHORTEST:
        return
    lower = text.lower()
    for kind, literals, pattern in NAMED_SUSPECTS:
        if any(literal in lower for literal in literals):
            for found in re.finditer(pattern, lower):
                yield kind, found.start(), found.end()

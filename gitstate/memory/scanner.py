"""The well-kept scanner: detect-secrets' own detectors of formats, loaded when needed.

Only their patterns run. Their checks against the issuer's server are never called: no
network. Its entropy detectors are left out (state is full of commit and blob ids), its
keyword detector (prose; see ``assignments``), its URLs and private keys (it takes an
example, and the mention of a header, for one; see ``screening``), and its public
addresses, which are no secrets.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detect_secrets.plugins.base import RegexBasedDetector

DETECTORS = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "cloudant": "CloudantDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "npm": "NpmDetector",
    "openai": "OpenAIDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "softlayer": "SoftlayerDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
_SHORT = 6  # a group as short as that is the issuer's mark, not the value


@cache
def version() -> str:
    """The scanner's version, without loading it."""
    from importlib.util import find_spec  # noqa: PLC0415 3 ms that most texts do not pay

    found = find_spec("detect_secrets")
    if found is None or found.origin is None:
        return "none"
    text = Path(found.origin).with_name("__version__.py").read_text("utf-8", "replace")
    said = re.search(r"VERSION\s*=\s*['\"]([^'\"]+)", text)
    return said[1] if said else "unknown"


@cache
def detectors() -> Sequence[RegexBasedDetector]:
    """One of each detector."""
    return [
        getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
        for module, name in DETECTORS.items()
    ]


def found_in(line: str) -> Iterator[tuple[str, str, int, int]]:
    """What the detectors find in a line: its kind in words, the value, its place."""
    for detector in detectors():
        values = set(detector.analyze_string(line))
        if not values:
            continue
        for pattern in detector.denylist:
            for match in pattern.finditer(line):
                # analyze_string gives the groups where there are any
                given = [text for text in match.groups() if text] or [match[0]]
                if values.issuperset(given):
                    value = max(given, key=len)
                    whole = match[0] if len(value) < _SHORT else value
                    yield detector.secret_type, whole, match.start(), match.end()

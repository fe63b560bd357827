"""Can a rule be checked, and is it an order at all; pure."""

from __future__ import annotations

import re

from gitstate.documents.reasons import split_reason
from gitstate.memory.wording import names_something

# what one can look for although it looks like any word
_KNOWN = re.compile(
    r"\b(?:main|master|develop|trunk|origin|git|npm|npx|yarn|pnpm|bun|deno|node|pip|pipx|uv"
    r"|poetry|conda|make|cmake|cargo|rustc|go|gofmt|docker|podman|kubectl|helm|terraform"
    r"|pytest|tox|nox|ruff|mypy|black|isort|flake|pylint|eslint|prettier|tsc|jest|vitest"
    r"|mocha|vite|webpack|gradle|maven|mvn|sudo|rm|curl|wget|ssh|bash|sh|zsh|sed|awk|jq"
    r"|print|eval|exec|sleep|any|null|none|nil|void|goto|async|await|try|except|catch|throw"
    r"|assert|const|let|var|import|export|default|stdout|stderr|stdin|tabs?|spaces"
    r"|semicolons?|utf|ascii|crlf|lf|http|https|json|yaml|toml|sql|html|css)\b"
    r"|\d",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:try(?:ing)?\s+(?:to|not\s+to)|prefer(?:s|red|ably|ring)?|where(?:ver)?\s+possible"
    r"|if\s+possible|when(?:ever)?\s+possible|as\s+(?:much|far|often)\s+as\s+possible"
    r"|where\s+(?:reasonable|sensible|appropriate|practical)|ideally|consider|aim\s+(?:to|for)"
    r"|strive|be\s+careful|it\s+(?:is|would\s+be)\s+(?:better|best|nice|good)|might\s+want"
    r"|may\s+want|recommended|usually|generally|if\s+you\s+can)\b"
    r"|尽量|最好|尽可能|尽力|争取|建议|推荐|倾向于?|优先|可以考虑|酌情|一般来说|原则上",
    re.IGNORECASE,
)
_CODE = re.compile(r"(`+)[^`]+?\1")


def can_be_checked(rule: str) -> bool:
    """Does a rule name what one can look for: a path, a name, a command, a number."""
    return names_something(rule) or _KNOWN.search(rule) is not None


def wish_in(rule: str) -> str | None:
    """The words that make a wish of a rule; ``None`` where it is an order.

    Those in code or in its reason are no part of the order.
    """
    order = _CODE.sub(" ", split_reason(rule)[0])
    found = _WISH.search(order)
    return found[0] if found else None

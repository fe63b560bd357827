"""The questions on what was taken in, in words; their answers are not looked at here.

A hook asks them at the end of a briefing, where there is no time to parse what they ask for.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.documents import CONVENTIONS, CURRENT_TASK, PROJECT_CONTEXT, header
from gitstate.late import late
from gitstate.recall.fence import line_of

if TYPE_CHECKING:
    from collections.abc import Mapping

# what is restated after a compaction, each time the next one
_RESTATED = (CONVENTIONS, PROJECT_CONTEXT, CURRENT_TASK)
_FLAGS = re.MULTILINE | re.DOTALL
_HEADER = late(r"\A(?:\ufeff)?---\r?\n.*?^---\s*$", _FLAGS)
# a value that no YAML parser could read otherwise, on one line
_PLAIN = late(
    r"^verify: (?=\w)([^\n:#'\"{}\[\]&*!|>%@`\\]*[^\s:#'\"{}\[\]&*!|>%@`\\])[ \r]*\n(?![ \t])",
    _FLAGS,
)
_COMMENT = late(r"<!--.*?(?:-->|\Z)", _FLAGS)
_ITEM = late(r"^\s*(?:[-*+]|\d{1,4}[.)])\s+\S", _FLAGS)
_LINE = late(r"^[^\s#].*\S", _FLAGS)
# asked for in the file's words: what is said otherwise can be another rule
_ASK = {
    "en": "{file}, from memory, in its own words, one item a line: {verify}",
    "zh": "凭记忆复述 {file}，用它自己的说法，一行一项：{verify}",
}
_DEFAULT = {
    "en": "State its rules, values and paths, and everything that it forbids.",
    "zh": "说出其中的规则、数值和路径，以及全部禁止事项。",
}
_COMBINED = {
    "en": "In the state's own words: which step is in progress, what exactly comes next, and "
    "which known issue is open?",
    "zh": "用状态文件自己的说法：正在进行哪一步，确切的下一步是什么，有哪个已知问题尚未解决？",
}


def of_file(text: str, *, name: str, lang: str) -> str:
    """What is asked of a file, in the words of its header."""
    verify = verify_of(text, name=name, lang=lang)
    return _ASK[_lang(lang)].format(file=name, verify=line_of(verify))


def of_all(lang: str) -> str:
    """The combined question: which step, what next, which known issue."""
    return _COMBINED[_lang(lang)]


def verify_of(text: str, *, name: str, lang: str) -> str:
    """What a file's header asks for; where it does not say, its rules, values and paths."""
    found = _HEADER.match(text)
    plain = _PLAIN.search(found[0]) if found else None
    if plain:  # to load a YAML parser for one line costs a briefing a tenth
        return plain[1].strip()
    return header.read(name, text).header.verify or _DEFAULT[_lang(lang)]


def restated(texts: Mapping[str, str], nth: int) -> str | None:
    """The file that is restated after the ``nth`` compaction; ``None`` where none says anything."""
    files = [one for one in _RESTATED if _says(texts.get(one, ""), one)]
    return files[nth % len(files)] if files else None


def _says(text: str, name: str) -> bool:
    body = _COMMENT.sub("", _HEADER.sub("", text))
    return (_LINE if name == CURRENT_TASK else _ITEM).search(body) is not None


def after_brief(texts: Mapping[str, str], nth: int, lang: str) -> list[str]:
    """What a briefing ends with: the combined question, and a file to restate."""
    said = [of_all(lang)] if _says(texts.get(CURRENT_TASK, ""), CURRENT_TASK) else []
    name = restated(texts, nth)
    return [*said, of_file(texts[name], name=name, lang=lang)] if name else said


def _lang(lang: str) -> str:
    return "zh" if lang == "zh" else "en"

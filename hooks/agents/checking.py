"""Was a briefing taken in, and is the context still there: questions, and their answers.

A briefing after a compaction ends with a question; the answer is looked for when the turn
ends. What was missed comes back at the next chance, at most twice. A probe is a question
on one fact: a wrong or evasive answer starts the recovery of a compaction, once.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.errors import GitstateError
from gitstate.hooks.agents import recalled
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.sessions import Session
    from gitstate.recall.briefing import Unit
    from gitstate.workspace import Workspace

_BACK = 2  # times that what was missed comes back
_LONGEST = 12_000  # characters of an answer: more would cost the end of a turn seconds
_SCORED = 3  # messages of a turn
_MARK = late(r"(?:state check|状态核对)\**\s*[:：]", re.IGNORECASE)
_BLANK = late(r"\n[ \t\r]*\n")
_LISTED = late(r"\s*(?:[-*+•|>#(]|\d{1,2}[.)、：:])")
_TEXTS = {
    "en": {
        "after": (
            "Before you go on, answer from what you have just read, without looking it "
            'up, in a paragraph that begins with "State check:"\n{questions}'
        ),
        "once more": 'Answer once more, in a paragraph that begins with "State check:"\n{questions}',
        "missed": "gitstate: what you restated of the state is not what is recorded.\n{text}",
        "probe": (
            'gitstate: first answer in one line that begins with "State check:" '
            "{question}"
        ),
    },
    "zh": {
        "after": (
            "继续之前，请根据刚读到的内容凭记忆回答，不要查阅，段落以“状态核对：”开头。\n{questions}"
        ),
        "once more": "请再回答一次，段落以“状态核对：”开头。\n{questions}",
        "missed": "gitstate：你复述的状态与记录不符。\n{text}",
        "probe": "gitstate：请先用一行回答，以“状态核对：”开头。{question}",
    },
}


def _say(lang: str, key: str, **words: object) -> str:
    return _TEXTS["zh" if lang == "zh" else "en"][key].format(**words)


def question(ws: Workspace, session: Session, reason: str, receipt: str) -> str:
    """What a briefing ends with; "" where nothing is to be asked."""
    if reason == "again" and isinstance(session.asked.get("nth"), int):
        nth = session.asked["nth"]
    elif reason in {"compact", "probe"} and ws.settings.verify_after_brief:
        nth = max(session.track.compactions - 1, 0)
    else:
        return ""
    asked = recalled.questions(ws, nth)
    if not asked:
        return ""
    session.asked = {"nth": nth, "receipt": receipt, "back": 0}
    return _say(ws.settings.lang, "after", questions=_numbered(asked))


def _numbered(asked: Sequence[str]) -> str:
    return "\n".join(f"{at}. {one}" for at, one in enumerate(asked, 1))


def probe(ws: Workspace, adapter: Adapter, session: Session) -> str:
    """The question on a fact, where one is due at the beginning of a turn; else ""."""
    settings, turns = ws.settings, session.track.turns
    if settings.probe == "off" or session.asked or session.track.pending:
        return ""
    if turns - int(session.noted.get("probed", 0)) < settings.probe_turns:
        return ""
    failed = any(
        one.received is False or one.verified is False for one in session.receipts
    )
    knows = adapter.tells or Path(session.transcript).is_file()
    if settings.probe == "auto" and knows and not failed:
        return ""
    asked = recalled.probes(ws)
    if not asked:
        return ""
    session.noted["probed"] = turns
    count = session.noted["probes"] = int(session.noted.get("probes", 0)) + 1
    key, text = asked[(count - 1) % len(asked)]
    session.asked = {"probe": key}
    return _say(settings.lang, "probe", question=text)


def judge(
    ws: Workspace, session: Session, said: Sequence[str], *, room: int, unit: Unit
) -> bool:
    """Hold what was said in a turn against what was asked; is the context lost.

    What was missed comes back within ``room`` in ``unit``.

    Where nothing was said that can be read, nothing is known, and it stays asked. Raises
    whatever the state or the answer makes it raise, once: after that nothing is asked.
    """
    messages = [one for one in said if one.strip()]
    if not session.asked or not messages:
        return False
    marked = [one for one in map(_marked, messages) if one]
    # a long turn has many: the answer is among its first words, or its last
    plain = messages if len(messages) <= _SCORED else [messages[0], *messages[-2:]]
    texts = marked[-_SCORED:] or [(one[-_LONGEST:],) * 2 for one in plain]
    asked, session.asked = session.asked, {}
    try:
        if "probe" in asked:
            return _judge_probe(ws, session, asked, texts)
        _judge_briefing(ws, session, asked, texts, room, unit)
    except GitstateError:
        pass  # the state is not there any more
    return False


def _marked(text: str) -> tuple[str, str] | None:
    """From the mark of an answer to the end of its message, and to the end of the answer."""
    found = _MARK.search(text)
    if not found:
        return None
    whole = text[found.end() : found.end() + _LONGEST]
    blocks = _BLANK.split(whole.lstrip("\n"))
    end = 1
    while end < len(blocks) and (
        not blocks[end - 1].strip() or _LISTED.match(blocks[end])
    ):
        end += 1
    return whole, "\n\n".join(blocks[:end])


def _judge_probe(
    ws: Workspace,
    session: Session,
    asked: Mapping[str, object],
    texts: Sequence[tuple[str, str]],
) -> bool:
    right = recalled.knows(ws, str(asked["probe"]), texts)
    lost = right is False and not session.noted.get("lost")
    session.noted["lost"] = right is False
    return lost


def _judge_briefing(  # noqa: PLR0913, PLR0917 what is judged, and the room for what comes back
    ws: Workspace,
    session: Session,
    asked: dict[str, Any],
    texts: Sequence[tuple[str, str]],
    room: int,
    unit: Unit,
) -> None:
    nth, id_ = int(asked.get("nth", 0)), asked.get("receipt")
    receipt = next((one for one in session.receipts if one.id == id_), None)
    if receipt is None or receipt.received is False:
        session.asked = asked
        return  # it comes again, and is asked again
    found = recalled.judged(ws, nth, texts, room, unit)
    receipt.verified = found is None
    if found is None:
        return
    missed, again = found
    back = int(asked.get("back", 0)) + 1
    lang = ws.settings.lang
    text = _say(lang, "missed", text=missed)
    if back < _BACK:
        session.asked = {**asked, "back": back}
        text += "\n\n" + _say(lang, "once more", questions=_numbered(again))
    session.later.append(text)

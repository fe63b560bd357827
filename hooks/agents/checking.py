"""Was a briefing taken in, and is the context still there: questions, and their answers.

A briefing after a compaction ends with a question; the answer is looked for when the turn
ends. What was missed comes back at the next chance, at most twice. A probe is a question
on one fact: a wrong or evasive answer starts the recovery of a compaction, once.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.errors import GitstateError
from gitstate.hooks.agents import recalled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.sessions import Session
    from gitstate.workspace import Workspace

_BACK = 2  # times that what was missed comes back
_MARKS = ("state check:", "状态核对:", "状态核对：")
_LONGEST = 40_000  # characters of a message
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
    if reason == "again" and "nth" in session.asked:
        nth = int(session.asked["nth"])
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


def judge(ws: Workspace, session: Session, said: Sequence[str], *, room: int) -> bool:
    """Hold what was said in a turn against what was asked; is the context lost.

    Where nothing was said that can be read, nothing is known, and it stays asked.
    """
    messages = [one for one in map(_part, said) if one]
    if not session.asked or not messages:
        return False
    marked = [text for text, mark in messages if mark]
    texts = marked or [text for text, _ in messages]
    try:
        if "probe" in session.asked:
            return _judge_probe(ws, session, texts)
        _judge_briefing(ws, session, texts, room)
    except GitstateError:
        session.asked = {}  # the state is not there any more
    return False


def _part(text: str) -> tuple[str, bool] | None:
    """What of a message is the answer, and whether it says so itself."""
    text = text.strip()[-_LONGEST:]
    folded = text.casefold()
    found = [at for at in map(folded.find, _MARKS) if at >= 0]
    if found and len(folded) == len(text):
        at = min(found)
        return text[
            text.find(":" if ":" in folded[at : at + 12] else "：", at) + 1 :
        ], True
    return (text, False) if text else None


def _judge_probe(ws: Workspace, session: Session, texts: Sequence[str]) -> bool:
    right = recalled.knows(ws, str(session.asked["probe"]), texts)
    session.asked = {}
    lost = right is False and not session.noted.get("lost")
    session.noted["lost"] = right is False
    return lost


def _judge_briefing(
    ws: Workspace, session: Session, texts: Sequence[str], room: int
) -> None:
    nth, id_ = int(session.asked.get("nth", 0)), session.asked.get("receipt")
    receipt = next((one for one in session.receipts if one.id == id_), None)
    if receipt is None or receipt.received is False:
        return  # it comes again, and is asked again
    found = recalled.judged(ws, nth, texts, room)
    receipt.verified = found is None
    if found is None:
        session.asked = {}
        return
    missed, asked = found
    back = int(session.asked.get("back", 0)) + 1
    lang = ws.settings.lang
    text = _say(lang, "missed", text=missed)
    if back < _BACK:
        session.asked["back"] = back
        text += "\n\n" + _say(lang, "once more", questions=_numbered(asked))
    else:
        session.asked = {}
    session.later.append(text)

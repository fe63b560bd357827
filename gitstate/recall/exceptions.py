"""Exceptions and conditions that an item of the state makes itself: are they in a text; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.stances import stance_of
from gitstate.recall.terms import has_name, share

if TYPE_CHECKING:
    from gitstate.recall.subjects import Subject

_HALF = 0.5
_SOME = 0.3  # of the words, where names say which it is
_ONLY_IN = late(r"\bonly (?:in|for|inside|when|within)\b|(?:只|仅)(?:在|有|限)")
_ONLY = late(r"\bonly\b|只|仅")
_NO_EXCEPTION = late(
    r"不例外|没有例外|就算|即使|哪怕|包括|也一样|同样|\bincluding\b|\beven in\b|\balso in\b|\bno exceptions?\b"
)
# something must be there before it may be done
_NEEDS = late(
    r"^(?:未经?|没有?|尚未)[^,;]{1,40},? ?(?:不得|禁止|不许|不准|不能|切勿)|\bwithout\b"
)
_NEEDED = late(
    r"\b(?:without|w/o|unless|until|before|only|first|after|once|when|if|along|together|leaving|while|missing|lacking|forgetting|skipping|short of)\b|n't\b|\b(?:not|no) (?!to\b)|[未没先才前后就时]|除非|否则|绕|跳过|不(?!得|能|许|可|要|准)"
)
_BUT_THERE = late(r"\boutside\b|之外|以外")
_LEFT_OUT = late(
    r"\b(?:outside|except\w*|other than|apart from|but (?:in|for)|anywhere but|everywhere but|beyond|elsewhere|anywhere else|unless|only|nowhere else|leaves?|without|aside)\b|之外|以外|除|例外|别处|其[他它余]|只|仅|不出|出了|外"
)
_KEEPS = late(r"\b(?:keep|retain|preserve|leave|stay|remain)\w*\b|保持|保留|维持")


def is_excepted(one: Subject, text: str) -> bool:
    """Are the exception and the condition of an item there, where it has one."""
    if _BUT_THERE.search(one.text) and not _LEFT_OUT.search(text):
        return False  # it is of the very place that is excepted
    if _NEEDS.search(one.text) and not _NEEDED.search(text):
        return False  # what must be there first is told as something else
    if not one.exception:
        return True
    return _NO_EXCEPTION.search(text) is None and _is_told(one, text)


def _is_told(one: Subject, text: str) -> bool:
    """Is an exception there, not that alone is forbidden."""
    only = [part for part in text.split(" , ") if _ONLY_IN.search(part)]
    if any(stance_of(part)[0] == "never" for part in only):
        return False
    if only and not _ONLY_IN.search(one.text):
        stance, _ = stance_of(" , ".join(only))
        binds = stance in {"must", "plain", "may"}
        return binds and share(text, one.exception) >= _HALF
    return share(text, one.exception) >= _SOME


def excuses(one: Subject, text: str) -> bool:
    """Is what a segment allows the exception that the state makes itself."""
    names = [name for name in one.exception if name in one.exception_names]
    return (
        bool(one.exception)
        and all(has_name(text, name) for name in names)
        and share(text, one.exception) >= _SOME
    )


def is_turned(one: Subject, text: str) -> bool:
    """Is what is forbidden told as what is kept, or as allowed in the exception alone."""
    if one.keeps and _KEEPS.search(text):
        return True
    return (
        bool(one.exception)
        and _ONLY.search(text) is not None
        and share(text, one.exception) >= _HALF
    )

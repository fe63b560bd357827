"""What a text makes a thing depend on: exceptions, conditions, limits, by the words that bring them in; pure.

These words are few in any language ("unless", "until", "only in", 除非, 的时候).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator

# what leaves something out, in whatever it stands
_LEAVES_OUT = late(
    r"\b(?:unless|except\w*|barring|save for|aside from|apart from|other than|but for|short of|outside|not counting)\b((?:[^,;:()]|:(?=\S))*)"
)
# what brings a clause in that says when, where or for what something holds
_CLAUSES = late(
    r"\b(?:until|till|before|after|once|while|whilst|during|if|when|whenever|(?<!no matter )(?<!that's )(?<!that is )where|wherever|long as|provid(?:ed|ing)"
    r"|in case|in the event|without|only (?:for|in|on|at|with|by)|at least|(?:more|bigger|larger) than|as of|should)\b((?:[^,;:()]|:(?=\S))*)"
)
_ENDS = late(r"(?:\b(?:until|till|as of|as long as)\b|直到)((?:[^,;:()]|:(?=\S))*)")
_PHRASES = late(
    r"\b(?:for|in|on|at|under|by|with|within|inside|throughout)\b((?:[^,;:()]|:(?=\S))*)"
)
# behind what they leave out
_TRAILING = late(
    r"^(.*?)(?:\b|(?=n't))(?:aside|notwithstanding|excluded|excepted|exempt\w*|negotiable|another (?:matter|story|question)|(?:not|n't) (?:count|affected|covered|bound|included|apply)\w*)\b"
)
_HAN_LEAVES_OUT = (
    late(r"除非([^,;。]{1,40})"),
    late(r"除了?([^,;。]{1,30}?)(?:以外|之外|外|$|[,;。])"),
    late(
        r"([^,;。:]{1,30}?)(?:除外|例外|不在内|不在此列|不算|另说|另当别论|不受|另行)"
    ),
)
_HAN_CLAUSES = (
    late(
        r"(?:如果|若是?|要是|万一|一旦|假如|只要(?![^,;。]{1,20}就)|只有|直到|未经|趁|(?:^|[先就])等|否则[^,;。会]{0,3}[要得须先])([^,;。]{1,40})"
    ),
    late(
        r"(?:仅限|只限|限于|仅在|只在|只对|只管|仅对|至少|对于|没有(?=[^,;。]{1,20}(?:时|的情况|的话)))([^,;。]{1,30})"
    ),
    late(r"([^,;。:]{2,20}?)就(?:能|可以|行)"),
    late(
        r"([^,;。:]{1,30}?)(?:的时候|的情况下|的话|期间|之前|以前|之后|以后|(?<![超及准实同])时(?=$|[,;。]))"
    ),
)
_HAN_PHRASES = late(
    r"(?:在([^,;。:在]{1,20}?)|^([^,;。:在不禁别勿没许]{1,10}?))(?<!进行)[里下中上](?=$|[,;。])"
)
# words that end a clause or a phrase
_SHORT, _LONG = 12, 80  # letters at the end of a text
_ONLY = late(r"(?<!read)[ -]only\W*$")
_END = late(
    r"\b(?:and|or|but|nor|is|are|was|were|be|has|have|had|will|must|should|may|can|i|we|you|it|they|that|which|who|not|never|so|because"
    r"|since|goes|go|to|of|from|for|in|on|at|by|with|as|before|after|when|if|unless|without|until|where|gets|get|than)$"
)
_NO_EXCEPTION = late(
    r"\b(?:no|without|not|any|nor|none|zero|never)\b[^,;]{0,30}\bexceptions?\b|(?:没有?|无|不|绝)[^,;]{0,6}(?:例外|破例|通融)"
)
# when something binds that always does
_TIMES = late(
    r"白天|日间|夜间|夜里|晚上|周末|工作日|节假日|平时|上班时间|下班(?:后|时间)|高峰期?|闲时|(?:周|星期)[一二三四五六日天]"
    r"|\b(?:daytime|during the day|at night|overnight|weekdays?|weekends?|(?:business|office|working|peak) hours|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
)
_NAME = late(r"[/_.:()\d\"$*]")
_EVEN = late(
    r"\b(?:not |n't )?even\b.*|\bno matter\b.*|\bwhatever\b.*|\bhowever\b.*|\bregardless\b.*|哪怕.*|即使.*|就算.*|无论.*|不管.*"
)
_MAIN = late(r"(?<=\w) (?:it|they|nobody|this|that|i|we)\b.*")


# "when I write code here": always
_ALWAYS = late(
    r"\bwhen(?:ever)? (?:i|we|you) (?:write|change|edit|touch|work|code)\w*(?: (?:any )?(?:code|on (?:this|the) (?:project|repo\w*|code\w*)))?(?: (?:here|in this (?:project|repo\w*|code\w*)))?(?=\s*(?:[,:;]|i\b|we\b|you\b|$))"
    r"|\b(?:here|in this (?:project|repo|repository|codebase))\b|(?:我?在?(?:这个项目里|这里)?)(?:写|改|敲|动)代码(?:的?时候?)|(?:干活|开发)(?:的?时候?)"
)


def without_denied(text: str) -> str:
    """A text without what says that there are no exceptions, and none whatever happens."""
    return _NO_EXCEPTION.sub("", _EVEN.sub("", _ALWAYS.sub("", text)))


def left_out(text: str, *, binds: bool) -> Iterator[str]:
    """What a text leaves out of what it says; ``binds``: of what must be or must not."""
    text = without_denied(text)
    yield from _LEAVES_OUT.findall(text)
    if binds:
        yield from _TIMES.findall(text)
    trailing = _TRAILING.search(text)
    if trailing:
        yield trailing[1]
    for pattern in _HAN_LEAVES_OUT:
        yield from pattern.findall(text)


def conditions(text: str, *, binds: bool) -> Iterator[str]:
    """When, where or for what it says that something holds."""
    text = without_denied(text)
    for found in _CLAUSES.findall(text):
        yield _MAIN.sub("", found)
    end = _ONLY.search(text[-_SHORT:])
    if end:  # "production only"
        yield text[-_LONG:].removesuffix(end[0]).rpartition(",")[2]
    for pattern in _HAN_CLAUSES:
        yield from pattern.findall(text)
    if not binds:
        return
    for phrase in _PHRASES.finditer(text):
        yield _cut(phrase[1])
    for phrase in _HAN_PHRASES.finditer(text):
        yield phrase[1] or phrase[2]


def ends(text: str, *, binds: bool) -> Iterator[str]:
    """Until when it says that something holds, of what must be or must not."""
    if binds:
        yield from _ENDS.findall(without_denied(text))


def _cut(phrase: str) -> str:
    """A phrase to where it ends: at a verb, a name, the next phrase."""
    found: list[str] = []
    for word in phrase.split():
        if _END.match(word) or _NAME.search(word.rstrip(".")):
            break
        found.append(word)
    return " ".join(found)

"""A part of a sentence -> its stance: is something demanded, allowed, or forbidden; pure.

Negations are counted: two of them forbid nothing ("not forbidden", "never avoid"), and
"do not skip" demands.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from gitstate.late import late
from gitstate.recall.terms import HAN

# "none" says nothing of force: a mention, a reason; "denied": said not to hold (any more)
Stance = Literal["never", "must", "plain", "may", "weak", "denied", "none"]

# words that look like a stance and are none
_DROP = late(
    r"\bwithout (?:any )?exceptions?\b|\bno exceptions?\b|\bno matter (?:what|how)\b|\bnot even\b|\bnot only\b"
    r"|\band nothing else\b|\bno (?:longer|more|fewer|less) than\b|无一例外|无论如何|无论|不论|不管(?![,.。;]|$)|不仅|不只|绝无例外|没有例外"
    r"|(?:未|没|没有|尚未|还没)(?:有)?(?:解决|完成|修复|关闭|做完|结束)|\bnot (?:yet )?(?:resolved|fixed|solved|done|finished)\b|\bun(?:re)?solved\b"
    r"|^(?:ok|okay|sure|alright)\b(?:\s+so\b)?|\b(?:and )?(?:by |in )?no other \w+|一[个条字]不[落漏差]"
    r"|没有[^,;]{1,30}?,?(?=不得|不许|不能|不可|不准|禁止)|(?:没(?!有)|未|尚未)[^,;]{1,30}?就(?=不得|不许|不能|不可|不准|禁止)|没有?[^,;的]{1,20}的(?=[\u4e00-\u9fff]{1,8}(?:允许|可以))|没有?[^,;不]{1,16}(?=就(?:算|是|会|视为|按|自动|报))|\b(?:may|can)\b(?= have \d+ \w+ (?:at most|or (?:fewer|less)))"
    r"|\b(?:may|can)\b(?= (?:[\w.]+ ){1,4}(?:up to|at most)\b)|绕过(?=$|[,.;。])|绕过(?:去|办法|方法|的办法)|不受此限|不在此列|\b(?:and )?nowhere else\b|\bavoid(?:s|ed)? (?:it|that|this|by)\b|\bwork\w* around\b|不多不少|不会?(?![得要能可许准应])[^,;的]{1,10}的(?:地方|时候|情况|代码|文件)|不同的?|不少|不断|可能性|哪怕[^,。]*?也不行"
)
# names like "arm-none-eabi-gcc", "ignored_columns", "--no-verify"
_CODE = late(
    r"(?<![a-z0-9_-])(?:[a-z0-9]+-[a-z0-9]+-[a-z0-9][a-z0-9-]*|[a-z0-9]*_[a-z0-9_]*|--[a-z][a-z0-9-]*|[a-z0-9_.-]{0,80}/[a-z0-9_./*-]{0,120}|[a-z_][a-z0-9_-]{0,80}(?:\.[a-z_][a-z0-9_-]{0,80}){1,8})(?:\(\))?"
)
# "none of them is a suggestion"
_BINDS = late(
    r"\b(?:none|nothing|not one|no one|neither|no rule)\b(?: of (?:them|these|it|those|the \w+)| here| in here)? (?:is|are)(?: up for| a| an| just| only| mere| merely)* (?:suggestion|recommendation|optional|negotiable|guideline|discussion|preference)s?\b"
    r"|\b(?:not|non)[- ]?(?:up for )?(?:negotiable|negotiation|optional|discussion|a suggestion)\b"
    r"|没有?(?:[一哪任][何条个项]*)*(?:都|只|仅)*(?:是|算)? ?(?:建议|可选|尽量|参考|选做)的?|没(?:有|得|什么)*商量(?:的?余地)?|没有?(?:任何)?余地|必不可少|不可或缺|缺一不可|少不了|[一哪][个条次项]?[都也]?不(?:能|可|得|许)?[落漏缺少](?:了|掉|下)?|\bindispensable\b"
)
_KEEP = late(
    r"\b(?:as (?:it|they) (?:is|are)|as[- ]is|unchanged|untouched|intact|unmodified|(?:the )?same|locked|(?<!-)frozen(?!\s+\w|-))\b"
    r"|\bleav\w+ .{1,40} alone\b|\bleft alone\b|\buntouchable\b|\bidentical\b|不变|一致|一样|相同|原样|不动(?!产)"
)
# "without it, it will not do"
_LACKING = late(
    r"(?:没有?|不(?!行)|绕[过开])[^,;]{1,40}?(?:就[^,;]{1,10})?(?:[是也同样更都])*不行的?"
)
# "must not go around the lock file and call pip": the call is what is forbidden
# "where there is none, it may be done as well"
_ALLOWS = late(
    r"(?:没有?|未|不)[^,;不]{1,24}(?:也|(?:时|的话|时候|之前|以前)[就都则]?)(?:可以?|能|行|允许|无妨)(?!不)"
)
_AROUND = late(r"(不[能得许准可要]|禁止|切勿|别)绕[开过][^,;]{1,40}?(?=直接|去|来|而)")
_CIRCUMSTANCES = late(r"\bunder no circumstances\b|\bin no case\b|\bat no time\b")
_ONLY = late(
    r"\b(?:may|can|might) only\b|\bonly (?:allowed|permitted)\b|\b(?:allowed|permitted) only\b|\b(?:allowed|permitted|ok|okay|fine)\b[^,;]{1,60}?[ -]only\b(?=\s*(?:[,.;]|$))|\b(?:nothing|nobody|no (?:\w+ ){1,2}?)\s*(?:but|other than|except)\b|\bonly (?:then|after\w*|once)\b|(?:然后|之后|以后|后|完|好|了)[,]?\s*才(?:允许|可以?|能|准|许|行)|非[^,:;]{1,30}不可|非\s*(?=\w+\s*不[可用])"
)
_WEAK = late(
    r"\bneed(?:s)? not\b|\bneedn't\b|\bnot (?:strictly |really )?(?:required|necessary|mandatory|needed|obligatory|binding)\b"
    r"|n't (?:have to|need)\b|\bnot (?:have|need) to\b|\bno need\b|\boptional(?:ly)?\b|\bunnecessary\b|\bup to (?:you|me)\b"
    r"|\bnice to have\b|\bguidelines?\b|\bnot enforced\b|\bnegotiable\b(?<!not negotiable)|\b(?:is|are|as|a) (?:only |just |merely )?(?:a )?(?:soft|preferences?)\b|没那么严|\bbest effort\b|\brule of thumb\b|\brecommend\w*|\bsuggest\w*|\badvis\w+|不必|无需|(?<![a-z0-9_)] )(?<![a-z0-9_)])不用(?=[,.。;]|$)|不管(?=[,.。;]|$)|不需要|不用(?=经过|通过|写|跑|运行|走|管)|没必要|可选|不(?:作|做)?(?:强制|要求)|建议|推荐|非必需|并非必须|不是必须|可以?(?:先|暂时?|直接|干脆)?不(?![是能得可少])(?!仅)"
)
_NEG = late(
    r"\bnever\b|\bnot\b|n't\b|\b(?:do|must|should|can|is|are|does|wo)nt\b|\bcannot\b|\bno\b(?!\.)|\bzero\b|\bn(?:ot|ever)s\b|\bdon'?ts\b|\bneither\b|\bnor\b|\bnothing\b|\bnone\b|\bnobody\b|\bnowhere\b"
    r"|不再|不得|不要|切勿|不能|不可以|不可|不许|不准|不允许|不应该?|不该|绝不|永不|从不|并非|不是|不存在|没有|(?<![淹沉埋隐出吞])没(?!收)|勿|不在"
    r"|不(?!用(?:的时候|时))(?![同少断过仅只论管错久变足如妨时上了到起住来及然])|(?<![错识区级类性特分差鉴判个辨告派甄])别(?!名|的|人|处|忘)|无任何"
)
_PROH = late(
    r"\bforbid\w*|\bforbbiden\b|\bprohibit\w*|\bban(?:ned|s|ning)?\b|\boff[- ]limits\b|\bdisallow\w*|\bavoid\w*|\brefrain\w*|\btaboo\b|\bverboten\b|\brefus\w+|\breject\w*|\b(?:switched|turned) off\b|\bdisabled\b"
    r"|\bstay away\b|\b(?:is|are) (?:also |flat(?:ly)? |strictly )?out\b(?=\s*(?:[,.;:]|because|since|as\b|$))|\bkeep (?:out|away|off|hands)\b|\bkeep \w+ hands off\b|\bhands[- ]off\b|\bno-go\b|\bread[- ]only\b(?=\s*(?:[,.;:]|$))|\bout of bounds\b|\bout of the question\b|\boff the table\b|\bruled out\b|\bkeep (?:\S+ ){1,3}out\b|\bfree (?:of|from)\b|\bstays? (?:out|away)\b|\bunacceptable\b"
    r"|不行|停用|禁止|严禁|禁用|禁区|避免|杜绝|拒绝|只读(?=[,.。;]|$)|禁(?=[{H}]|$)|不在允许".replace(
        "{H}", HAN
    )
)
_SKIP = late(
    r"\bskip(?! locked)\w*|\bomit\w*|\bforget\w*|\bbypass\w*|\bcircumvent\w*|\bignor\w+|\bfail(?:ing)? to\b|跳过|忘记|忘|绕过|绕开|不经过?|未经"
)
_PERM = late(
    r"\bmay\b|(?<!\bwho )(?<!\bthat )(?<!\bwhich )(?<!\banyone )(?<!\bthey )\bcan\b|\bcould\b|\ballow(?:ed|s)?\b|\bpermit(?:s|ted)?\b|\bpermissible\b|\bfine\b|\bok(?:ay)?\b|\bfree to\b|\bacceptable\b|\bno problem\b|\bharmless\b|\bnothing (?:breaks|happens)\b|\ball ?right\b|\bin a pinch\b|\bif need be\b|凑合|任选|任意一[个种]|将就|实在不行|\bwelcome\b|\bsafe to\b|\bpossible\b|\btolerated\b|\bworks? (?:as well|too|fine|just as well)\b|\balso works?\b|\bwill do(?: as well| too)?(?=[,.;]|$)"
    r"|[即便]可(?=清理|清除|删|移除|销毁|修改|改|停|关|跳过|取消|忽略|绕)|可以(?!继续|避开|绕[过开]|规避|解决)|允许|随意|随便|没问题|没关系|不限于|破例|通融|无妨|(?<!继续)也行|都行|都可|也可|均可|不受(?:此|这个?|该)?(?:限制?|约束|影响)|(?<![不许只])可(?=[编修改使用直删新运提碰])|(?<![不只])能(?=[编修改使用直删新运提碰写])|[也还仍]能(?!够?[是在])"
)
_MUST = late(
    r"\bmust\b|\balways\b|\bonly\b|\brequired\b|\brequried\b|\bshall\b|\bha(?:ve|s) to\b|\bneeds? to\b|\bmandatory\b|\bexclusively\b|\bbinding\b|\brules?\b|\bconstraints?\b"
    r"|必须|必需|务必|一律|始终|总是|只能|应当|只用|只允许|仅|得(?=用)|(?<![不需主重无没])要(?![求点么紧])|强制(?![推提合刷关退停更重覆删下解同升释结终])|规则|约束|要求"
)
# an exception that the state may not make
UNLESS_ADDED = late(
    r"\bapart from\b|\bsave for\b|\bexcluding\b|\bunless\b|\bexcept\b|^(?:only )?(?:if|when)\b"
    r"|\bif (?:really |absolutely |strictly )?(?:needed|necessary|required)\b|\bwhen (?:needed|necessary)\b"
    r"|\bas long as\b|\bfor now\b|\bwithout (?:asking|permission|approval|review|a \w+|an \w+)\b"
    r"|除非|除外|必要时|特殊情况|需要时|只要|未经|没有批准"
)
LEADING = late(r"^(?:除了?|except|apart from|unless|save)\b|^除")
LEFT_OUT = late(r"(?:除外|以外|之外|例外)[.。]?$")

# words that make what binds bind less
SOFT = late(
    r"\btry(?:ing)? (?:to|not to)\b|\bpreferabl[ey]\b|\bpreferences?\b|\bprefer\b|\b(?:if|where|when(?:ever)?|wherever|as far as|as much as) (?:possible|practical|practicable|feasible|convenient|reasonable|sensible)\b|\bmakes sense\b"
    r"|\busually\b|\bgenerally\b|\bideally\b|\bnormally\b|\bmostly\b|\btypically\b|\bin (?:general|principle|practice|most cases|the main)\b|\bas a (?:general )?(?:rule|default|preference)\b|\bby default\b|\bfor (?:now|the moment|the time being)\b|\btemporar(?:y|ily)\b|\bi can (?:avoid|help) it\b|\bcan be (?:avoided|helped)\b"
    r"|\bsoft\b|\bnegotiable\b(?<!not negotiable)|\baim (?:to|for)\b|尽量|尽可能|最好|一般(?!的)|通常|原则上|优先|默认情况|默认如此|暂时|能[^,;。]{0,6}就|能[^,;。]{0,6}的话|有(?:空|时间|条件|可能|必要)的话|没那么|商量(?<!没有商量)|大多|多数|个别|少数|实在|真急|急着|必要时|视情况|看情况|酌情"
)
# words that say that something does not hold (any more)
DENY = late(
    r"(?<!be )(?<!is )(?<!are )\bused to\b|\blift(?:ed|s)\b|\boutdated\b|\bobsolete\b|\bnot true\b|\buntrue\b|\bfalse\b|\bdisregard\w*"
    r"|\b(?:doesn't|does not|don't|do not|no longer) (?:apply|applies|hold|count|matter|bind)\b|\bpreviously\b|\bformerly\b|\bany ?more\b|\bno longer\b(?! than)"
    r"|\bopposite\b|\bthe reverse\b|\bjust kidding\b|\bis wrong\b|\b(?:was|were|got|been|since) renamed\b|\bis over\b|不再|不适用|作废|(?:已经?|被|都)取消|取消(?:了?(?:这|该|此|那)?[条项个]?(?:禁|限|规|要求)|了[,.。;]?$)|解除|过时|不成立|曾经|无视|失效(?!时间|日期|期|时刻|窗口)|相反|不对|已经?(?:放开|解禁|改名)"
)
# "it has nothing to do with that"
_APART = late(
    r"[跟与和同] ?[^,;。]{1,20}?(?:没有?|无)(?:任何|什么)?关系?|\bnothing to do with\b"
)
# words with a negation that allow
_FINE = late(
    r"\bno (?:problem|big deal|harm|issue)\b|\bnot (?:a|an) (?:big )?(?:problem|deal|issue)\b|\bnobody (?:minds|cares|notices)\b|\b(?:doesn't|does not|won't|don't|do not) (?:matter|hurt|mind|bother)\b|\bdoes no harm\b|\bnothing wrong\b"
    r"|不受(?:此|这个?|该)?(?:限制|约束|影响)|没(?:有?什么)?(?:关系|问题|事)|不要紧|无所谓|无妨|(?:问题|影响|关系)不大|不碍事|不影响|不打紧|不妨"
)


# what stands under another clause
_UNDER = late(
    r"\b(?:before|after|until|once|which|who|whose|that|where|because|since|so (?=that|the|we|it|no|nothing|nobody|they)|for (?=the|a|an|two|some|\d))\b.*"
)


def main_clause(text: str) -> str:
    """A text without the clauses under its first one."""
    return _UNDER.sub("", text)


def drop(text: str) -> str:
    """A text without what looks like a stance and is none."""
    return _DROP.sub(" ", text)


def forbidding(text: str) -> str:
    """What a text that forbids says beside that."""
    return _NEG.sub(" ", _PROH.sub(" ", drop(text)))


@lru_cache(maxsize=2048)
def stance_of(text: str) -> tuple[Stance, bool]:
    """The stance of a clean segment, and whether any word of it says so."""
    if _ALLOWS.search(text):
        return "may", True
    text = _AROUND.sub(r"\1", drop(_CODE.sub(" x ", text)))
    text, exclusive = _ONLY.subn(" only ", text)
    if exclusive:
        text = _PERM.sub(" ", text)
    text = _BINDS.sub(" must ", text)
    text = _FINE.sub(" fine ", _APART.sub(" 不用 ", text)).replace(" nor ", " or ")
    text = _LACKING.sub("必须", text)
    text, circumstances = _CIRCUMSTANCES.subn(" ", text)
    text, weak = _WEAK.subn(" ", text)
    if weak and not _NEG.search(text):
        return "weak", True
    text, kept = _KEEP.subn(" ", text)
    forbids = len(_PROH.findall(text))
    bare = _PROH.sub(" ", text)
    skips = len(_SKIP.findall(bare))
    negations = len(_NEG.findall(_SKIP.sub(" ", bare)))
    total = forbids + skips + negations + min(circumstances, 1)
    total = total or min(kept, 1)
    permits = _PERM.search(bare) is not None
    if total == 0:
        if permits:
            return "may", True
        must = _MUST.search(text) is not None
        return ("must" if must else "plain"), must
    if total % 2:
        skipping = skips and permits and not negations
        return ("weak" if skipping else "never"), True
    demands = (skips and negations) or (not permits and (skips or negations > 1))
    return ("must" if demands and not (forbids or kept) else "may"), True

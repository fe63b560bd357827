"""Every heading, label and word of the six files, in both languages, in one table.

The first name of a row is the one that gitstate writes; the others are what agents and
people write instead. Names are compared without case, emphasis, emoji, numbering and
punctuation (``vocabulary.normal``), so ``## 🎯 2. **Next Step:**`` is ``next step``.
"""

# ruff: noqa: ISC004 a row of names runs over several lines
from __future__ import annotations

# key -> (English names, Chinese names)
Names = dict[str, tuple[str, str]]

_TASK: Names = {
    "goal": (
        "Goal|goals|objective|objectives|task goal|current goal|main goal|aim|mission",
        "目标|任务目标|总目标|当前目标|总体目标|目的",
    ),
    "task": (
        "Task|current task|active task|task description",
        "任务|当前任务|任务描述",
    ),
    "constraints": (
        "Constraints|constraint|hard constraints|limits|limitations|requirements"
        "|constraints and requirements",
        "约束|约束条件|限制|限制条件|要求|硬性约束",
    ),
    "steps": (
        "Steps|plan|progress|subtasks|sub tasks|tasks|task list|checklist"
        "|todo list|to do list|implementation plan|plan and progress|progress tracking"
        "|steps and status|work plan",
        "步骤|计划|进度|子任务|任务列表|任务清单|待办清单|执行步骤|实施步骤|实施计划"
        "|任务进度|执行计划|进展|任务分解|步骤进度",
    ),
    "done": (
        "Done|completed|completed steps|finished|done so far|what is done"
        "|completed tasks|completed work",
        "已完成|完成|已完成步骤|已完成的步骤|已完成任务",
    ),
    "in_progress": ("In progress|doing|wip|working on", "进行中|正在进行|正在做"),
    "todo": (
        "Todo|to do|remaining|remaining steps|pending|remaining work|not started",
        "待办|未完成|剩余步骤|待完成|待做|待办事项|未开始|剩余工作",
    ),
    "blocked": ("Blocked|stuck|on hold", "受阻|被阻塞|卡住"),
    "next": (
        "Next step|next steps|next|next action|next actions|immediate next step"
        "|what is next|what s next|up next|next up",
        "下一步|下一步行动|下一步操作|接下来|下一步计划|后续步骤|下一个动作",
    ),
    "anchor": (
        "Anchor|anchor file|anchor point|open first|file to open first|start here"
        "|start from|resume at|resume here|current file|working file",
        "锚点|锚点文件|锚文件|首先打开|先打开|最先打开|从这里开始|当前文件|起点文件",
    ),
    "blockers": (
        "Blockers|blocker|blocked by|blocking|blocking issues|obstacles|waiting for"
        "|waiting on",
        "阻塞|阻塞项|阻塞点|阻塞问题|阻碍|障碍|卡点|等待",
    ),
    "failed": (
        "Failed attempts|failed attempt|failed approaches|failed|attempts that failed"
        "|what did not work|what didn t work|dead ends|tried and failed"
        "|tried and did not work|already tried|tried",
        "失败的尝试|失败尝试|已失败的尝试|尝试失败|失败方案|失败记录|失败的方法|试过但失败"
        "|失败的做法|走不通的路",
    ),
}
_STEP: Names = {
    "conclusion": (
        "Conclusion|conclusions|result|results|outcome|finding|findings|root cause",
        "结论|结果|发现|成果|根因",
    ),
    "files": (
        "Files|file|files touched|touched|changed files|files changed|modified"
        "|modified files|files modified|touched files|changed",
        "文件|涉及文件|修改文件|改动文件|相关文件|修改的文件|改动的文件|涉及的文件",
    ),
    "status": ("Status|state", "状态|当前状态"),
}
_ATTEMPT: Names = {
    "approach": (
        "Approach|attempt|what|tried|what was tried",
        "做法|方法|尝试|方案",
    ),
    "reason": (
        "Reason|why|why it failed|because|result|outcome|failed because|problem",
        "原因|理由|失败原因|结果|为什么|问题",
    ),
}
_DATED: Names = {
    "date": (
        "Date|when|decided on|time|opened|opened on|created|recorded",
        "日期|时间|决定日期|记录日期|发现日期|创建日期",
    ),
    "strength": ("Strength", "强度"),
}
_DECISION: Names = {
    "decision": ("Decision|decided|choice|we decided", "决策|决定|选择|决策内容"),
    "reason": (
        "Reason|reasons|why|rationale|because|motivation|justification|reasoning",
        "理由|原因|依据|为什么|决策理由|选择理由|决策依据",
    ),
    "alternatives": (
        "Alternatives|alternative|alternatives considered|considered alternatives"
        "|rejected|rejected alternatives|rejected options|options considered"
        "|considered|other options|not chosen|instead of",
        "替代方案|备选方案|备选|其他方案|被否决的方案|否决方案|否决的方案|备选项"
        "|可选方案|考虑过的方案|替代选项|放弃的方案|未采用",
    ),
    "why_not": (
        "Why not|rejected because|why rejected|why they were rejected",
        "为什么不选|为何不选|否决理由|不选原因|未选原因|不采用原因",
    ),
    "confidence": (
        "Confidence|confidence level|certainty|level of confidence",
        "置信度|信心|把握|可信度|确定性|确信度",
    ),
    "supersedes": (
        "Supersedes|supersede|replaces|overrides|superseding",
        "取代|替代|代替|覆盖|推翻|取代决策|替换",
    ),
    "superseded_by": (
        "Superseded by|replaced by|overridden by",
        "被取代|已被取代|取代者|被替代|被代替|已被替代",
    ),
    "status": ("Status|state", "状态|当前状态"),
    **_DATED,
}
_ISSUE: Names = {
    "title": ("Issue|problem|title|symptom|description|summary", "问题|标题|现象|描述"),
    "kind": ("Kind|type|category|class", "类型|种类|类别|分类"),
    "status": ("Status|state", "状态|当前状态"),
    "workaround": (
        "Workaround|work around|temporary fix|mitigation|for now|meanwhile"
        "|temporary workaround",
        "临时方案|变通方案|变通办法|规避方法|规避方案|临时解决方案|权宜之计|绕过方法"
        "|临时办法|临时处理|应对办法",
    ),
    "resolution": (
        "Resolution|fix|fixed by|solution|resolved by|how it was fixed|resolved",
        "解决方式|解决方案|解决|修复|解决办法|修复方式|处理结果|如何解决",
    ),
    **_DATED,
}
_ISSUE_SECTIONS: Names = {
    "open": (
        "Open|open issues|active|active issues|unresolved|current issues|known issues",
        "未解决|未解决的问题|待解决|待解决的问题|当前问题|未修复",
    ),
    "resolved": (
        "Resolved|resolved issues|closed|closed issues|fixed|fixed issues|done",
        "已解决|已解决的问题|已修复|已关闭",
    ),
    "bug": ("Bugs|bug|defects|known bugs", "缺陷|错误|故障|缺陷列表"),
    "workaround": ("Workarounds|workaround", "临时方案|变通方案"),
    "debt": ("Technical debt|debt|tech debt", "技术债|技术债务|技术欠账"),
}
_CONTEXT: Names = {
    "facts": (
        "Facts|fact|project facts|key facts|tech stack|technology stack|stack|overview"
        "|environment|basics|project overview|project",
        "事实|项目事实|技术栈|基本信息|概况|环境|项目信息|关键事实|技术选型",
    ),
    "commands": (
        "Commands|command|common commands|useful commands|key commands|scripts"
        "|how to run|build and test|development commands",
        "命令|常用命令|脚本|构建与测试|关键命令|开发命令|构建命令",
    ),
    "forbidden": (
        "Forbidden|never|do not|don ts|prohibited|prohibitions|off limits|must not"
        "|do not touch|never do|forbidden things|don t|hands off|red lines",
        "禁止事项|禁止|禁区|不要|红线|禁忌|不得|禁止的事|严禁|不能做的事|不要碰",
    ),
}
_RULES: Names = {
    "rules": (
        "Rules|rule|conventions|coding conventions|coding rules",
        "规则|约定|编码规则|编码约定|规范|编码规范",
    ),
    "must": (
        "Must|always|musts|must do|always do|required|mandatory",
        "必须|务必|一律|必须做的事",
    ),
    "forbidden": _CONTEXT["forbidden"],
}
_RULE: Names = {
    "rule": ("Rule|convention|constraint|what", "规则|约定|规范|内容"),
    "reason": ("Reason|why|rationale|because", "理由|原因|为什么|依据"),
    "strength": ("Strength", "强度"),
}
_FILE: Names = {
    "path": (
        "Path|file|file path|name|module|filename",
        "路径|文件|文件路径|文件名|模块",
    ),
    "role": (
        "Role|purpose|description|responsibility|what it does|does|summary|notes",
        "职责|作用|说明|用途|描述|角色|功能|责任",
    ),
    "uses": (
        "Uses|depends on|imports|dependencies|requires|calls",
        "使用|依赖|引用|调用|导入",
    ),
    "used_by": (
        "Used by|imported by|callers|called by|dependents|referenced by|consumers",
        "被使用|被引用|被依赖|使用者|调用方|被调用|调用者|引用方",
    ),
    "tested_by": (
        "Tested by|tests|test|test file|test files|covered by",
        "测试|测试文件|对应测试|被测试|测试覆盖",
    ),
    "generated_from": (
        "Generated from|generated by|built from|derived from|generated",
        "生成自|由此生成|来源文件|生成来源|生成源",
    ),
}
_MAP: Names = {
    "files": (
        "Files|file map|map|key files|important files|main files|file list",
        "文件|文件地图|关键文件|重要文件|主要文件|文件列表|核心文件",
    ),
}
_PAIR: Names = {
    "key": (
        "Key|fact|name|item|property|setting|task|purpose",
        "键|名称|项目|事实|用途",
    ),
    "value": ("Value|command|details|description|run", "值|内容|命令|说明|详情"),
    "source": ("Source|from", "来源|出处"),
}
_STEP_TABLE: Names = {
    "number": ("#|no|id|number|step no", "序号|编号|号"),
    "text": (
        "Step|task|description|subtask|what|desc|item",
        "步骤|任务|描述|子任务|内容|说明|事项",
    ),
    **_STEP,
}
_ENTRY_TABLE: Names = {"number": ("ID|#|no|number", "编号|序号|号")}

_STEP_STATUS: Names = {
    "todo": (
        "todo|to do|pending|not started|open|planned|queued|not done|not yet",
        "待办|未开始|待做|待处理|未完成|待完成|未做|计划中",
    ),
    "in_progress": (
        "in progress|wip|doing|active|started|ongoing|current|working|now|partial",
        "进行中|正在进行|处理中|开发中|正在做|当前|部分完成",
    ),
    "done": (
        "done|complete|completed|finished|fixed|closed|resolved|passed",
        "已完成|完成|已做|做完|已做完|已解决|已修复",
    ),
    "blocked": (
        "blocked|stuck|on hold|waiting|paused",
        "受阻|阻塞|被阻塞|卡住|等待|暂停|等待中|已阻塞",
    ),
}
_CONFIDENCE: Names = {
    "high": ("high|very high|strong|certain|sure|h", "高|很高|较高|确定"),
    "medium": ("medium|med|moderate|mid|fair|m", "中|中等|一般|适中"),
    "low": ("low|very low|weak|uncertain|tentative|unsure|l", "低|很低|较低|不确定"),
}
_STRENGTH: Names = {
    "high": ("high|strong", "高|强"),
    "medium": ("medium|med|moderate", "中|中等"),
    "low": ("low|weak", "低|弱"),
}
_DECISION_STATUS: Names = {
    "live": (
        "accepted|active|live|approved|in force|current|valid|final|decided|done",
        "有效|生效|已采纳|已接受|已决定|采纳|生效中|已通过",
    ),
    "proposed": ("proposed|draft|pending|under discussion", "提议|草案|待定|讨论中"),
    "superseded": (
        "superseded|replaced|overridden|obsolete",
        "已取代|被取代|已被取代|已替代",
    ),
    "withdrawn": (
        "withdrawn|rejected|deprecated|reverted|cancelled|canceled|abandoned",
        "已撤销|撤销|已废弃|废弃|已否决|已取消|作废|已放弃",
    ),
}
_KIND: Names = {
    "bug": ("bug|defect|error|regression|failure|fault", "缺陷|错误|故障|漏洞|问题"),
    "workaround": ("workaround|work around|hack", "临时方案|变通|变通方案|规避"),
    "debt": (
        "debt|technical debt|tech debt|cleanup|refactoring",
        "技术债|技术债务|债务|欠账",
    ),
}
_ISSUE_STATUS: Names = {
    "open": (
        "open|active|new|unresolved|not fixed|in progress|todo|known|ongoing|pending"
        "|unfixed|reopened|investigating",
        "未解决|打开|待解决|未修复|处理中|待处理|进行中|未处理|待修复|开放",
    ),
    "resolved": (
        "resolved|closed|fixed|done|solved|gone|wontfix|won t fix|mitigated",
        "已解决|已修复|已关闭|关闭|解决|已处理|已消失",
    ),
}
# Said where there is nothing to say: the same as an empty section.
_NOTHING: Names = {
    "nothing": (
        "none|n a|na|nothing|nil|no|tbd|none yet|none so far|none currently|empty"
        "|no blockers|no constraints|not applicable|none at the moment|unknown",
        "无|暂无|没有|待定|空|无阻塞|目前无|暂时没有|目前没有|不适用|未知",
    )
}

TABLES: dict[str, Names] = {
    "task": _TASK,
    "step": _STEP,
    "attempt": _ATTEMPT,
    "conclusion": {"anchor": _TASK["anchor"], **_STEP},
    "decision": _DECISION,
    "issue": _ISSUE,
    "issue sections": _ISSUE_SECTIONS,
    "context": _CONTEXT,
    "rules": _RULES,
    "rule": _RULE,
    "file": _FILE,
    "map": _MAP,
    "pair": _PAIR,
    "step table": _STEP_TABLE,
    "decision table": {**_ENTRY_TABLE, **_DECISION},
    "issue table": {**_ENTRY_TABLE, **_ISSUE},
    "step status": _STEP_STATUS,
    "confidence": _CONFIDENCE,
    "strength": _STRENGTH,
    "decision status": _DECISION_STATUS,
    "kind": _KIND,
    "issue status": _ISSUE_STATUS,
    "nothing": _NOTHING,
}

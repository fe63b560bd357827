"""What stands in an agent's own files: the protocol as a block, a skill, commands; pure.

Names no agent. The seven rules and the parts of a handoff are those of the briefing and
of ``gitstate handoff``: each stands once, in ``words`` and ``handoff``.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json

from gitstate.recall import handoff, words

SKILL = "gitstate"  # the skill's name and its folder's, as the format wants it

_EN = {
    "block": "## Working state\n\nThe working state of this repository's coding agents is kept in `{dir}/` by "
    "gitstate. It outlives\na session and a compaction of the context, so it is read first and written as the work goes on.\n",
    "skill description": "Reads and writes the working state of this repository (goal, steps, next step, rules and "
    "prohibitions, decisions, known issues, file map), which gitstate keeps across sessions and context compactions. "
    "Use it at the start of a session, when the context was compacted or summarised or the start of the talk is gone, "
    "after each finished step, decision, new problem or failed attempt, and before work is handed over.",
    "skill": """\
# Working state

The state is in `{dir}/`, as numbered Markdown files; gitstate keeps every version of them.

## Read it

- At the start of a session, and whenever the start of the talk is gone (the context was
  compacted, summarised or cut): run `gitstate brief` before anything else, and go on with the
  next step that it ends with.
- Before a file is edited that the task names: `gitstate context FILE` prints all that is
  recorded of it.
- What is no longer in the files: `gitstate search TEXT`.
- Where gitstate says that it is not set up here: `gitstate init`, once the user agrees.

## Keep it

{protocol}

More verbs: `gitstate task start "GOAL" --next "..." --anchor FILE:LINE`, `gitstate task anchor
FILE:LINE`, `gitstate issue resolve ID "how"`, `gitstate rule add "Must ..."`, `gitstate rule add
--forbidden "Never ..."`, `gitstate fact set KEY VALUE`. Each takes `--help`. A verb that refuses
says what to write instead. The files may be edited by hand too.

## Hand it over

`gitstate handoff` writes and checks `{dir}/long_mem/handoff.md`, in at most {chars} characters. Run
the verbs that it names until it names none.
""",
    "handoff description": "Hand this task over: write and check a handoff of at most {chars} characters",
    "handoff": """\
Hand over the task of this session, so that whoever goes on needs nothing of this talk.

1. Run `gitstate handoff`. When it exits with 0, show what it printed: that is the handoff.
2. When it names what is missing or vague, run the verbs that it names with what you know of this
   session, and run it again. When no task is written down, begin one first: `gitstate task start
   "GOAL" --step "..." --next "..." --anchor FILE:LINE`.
3. When gitstate is not set up here, or there is no such command, write the handoff yourself: into
   `.agent-state/long_mem/handoff.md` (make the folders), and show it. Nothing else is to be set up
   for that.

A handoff has at most {chars} characters and these parts, in this order:

{parts}

Write paths whole, from the repository's root. Leave failed attempts out: a summary that names
them leads back to them.
""",
    "brief description": "Read this repository's working state again, and go on with its next step",
    "brief": """\
Run `gitstate brief` and read all that it prints. Its rules and prohibitions bind you. Then say in one
sentence what the goal is and what the next step is, open the file that it names first, and do
exactly that step. When gitstate is not set up here, say so: `gitstate init` sets it up.
""",
}
_ZH = {
    "block": "## 工作状态\n\n本仓库编码代理的工作状态由 gitstate 保存在 `{dir}/` 中。它在会话结束与上下文压缩之后仍然存在：\n"
    "先阅读它，并在工作过程中随时写入。\n",
    "skill description": "读取并写入本仓库的工作状态（目标、步骤、下一步、规则与禁令、决策、已知问题、文件地图），"
    "由 gitstate 跨会话与上下文压缩保存。在会话开始时、上下文被压缩或摘要或对话开头丢失时、"
    "每完成一步、作出决策、遇到新问题或失败的尝试之后，以及交接工作之前使用。",
    "skill": """\
# 工作状态

状态保存在 `{dir}/` 中，是带编号的 Markdown 文件；gitstate 保存它们的每个版本。

## 阅读

- 会话开始时，以及对话开头丢失时（上下文被压缩、摘要或截断）：先运行 `gitstate brief`，然后做它最后给出的下一步。
- 修改任务中提到的文件之前：`gitstate context FILE` 给出该文件的全部记录。
- 已不在文件中的内容：`gitstate search TEXT`。
- gitstate 提示此处尚未设置时：征得用户同意后运行 `gitstate init`。

## 维护

{protocol}

其他命令：`gitstate task start "目标" --next "…" --anchor FILE:LINE`、`gitstate task anchor FILE:LINE`、`gitstate
issue resolve ID "办法"`、`gitstate rule add "必须…"`、`gitstate rule add --forbidden "禁止…"`、`gitstate fact set
KEY VALUE`。每个命令都有 `--help`；被拒绝时会说明该怎么写。也可以手动编辑这些文件。

## 交接

`gitstate handoff` 写入并检查 `{dir}/long_mem/handoff.md`，不超过 {chars} 个字符。运行它所列出的命令，直到不再列出。
""",
    "handoff description": "交接当前任务：写入并检查不超过 {chars} 个字符的交接",
    "handoff": """\
交接本次会话的任务，使接手者不需要本次对话中的任何内容。

1. 运行 `gitstate handoff`。若以 0 退出，展示其输出：那就是交接。
2. 若它指出缺失或含糊之处，用你在本次会话中所知的内容运行它列出的命令，然后再次运行。若尚未写下任务，先开始一个：
   `gitstate task start "目标" --step "…" --next "…" --anchor FILE:LINE`。
3. 若此处未设置 gitstate，或没有该命令，请自己写交接：写入 `.agent-state/long_mem/handoff.md`（需要时建立文件夹），并展示它。
   为此不需要设置任何其他东西。

交接不超过 {chars} 个字符，依次包含以下部分：

{parts}

路径从仓库根目录写全。不写失败的尝试：提到它们的摘要会使人重蹈覆辙。
""",
    "brief description": "重新阅读本仓库的工作状态，并继续下一步",
    "brief": """\
运行 `gitstate brief` 并读完其全部输出。其中的规则与禁令对你有约束力。然后用一句话说明目标与下一步，先打开它指出的文件，
并且只做这一步。若此处未设置 gitstate，请说明：`gitstate init` 可以设置。
""",
}


def block(lang: str, folder: str) -> str:
    """The state protocol as a section of an agent's instructions, Markdown."""
    head = _words(lang)["block"].format(dir=folder)
    return "\n".join([head, *words.protocol(lang, folder), ""])


def skill(lang: str, folder: str) -> str:
    """A ``SKILL.md`` in the portable layout (https://agentskills.io/specification)."""
    found = _words(lang)
    body = found["skill"].format(
        dir=folder,
        protocol="\n".join(words.protocol(lang, folder)),
        chars=_chars(),
    )
    return f"{_front(name=SKILL, description=found['skill description'])}\n{body}"


def description(lang: str, name: str) -> str:
    """A command in one line; ``name``: ``handoff`` or ``brief``."""
    return _words(lang)[f"{name} description"].format(chars=_chars())


def prompt(lang: str, name: str) -> str:
    """What a command asks the agent to do; it needs no repository that is set up."""
    parts = "\n".join(f"- {one}" for one in handoff.asked_for(lang))
    return _words(lang)[name].format(chars=_chars(), parts=parts)


def markdown_command(lang: str, name: str) -> str:
    """A command as a Markdown file with front matter."""
    front = _front(description=description(lang, name))
    return f"{front}\n{prompt(lang, name)}"


def toml_command(lang: str, name: str) -> str:
    """A command as a TOML file; the prompt stands in a literal string."""
    said = json.dumps(description(lang, name), ensure_ascii=False)
    return f"description = {said}\nprompt = '''\n{prompt(lang, name)}'''\n"


def _words(lang: str) -> dict[str, str]:
    return _ZH if lang == "zh" else _EN


def _chars() -> str:
    return f"{handoff.MOST_CHARS:,}"


def _front(**fields: str) -> str:
    """YAML front matter; a JSON string is a YAML one."""
    lines = [
        f"{key}: {value if value == SKILL else json.dumps(value, ensure_ascii=False)}"
        for key, value in fields.items()
    ]
    return "\n".join(["---", *lines, "---", ""])

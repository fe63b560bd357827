"""A piece of work as its files tell it, from one state to the next, in both languages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitstate.documents import NUMBERED, template
from gitstate.documents import edit_context as context
from gitstate.documents import edit_decisions as decisions
from gitstate.documents import edit_issues as issues
from gitstate.documents import edit_map as maps
from gitstate.documents import edit_rules as rules
from gitstate.documents import edit_steps as steps
from gitstate.documents import edit_task as task
from gitstate.documents.file_map import MapEntry

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.documents.anchors import Anchor
    from gitstate.documents.vocabulary import Lang

CONTEXT, RULES, TASK, ISSUES, LOG, MAP = NUMBERED


@dataclass
class State:
    """The texts of the state directory; ``edit`` puts one through a function."""

    lang: Lang = "en"
    texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in NUMBERED:
            self.texts.setdefault(name, template(name, self.lang))

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        self.texts[name] = change(self.texts[name])

    def data(self) -> dict[bytes, bytes]:
        return {name.encode(): text.encode() for name, text in self.texts.items()}

    # --- what is done in a day's work -------------------------------------------------

    def start(self, goal: str, *todo: str, anchor: Anchor | None = None) -> None:
        self.edit(TASK, lambda text: task.set_goal(text, goal))
        for one in todo:
            self.edit(TASK, lambda text, one=one: steps.add_step(text, one))  # type: ignore[misc]  # bound at once
        if anchor:
            self.edit(TASK, lambda text: task.set_anchor(text, anchor))

    def step(self, number: int, status: str, conclusion: str | None = None) -> None:
        def change(text: str) -> str:
            return steps.set_step(text, number, status=status, conclusion=conclusion)  # type: ignore[arg-type]  # a status

        self.edit(TASK, change)

    def next(self, text: str) -> None:
        self.edit(TASK, lambda before: task.set_next(before, text))

    def decide(
        self, text: str, reason: str, *supersedes: str, confidence: str = "medium"
    ) -> None:
        def change(before: str) -> str:
            return decisions.add(
                before,
                text,
                reason,
                supersedes=supersedes,
                confidence=confidence,  # type: ignore[arg-type]  # one of three
            )[0]

        self.edit(LOG, change)

    def withdraw(self, id_: str) -> None:
        """By hand: no verb withdraws a decision."""

        def change(text: str) -> str:
            heading = rf"(## {id_} .*\n\n)"
            return re.sub(heading, r"\1- Status: withdrawn\n", text)

        self.edit(LOG, change)

    def open_issue(self, title: str, workaround: str | None = None) -> None:
        def change(text: str) -> str:
            return issues.add(text, title, workaround=workaround)[0]

        self.edit(ISSUES, change)

    def resolve(self, id_: str, resolution: str) -> None:
        self.edit(ISSUES, lambda text: issues.resolve(text, id_, resolution))

    def rule(self, text: str) -> None:
        self.edit(RULES, lambda before: rules.add_rule(before, text))

    def fact(self, key: str, value: str) -> None:
        self.edit(CONTEXT, lambda text: context.set_fact(text, key, value))

    def map(self, path: str, role: str) -> None:
        self.edit(MAP, lambda text: maps.put(text, MapEntry(path, role)))

"""What is taken from ``gitstate.recall``, loaded when it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.recall.briefing import Briefing, Unit
    from gitstate.workspace import Workspace


def briefing(
    ws: Workspace, *, limit: int, unit: Unit, after: int | None, lean: bool
) -> Briefing:
    """The state as text; raises as ``briefing.brief_for``."""
    from gitstate.recall.briefing import brief_for  # noqa: PLC0415 when it is said

    return brief_for(ws, limit=limit, unit=unit, after=after, lean=lean)


def remember(ws: Workspace) -> None:
    """Parse the state now, while nobody waits for it; raises as ``briefing``."""
    from gitstate.recall import reading  # noqa: PLC0415 as above

    reading.remember(ws)


def measure(text: str, unit: Unit) -> int:
    """How much of a limit a text takes."""
    from gitstate.recall import briefing as made  # noqa: PLC0415 when it is said

    return made.measure(text, unit)


def template(ws: Workspace) -> str:
    """What a summariser is to keep, as the state says it."""
    from gitstate.recall import handoff  # noqa: PLC0415 when it is said

    return handoff.template(ws)


def first_edit_line(ws: Workspace, path: str, since: float) -> str:
    """What is known of a file that was changed in this task; "" for nothing."""
    from gitstate.recall import file_states  # noqa: PLC0415 when it is said

    return file_states.first_edit_line(ws, path, since) or ""


def questions(ws: Workspace, nth: int) -> list[str]:
    """What is asked after a briefing: the combined question and a restatement."""
    from gitstate.recall.questions import after_brief  # noqa: PLC0415 when it is said
    from gitstate.recall.texts import texts_of  # noqa: PLC0415 when it is said

    return after_brief(texts_of(ws), nth, ws.settings.lang)


def probes(ws: Workspace) -> list[tuple[str, str]]:
    """The facts that can be asked for, each with its question."""
    from gitstate.recall.checks import checks_of  # noqa: PLC0415 when it is said

    return [(one.dimensions[0].key, one.text) for one in checks_of(ws).probes()]


def knows(ws: Workspace, key: str, said: Sequence[tuple[str, str]]) -> bool | None:
    """Does one of the answers answer a probe; ``None`` where the fact is gone.

    ``said``: messages, each with the part of it that answers.
    """
    from gitstate.recall.checks import Said, checks_of, judged  # noqa: PLC0415 when it is said

    found = [one for one in checks_of(ws).probes() if one.dimensions[0].key == key]
    if not found:
        return None
    return judged(found[:1], (Said(*one) for one in said))[0].accepted


def judged(
    ws: Workspace, nth: int, said: Sequence[tuple[str, str]], room: int, unit: Unit
) -> tuple[str, list[str]] | None:
    """What the answers to ``questions`` missed, at most ``room`` in ``unit``, and what to ask again.

    ``None`` where all of it was taken in.
    """
    from gitstate.recall.checks import Said, checks_of, judged  # noqa: PLC0415 when it is said
    from gitstate.recall.missed import given_back  # noqa: PLC0415 when it is said

    checks = checks_of(ws)
    requests = checks.after_brief(nth)
    verdicts = judged(requests, (Said(*one) for one in said))
    pairs = zip(requests, verdicts, strict=True)
    again = [request.text for request, verdict in pairs if not verdict.accepted]
    if not again:
        return None
    bad = [one for one in verdicts if not one.accepted]
    folder = ws.settings.dir
    return given_back(checks, bad, room=room, folder=folder, unit=unit), again

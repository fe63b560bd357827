"""``gitstate verify``: was a file of the state taken in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, Refused

if TYPE_CHECKING:
    from gitstate.recall.asking import Request
    from gitstate.recall.checks import Checks
    from gitstate.recall.verification import Verdict

EXAMPLES = """\
\b
Examples:
  gitstate verify 01-coding-conventions.md --ask     what to restate
  gitstate verify 01-coding-conventions.md < answer.txt
  gitstate verify < answer.txt     which step, what next, which known issue
"""
_MOST = 1 << 20  # bytes of an answer


@click.command("verify", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("file", required=False)
@click.option("--ask", is_flag=True, help="Only print what to restate.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(file: str | None, *, ask: bool, json_: bool) -> int:
    """Hold an answer (standard input) against FILE: rules, values, paths, prohibitions.

    FILE is relative to the state directory; without it the answer is to one question over
    the task and the known issues. What is missing or said otherwise is named, and the
    file's text follows. On a terminal the question is printed. Nothing is written.
    """
    return run(file, ask=ask, json_=json_)


def run(file: str | None, *, ask: bool = False, json_: bool = False) -> int:
    """Exit 0 where the answer is accepted, 1 where something is missing or contradicted."""
    from gitstate.recall.checks import checks_of  # noqa: PLC0415 after the words are parsed

    ws = open_workspace()
    checks = checks_of(ws, file or "")
    request = checks.of_file(file) if file else checks.of_all()
    if not request.text:
        raise Refused(f"nothing in {file or 'the task'} can be asked about yet")
    if ask or on_terminal():
        return _asked(request, file, json_=json_)
    return judge(checks, request, file, folder=ws.settings.dir, json_=json_)


def on_terminal() -> bool:
    """Would an answer have to be typed; not where standard input is closed."""
    return sys.stdin is not None and sys.stdin.isatty()


def _asked(request: Request, file: str | None, *, json_: bool) -> int:
    if json_:
        output.say_json({"file": file, "question": request.text})
    else:
        output.say(request.text)
    return EXIT_DONE


def judge(
    checks: Checks, request: Request, file: str | None, *, folder: str, json_: bool
) -> int:
    """Score standard input, and say what was found."""
    from gitstate.recall.missed import given_back, missed_files  # noqa: PLC0415 as above
    from gitstate.recall.verification import score  # noqa: PLC0415 as above

    given = b"" if sys.stdin is None else sys.stdin.buffer.read(_MOST + 1)
    answer = given.decode("utf-8", "replace")
    verdict = score(request, answer)
    back = ""
    if not verdict.accepted:
        back = given_back(checks, [verdict], room=_MOST, folder=folder)
    if json_:
        output.say_json(
            _document(request, verdict, file, missed_files([verdict]), back)
        )
    else:
        _say(request, verdict, back)
    return EXIT_DONE if verdict.accepted else EXIT_REFUSED


def _say(request: Request, verdict: Verdict, back: str) -> None:
    if verdict.accepted:
        output.say(f"accepted: {verdict.said} of {len(request.dimensions)} are there")
        return
    missing, wrong = len(verdict.missing), len(verdict.contradicted)
    output.say(f"not accepted: {missing} missing, {wrong} said otherwise", back)


def _document(
    request: Request,
    verdict: Verdict,
    file: str | None,
    files: list[str],
    back: str,
) -> dict[str, object]:
    return {
        "file": file,
        "question": request.text,
        "accepted": verdict.accepted,
        "said": verdict.said,
        "asked": len(request.dimensions),
        "missing": [
            {"kind": one.kind, "text": one.text, "file": one.file}
            for one in verdict.missing
        ],
        "contradicted": [
            {
                "said": one.said,
                "text": one.dimension.text if one.dimension else None,
                "file": one.dimension.file if one.dimension else None,
            }
            for one in verdict.contradicted
        ],
        "files": files,
        "text": back or None,
    }

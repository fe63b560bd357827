"""What users of similar tools have reported, in our words, each with where it stands.

A test carries ``@pytest.mark.report(N)``; one report may have several, wherever they
fit, and each tests the report's whole kind. The end of a test run names the numbers
that have none yet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

KNOWN: dict[int, str] = {
    1: "gastownhall/beads#520, #1634: the user's hooks fire on a commit made in the background, and stop it",
    2: "entireio/cli#228, repowise#1511: hooks lie where git does not look since husky set core.hooksPath",
    3: "lefthook#901, simple-git-hooks#148, gitlint#68: setting up fails in a linked worktree",
    4: "beads#254, #1120, #816, pre-commit#3450: the installer overwrites a hook of the user's, or its backup",
    5: "beads GH#1380, gascity#4800: what is appended below pre-commit's final exec never runs",
    6: "prek#486, #1786, pre-commit#322, #3395: the index of `git commit -a` reaches a child of the hook",
    7: "lefthook#1265, tracker#399, prek#2505, lychee#2292: a hook's GIT_DIR sends a daemon to another repository",
    8: "opencode#48848, obsidian-git#1077: one stale lock ends all snapshots, and nobody is told",
    9: "lean4-skills#66, AssemblyZero#2364, typeclaw#342: a stash, a clean or a checkout takes the state away",
    10: "beads#1933: `git reset --hard` is undone by the daemon",
    11: "gitwatch, beads#2449, tpope/hookup#44: a rebase under way is disturbed",
    12: "pre-commit#2777, #36, #359, lazygit#3149, husky#49, #606: the tool is gone, and every commit is refused",
    13: "gemini-cli#14646, the beads daemon: no user.name, and no snapshot",
    14: "hermes-agent#11261, gemini-cli#1294, #17877: commit.gpgsign asks for a passphrase in the background",
    15: "git-branchless#1628, gitfourchette#90, libgit2sharp#2153: a sha256 repository is a crash",
    16: "beads#519, #807: the state branch is checked out somewhere",
    17: "dsh-checkpoint-rewind#24, #15, opencode#46034: snapshots are pruned, and a restore of nothing is a success",
    18: "cline#14367, claude-ctrl#118, entire#1408: a restore deletes what is needed, or leaves what was not there",
    19: "watchdog#419, #276, #4, code-review-graph#811, gitwatch#31: the watched folder is replaced, and nothing is seen",
    20: "happier#342, paseo#1304, packetfence#3291: a pid file from before the restart names a stranger",
    21: "dura, opencode#48848, beads#278: two daemons, or two sessions, write one repository",
    22: "APScheduler#339, #794, #292: what was due while the machine slept is dropped",
    23: "codex#19588, opencode#3176, #18069, jj#3912, #5278: a huge file, or very many, fill the disk or stop everything",
    24: "gitbutler#12748, edheltzel#74: hooks are installed into a folder that is tracked",
    25: "prek#2088, pre-commit's pre-push: only the first of several pushed refs is looked at",
}

_MARK = re.compile(r"\bmark\.report\(([0-9, ]+)\)")


def marked(folder: Path) -> dict[int, list[Path]]:
    """The numbers that tests below ``folder`` are marked with, and in which files."""
    found: dict[int, list[Path]] = {}
    for path in sorted(folder.rglob("*.py")):
        for numbers in _MARK.findall(path.read_text("utf-8")):
            for number in map(int, filter(None, numbers.replace(" ", "").split(","))):
                found.setdefault(number, []).append(path)
    return found


def untested(folder: Path) -> list[int]:
    """The known numbers that no test below ``folder`` is marked with."""
    return sorted(KNOWN.keys() - marked(folder).keys())

"""What a command's words show of the files that it reads and writes."""

from __future__ import annotations

import pytest

from gitstate.hooks.agents.shell_words import patched, uses

PATCH = """*** Begin Patch
*** Update File: src/a.ts
@@
-x
+y
*** Add File: src/b.ts
+z
*** Delete File: src/c.ts
*** Update File: src/d.ts
*** Move to: src/e.ts
*** End Patch
"""
PATCHED = [
    ("edit", "src/a.ts"),
    ("create", "src/b.ts"),
    ("delete", "src/c.ts"),
    ("edit", "src/d.ts"),
    ("create", "src/e.ts"),
]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.ts b.ts", [("read", "a.ts"), ("read", "b.ts")]),
        ("sed -n 1,200p src/a.ts", [("read", "src/a.ts")]),
        ("sed -n '1,2p' a.ts | head -5", [("read", "a.ts")]),
        ("sed -i 's/a/b/' a.ts", [("edit", "a.ts")]),
        ("sed -i.bak -e s/a/b/ -e s/c/d/ a.ts", [("edit", "a.ts")]),
        ("head -n 20 a.ts", [("read", "a.ts")]),
        ("rg -n parseExpr src/a.ts", [("read", "src/a.ts")]),
        ("rg parseExpr src", []),
        ("grep -rn -e x a.ts", [("read", "a.ts")]),
        ("echo hi > a.txt", [("edit", "a.txt")]),
        ("echo hi >>a.txt 2>/dev/null", [("edit", "a.txt")]),
        ("cat <in.txt >out.txt", [("read", "in.txt"), ("edit", "out.txt")]),
        ("cd src && cat a.ts", [("read", "src/a.ts")]),
        ("rm -f a.ts", [("delete", "a.ts")]),
        ("mv a.ts b.ts", [("delete", "a.ts"), ("edit", "b.ts")]),
        ("bash -lc 'cat a.ts'", [("read", "a.ts")]),
        ("echo x | tee a.ts", [("edit", "a.ts")]),
        ("FOO=1 sudo cat a.ts", [("read", "a.ts")]),
        ("cat > a.ts <<'EOF'\ncat secret.ts\nEOF\ncat b.ts", [("edit", "a.ts"), ("read", "b.ts")]),
        ("git checkout -- a.ts b.ts", [("git", "a.ts"), ("git", "b.ts")]),
        ("git checkout main", [("git", "main")]),  # a file of that name, where there is one
        ("git checkout -b next", []),
        ("cd src && git restore -s HEAD~1 a.ts", [("git", "src/a.ts")]),
        ("git restore --staged a.ts", []),
        ("git restore -S -W a.ts", [("git", "a.ts")]),
        ("git -C src stash push -m x", [("git", ".")]),
        ("git stash; git stash list; git stash pop", [("git", ".")]),
        ("git reset --hard && git reset HEAD~1", [("git", ".")]),
        ("git status; git commit -m stash; git", []),
        ("pnpm test", []),
        ("cat $FILE *.ts `x`", []),
        ("cat 'never closed", []),
        ("", []),
        ("cat -- -odd.ts", [("read", "-odd.ts")]),
        (f"apply_patch <<'EOF'\n{PATCH}EOF", PATCHED),
    ],
)  # fmt: skip
def test_a_command(command: str, expected: list[tuple[str, str]]) -> None:
    assert uses(command) == expected


LONG = "rm b.ts\ncat c.ts\n" * 2_000


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"cat > a.ts <<'EOF'\n{LONG}EOF\ncat b.ts", [("edit", "a.ts")]),
        (f"cat <<A <<-'B-2' > a.ts\nrm x\nA\n{LONG}", [("edit", "a.ts")]),
        ("cat > a.ts <<X\ncat b.ts", [("edit", "a.ts"), ("read", "b.ts")]),
        ("cat <<<EOF; cat b.ts\nEOF", [("read", "b.ts")]),
        ("echo $((1<<2))\ncat b.ts\n2", [("read", "b.ts")]),
        (f"apply_patch <<'EOF'\n{PATCH * 200}EOF", PATCHED * 200),
    ],
    ids=range(6),
)
def test_a_text_that_is_handed_over_is_no_command(
    command: str, expected: list[tuple[str, str]]
) -> None:
    assert uses(command) == expected


def test_a_patch_names_its_files() -> None:
    assert patched(PATCH) == PATCHED

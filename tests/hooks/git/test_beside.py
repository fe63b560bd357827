"""Beside a hook of the user's own, in any language: both run, and his is as it was."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.effects import ALL_OURS, Scene, add_hook

if TYPE_CHECKING:
    from pathlib import Path

TELL = 'printf "%s %s\\n" "$0" "$*" >>"$HOOK_LOG"; cat >>"$HOOK_LOG"; exit ${HOOK_CODE:-0}\n'
PYTHON = """import os, sys
from helper import word
with open(os.environ["HOOK_LOG"], "a") as log:
    log.write(f"{sys.argv} {__file__} {__name__} {word} {os.path.basename(sys.path[0])}\\n")
    log.write(sys.stdin.read())
    try:
        raise ValueError
    except ValueError as error:
        log.write(f"{error.__traceback__.tb_lineno >= 8}\\n")
sys.exit(int(os.environ.get("HOOK_CODE", "0")))
"""
PERL = """use strict; use warnings;
open(my $log, ">>", $ENV{HOOK_LOG}) or die;
print $log "$0 @ARGV ", __LINE__, " ", <DATA>, <STDIN>;
exit($ENV{HOOK_CODE} // 0);
__END__
data
"""
SCRIPTS: dict[str, bytes] = {
    "sh": b"#!/bin/sh\n" + TELL.encode(),
    "sh -e": b"#!/bin/sh -e\n" + TELL.encode(),
    "bash": b"#!/usr/bin/env bash\n[[ $0 == ${BASH_SOURCE[0]} ]] || exit 9\n"
    + TELL.encode(),
    "zsh": b"#!/usr/bin/env zsh\n" + TELL.encode(),
    "no first line": TELL.encode(),
    "exec at the end": b"#!/bin/sh\nexec sh -c '"
    + TELL.replace("'", "").encode()[:-1]
    + b'\' "$0" "$@"\n',
    "no end of line": b"#!/bin/sh\n" + TELL.encode()[:-1],
    "python": b"#!/usr/bin/env python3\n" + PYTHON.encode(),
    "python, future": b"#!/usr/bin/env -S python3 -W error\n"
    b'"""Its text."""\nfrom __future__ import annotations\n' + PYTHON.encode(),
    "python, latin 1": b"#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\n"
    b'assert len("\xe9") == 1\n' + PYTHON.encode(),
    "perl": b"#!/usr/bin/perl -w\n" + PERL.encode(),
    "perl by env": b"#!/usr/bin/env perl\n" + PERL.encode(),
}
MISSING = {"zsh": "zsh", "perl": "perl", "perl by env": "perl"}


def both(scene: Scene, twin: Scene) -> tuple[Scene, Scene]:
    return scene, twin


def put(place: Scene, name: str, script: str) -> Path:
    if script in MISSING and shutil.which(MISSING[script]) is None:
        pytest.skip(f"no {MISSING[script]} here")
    path = place.repo.path / ".git" / "hooks" / name
    add_hook(path, SCRIPTS[script])
    add_hook(path.with_name("helper.py"), 'word = "help"\n', 0o644)
    add_hook(path.with_name("lib") / "more.py", "", 0o644)  # folders lie there, too
    place.variables["PYTHONDONTWRITEBYTECODE"] = "1"  # nor does Python add one
    return path


@pytest.mark.report(4)
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("code", ["0", "3"])
def test_before_a_commit(scene: Scene, twin: Scene, script: str, code: str) -> None:
    for place in (scene, twin):
        put(place, "pre-commit", script)
        place.variables["HOOK_CODE"] = code
    before = scene.files()
    scene.init()
    scene.init()
    scene.gitstate("hooks", "install")
    mine, alone = scene.commit(), twin.commit()
    assert (mine.code, mine.others) == (alone.code, alone.others)
    assert alone.others != []
    assert mine.ours == (ALL_OURS if code == "0" else {"pre-commit"})
    assert mine.err == alone.err
    scene.gitstate("hooks", "uninstall")
    assert scene.files() == before
    last = scene.commit()
    assert (last.others, last.ours) == (alone.others, set())


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("refs", [["main"], ["main", "a", "b", ":gone"], []])
def test_before_a_push_everybody_reads_the_same(
    scene: Scene, twin: Scene, script: str, refs: list[str], tmp_path: Path
) -> None:
    for number, place in enumerate((scene, twin)):
        put(place, "pre-push", script)
        remote = tmp_path / f"remote{number}"
        place.repo.git("init", "-q", "--bare", str(remote))
        place.repo.git("remote", "add", "origin", f"../{'../' * number}remote{number}")
        for name in ("a", "b", "gone"):
            place.repo.git("branch", name)
        place.repo.git("push", "-q", "--no-verify", "origin", "gone")
    scene.init()
    if not refs:
        refs = ["gone"]  # up to date: nothing on standard input
    mine, alone = (place.git("push", "-q", "origin", *refs) for place in (scene, twin))
    heads = {
        scene.repo.git("rev-parse", "HEAD"): "HEAD",
        twin.repo.git("rev-parse", "HEAD"): "HEAD",
    }

    def plain(lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        for head, word in heads.items():
            text = text.replace(head, word)
        return text.replace("../../remote1", "../remote0").splitlines()

    assert plain(mine.others) == plain(alone.others)
    assert (mine.code, alone.code) == (0, 0)
    assert len(alone.others) >= len(refs)
    assert mine.ours == {"pre-push"}


@pytest.mark.parametrize("script", ["sh", "python", "perl", "no first line"])
def test_after_an_amend_everybody_reads_the_same(
    scene: Scene, twin: Scene, script: str
) -> None:
    for place in (scene, twin):
        put(place, "post-rewrite", script)
    scene.init()
    for place in (scene, twin):
        place.commit()
    pairs = []
    for place in (scene, twin):
        old = place.repo.git("rev-parse", "HEAD")
        ran = place.git("commit", "-q", "--amend", "-m", "other")
        new = place.repo.git("rev-parse", "HEAD")
        text = "\n".join(ran.others).replace(old, "OLD").replace(new, "NEW")
        pairs.append(text)
        assert "OLD NEW" in text
        assert ran.code == 0
    assert pairs[0] == pairs[1]
    (told,) = (scene.runtime / "links").glob("rewrite.*")
    assert told.read_text() == (
        f"amend\n{scene.repo.git('rev-parse', 'HEAD@{1}')} "
        f"{scene.repo.git('rev-parse', 'HEAD')}\n"
    )


def test_a_very_long_push(scene: Scene, tmp_path: Path) -> None:
    """More than a pipe holds: nothing waits for anything."""
    put(scene, "pre-push", "sh")
    remote = tmp_path / "remote"
    scene.repo.git("init", "-q", "--bare", str(remote))
    head = scene.repo.git("rev-parse", "HEAD")
    lines = "".join(
        f"create refs/heads/some/long/name/{n:06} {head}\n" for n in range(1500)
    )
    scene.repo.git("update-ref", "--stdin", stdin=lines.encode())
    scene.init()
    ran = scene.git("push", "-q", str(remote), "refs/heads/some/*:refs/heads/some/*")
    assert ran.code == 0
    assert len(ran.others) == 1501
    assert ran.ours == {"pre-push"}


def test_a_hook_that_reads_nothing(scene: Scene, tmp_path: Path) -> None:
    add_hook(
        scene.repo.path / ".git/hooks/pre-push", '#!/bin/sh\necho ran >>"$HOOK_LOG"\n'
    )
    scene.repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
    scene.init()
    ran = scene.git("push", "-q", str(tmp_path / "remote"), "main")
    assert (ran.code, ran.others, ran.err) == (0, ["ran"], "")


# moved aside: what can hold no lines of ours


@pytest.mark.parametrize("link", [False, True])
def test_a_program_is_moved_aside_and_back(scene: Scene, link: bool) -> None:  # noqa: FBT001 pytest's
    hooks = scene.repo.path / ".git" / "hooks"
    add_hook(hooks / "tell", SCRIPTS["python"])
    add_hook(hooks / "helper.py", 'word = "help"\n', 0o644)
    program = b'#!/usr/bin/awk -f\nBEGIN { print "awk" >> ENVIRON["HOOK_LOG"] }\n'
    if link:
        add_hook(scene.repo.path / "tools" / "check", program)
        (hooks / "pre-commit").symlink_to("../../tools/check")
    else:
        add_hook(hooks / "pre-commit", program, 0o750)
    before = scene.files("tools")
    said = scene.init()
    assert "moved" in said
    assert "beside it" in said
    ran = scene.commit()
    assert (ran.code, ran.others, ran.ours) == (0, ["awk"], ALL_OURS)
    scene.init()
    assert scene.init().startswith("nothing to do")
    scene.gitstate("uninstall")
    assert scene.files("tools") == before


def test_a_link_to_a_tracked_script_keeps_its_name(scene: Scene, twin: Scene) -> None:
    """The script is not touched, runs under the link's name, and may change at any time."""
    for place in (scene, twin):
        add_hook(place.repo.path / "tools" / "check.sh", SCRIPTS["bash"])
        hooks = place.repo.path / ".git" / "hooks"
        (hooks / "pre-commit").symlink_to("../../tools/check.sh")
        place.repo.git("add", "-A")
        place.repo.git("commit", "-q", "--no-verify", "-m", "tools")
    before = scene.files("tools")
    scene.init()
    assert scene.repo.git("status", "--porcelain") == ""
    mine, alone = scene.commit(), twin.commit()
    assert mine.others == alone.others
    assert mine.others != []
    assert mine.ours == ALL_OURS
    for place in (scene, twin):
        text = "#!/usr/bin/env bash\necho changed $0 >>$HOOK_LOG\nexit 4\n"
        add_hook(place.repo.path / "tools" / "check.sh", text)
    mine, alone = scene.commit(), twin.commit()
    assert (mine.code, mine.others) == (alone.code, alone.others)
    assert mine.others == ["changed .git/hooks/pre-commit"]
    (scene.repo.path / "tools" / "check.sh").unlink()
    assert scene.commit().code == 0
    add_hook(scene.repo.path / "tools" / "check.sh", SCRIPTS["bash"])
    scene.gitstate("hooks", "uninstall")
    assert scene.files("tools") == before


def test_one_that_is_switched_off_stays_off(scene: Scene) -> None:
    path = scene.repo.path / ".git/hooks/pre-commit"
    add_hook(path, "#!/bin/sh\nexit 1\n", 0o644)
    before = scene.files()
    scene.init()
    ran = scene.commit()
    assert (ran.code, ran.ours) == (0, ALL_OURS)
    scene.gitstate("hooks", "uninstall")
    assert scene.files() == before
    scene.init()
    path.chmod(0o644)  # somebody switches ours off in the same way
    assert scene.commit().ours == {"post-commit"}
    scene.init()
    assert scene.commit().ours == ALL_OURS
    scene.gitstate("hooks", "uninstall")
    assert scene.files() == before


def test_a_script_that_others_read_is_not_written_into(scene: Scene) -> None:
    both_ways = b"""#!/bin/sh
''':'
exec python3 "$0" "$@"
'''
import os
open(os.environ["HOOK_LOG"], "a").write("two languages\\n")
"""
    add_hook(scene.repo.path / ".git/hooks/pre-commit", both_ways)
    before = scene.files()
    scene.init()
    ran = scene.commit()
    assert (ran.code, ran.others, ran.ours) == (0, ["two languages"], ALL_OURS)
    scene.gitstate("hooks", "uninstall")
    assert scene.files() == before


@pytest.mark.report(4)
def test_what_others_write_meanwhile_is_kept(scene: Scene) -> None:
    """The user edits the file that ours stands in, also one that was ours alone."""
    hooks = scene.repo.path / ".git" / "hooks"
    add_hook(hooks / "pre-commit", "#!/bin/sh\necho one >>$HOOK_LOG\n")
    scene.init()
    for name in ("pre-commit", "post-commit"):
        with (hooks / name).open("a") as file:
            file.write("echo two >>$HOOK_LOG\n")
    ran = scene.commit()
    assert (ran.others, ran.ours) == (["one", "two", "two"], ALL_OURS)
    scene.init()
    again = scene.commit()
    assert (again.others, again.ours) == (ran.others, ALL_OURS)
    scene.gitstate("hooks", "uninstall")
    assert (hooks / "pre-commit").read_text() == (
        "#!/bin/sh\necho one >>$HOOK_LOG\necho two >>$HOOK_LOG\n"
    )
    assert (hooks / "post-commit").read_text() == "#!/bin/sh\necho two >>$HOOK_LOG\n"
    assert sorted(path.name for path in hooks.iterdir()) == [
        "post-commit",
        "pre-commit",
    ]


def test_a_lost_end_is_said_and_nothing_is_guessed(scene: Scene) -> None:
    path = scene.repo.path / ".git/hooks/pre-commit"
    add_hook(path, "#!/bin/sh\necho one >>$HOOK_LOG\n")
    scene.init()
    broken = path.read_text().replace("# <<< gitstate <<<\n", "")
    path.write_text(broken)
    said = scene.gitstate("hooks", "uninstall")
    assert path.read_text() == broken
    assert "lost their end" in said


def test_the_diff_is_what_is_done(scene: Scene) -> None:
    path = scene.repo.path / ".git/hooks/pre-commit"
    add_hook(path, "#!/bin/sh\necho one >>$HOOK_LOG\n")
    before = scene.files()
    for words in (["init", "--no-daemon"], ["hooks", "install"]):
        shown = scene.gitstate(*words, "--dry-run")
        assert (
            f"--- {path}\n+++ {path}\n@@ -1,2 +1,7 @@\n #!/bin/sh\n+# >>> git" in shown
        )
        files = shown.count("new file mode 100755")
        names = shown.count(f"would put in {scene.repo.path}/.git/")
        # setting a repository up names the files that are ours alone
        assert (files, names) == ((0, 5) if words[0] == "init" else (5, 0))
        assert scene.files() == before
    scene.init()
    after = scene.files()
    shown = scene.gitstate("hooks", "uninstall", "--dry-run")
    assert f"--- {path}\n+++ {path}\n@@ -1,7 +1,2 @@\n #!/bin/sh\n-# >>> git" in shown
    named = scene.gitstate("uninstall", "--dry-run")
    assert f"--- {path}\n+++ {path}\n@@ -1,7 +1,2 @@\n #!/bin/sh\n-# >>> git" in named
    assert named.count("+++ /dev/null") == 0
    assert named.count(f"would remove {scene.repo.path}/.git/") == 6
    assert scene.files() == after


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_a_group_may_run_them(scene: Scene) -> None:
    scene.repo.git("config", "core.sharedRepository", "group")
    old = os.umask(0o077)
    try:
        scene.init()
    finally:
        os.umask(old)
    path = scene.repo.path / ".git/hooks/pre-commit"
    assert path.stat().st_mode & 0o777 == 0o755

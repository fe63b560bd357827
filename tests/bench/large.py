"""A long history: going back in it, packing it, and its room on disk."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.git.objects import FILE, Signature, encode_commit, make
from gitstate.git.packing import consolidate, overdue
from gitstate.history.cache import Cache
from gitstate.history.line import engine_for
from gitstate.history.snapshot import take
from gitstate.history.tree import Entry, build_tree
from tests.bench.measure import Row, Sample, interleaved, limit, ratio, timed
from tests.bench.places import TASK, Editor, begun, run, sentence, text
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitstate.git.objects import NewObject
    from gitstate.workspace import Workspace

BEGIN = 1_700_006_400  # a midnight
_APART_S = 86_400 / 5000
_LINE = "agent-state"
_MOST_PACKS, _MOST_LOOSE, _MOST_KIB = 5, 1000, 0.75
_AT_ONCE = 20  # versions of a long history that are written together


def going_back(folder: Path, *, count: int, runs: int) -> Iterator[Row]:
    """Restore and show any version, cold, beside the same in a history of 100."""
    places = {
        number: history(folder / f"history{number}", number) for number in (100, count)
    }
    short, long = places.values()
    first = Sample([timed(lambda: run("show", f"v1:{TASK}", cwd=long.path))])
    many = f"{count:,} versions"
    yield limit(f"show in {many}, numbers not yet known", first, None)
    run("show", f"v1:{TASK}", cwd=short.path)
    yield from _any(places, many, runs, _GOING)
    days = count * _APART_S / 86_400
    os.environ["GITSTATE_NOW"] = datetime.fromtimestamp(
        BEGIN + (days + 2) * 86_400, UTC
    ).isoformat()
    run("squash", cwd=short.path)
    catching_up = Sample([timed(lambda: run("squash", cwd=long.path))])
    what = f"squash {many} of {days:.0f} days at once, whole process"
    yield limit(what, catching_up, None)
    yield from _any(places, f"{many}, squashed", runs, {**_GOING, **_LISTING})


_GOING = {
    "show any of": ("show", f"v{{number}}:{TASK}"),
    "restore any of": ("restore", "v{number}"),
}
_LISTING = {"log -n 20 of": ("log", "-n", "20")}


def _any(
    places: dict[int, Repo], many: str, runs: int, verbs: Mapping[str, tuple[str, ...]]
) -> Iterator[Row]:
    """The verbs at any version of the long history, beside the short one."""
    pick = random.Random(7)

    def going(
        most: int, words: tuple[str, ...]
    ) -> Callable[[int], Callable[[], object]]:
        def prepared(_: int) -> Callable[[], object]:
            number = pick.randint(1, most)
            named = [word.format(number=number) for word in words]
            return lambda: run(*named, cwd=places[most].path)

        return prepared

    for verb, words in verbs.items():
        small, large = interleaved(
            [going(most, words) for most in places], runs=runs, warm=1
        )
        yield limit(f"{verb} {many}, whole process", large, 500)
        what = f"{verb} {many}, beside 100"
        yield ratio(what, large, small, 10, name="of 100 versions")


def history(path: Path, count: int, *, apart_s: float = _APART_S) -> Repo:
    """A repository whose line has so many versions, as git fast-import packs them."""
    repo = make_repo(path)
    process = subprocess.Popen(
        ["git", "fast-import", "--quiet", "--depth=50"],
        cwd=path,
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None
    for number in range(1, count + 1):
        process.stdin.write(_version(number, apart_s))
    process.stdin.close()
    assert process.wait() == 0
    archive = subprocess.run(
        ["git", "archive", _LINE], cwd=path, check=True, capture_output=True
    )
    subprocess.run(["tar", "x"], cwd=path, input=archive.stdout, check=True)
    run("init", "--no-daemon", cwd=path)
    return repo


def _version(number: int, apart_s: float) -> bytes:
    names = NUMBERED if number == 1 else [TASK]
    subject = "first version" if number == 1 else "02-current-task.md"
    message = (
        f"state v{number}: {subject}\n\nState-Version: {number}\n"
        f"State-Line: {_LINE}\nCode-Branch: main\nState-Lang: en\n"
    ).encode()
    rows = [
        f"commit refs/heads/{_LINE}",
        f"committer A Person <person@example.com> {BEGIN + int(number * apart_s)} +0000",
        f"data {len(message)}",
    ]
    body = "\n".join(rows).encode() + b"\n" + message
    for name in names:
        data = (
            text(number // 100, 1200) + f"- step {number}: {sentence(_step(number))}\n"
        )
        encoded = data.encode()
        body += f"M 100644 inline .agent-state/{name}\ndata {len(encoded)}\n".encode()
        body += encoded
    return body + b"\n"


def _step(number: int) -> random.Random:
    return random.Random(-number)


def packing(folder: Path, *, count: int) -> Iterator[Row]:
    """Packing so many versions, beside git's own packing of the same objects."""
    repo, ws = begun(folder / "packing")
    scratch = ws.shared
    with engine_for(ws) as engine:
        store = engine.packs
        on_the_way = 0.0

        def merged(*, everything: bool = False) -> float:
            return timed(
                lambda: consolidate(
                    store, root=ws.root, scratch=scratch, everything=everything
                )
            )

        for objects in _days_objects(ws, count, engine.ref(ws.ref)):
            store.add(objects, durable=False)
            if overdue(store):
                on_the_way += merged()
        tip = objects[-1].id
        repo.git("update-ref", "refs/heads/many", tip)
        named = repo.git("rev-list", "--objects", tip).encode() + b"\n"
        loose = make_repo(folder / "loose")
        for pack in store.ours():
            with (store.folder / f"{pack.name}.pack").open("rb") as file:
                words = ["git", "unpack-objects", "-q"]
                subprocess.run(words, cwd=loose.path, stdin=file, check=True)
        same = [_git_packs(repo.path, named, folder) for _ in range(3)]
        last = merged(everything=True)
        assert len(store.ours()) == 1
    by_git = Sample([_git_packs(loose.path, named, folder)])
    many = f"{count:,} versions"
    yield ratio(
        f"packing {many} into one, at the end",
        Sample([last]),
        Sample(same),
        1.5,
        name="git pack-objects, of the same packs",
    )
    yield ratio(
        f"packing {many}, all of it since the first",
        Sample([on_the_way + last]),
        by_git,
        None,  # git packs them once, and has them loose until then
        name="git pack-objects, of loose objects",
    )


def _git_packs(cwd: Path, named: bytes, folder: Path) -> float:
    """How long git takes to pack these objects, deltas and all."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        words = ["git", "pack-objects", "-q", "--no-reuse-delta", f"{place}/pack"]
        return timed(
            lambda: subprocess.run(
                words, cwd=cwd, input=named, check=True, stdout=subprocess.DEVNULL
            )
        )


def _days_objects(
    ws: Workspace, count: int, tip: str | None
) -> Iterator[list[NewObject]]:
    """The objects of so many versions, some versions at once."""
    who = Signature(*ws.identity(), BEGIN, 0)
    first = [make("blob", text(at).encode(), ws.object_format) for at in range(6)]
    entries = {
        name.encode(): Entry(FILE, blob.id)
        for name, blob in zip(NUMBERED, first, strict=True)
    }
    waiting: list[NewObject] = first
    for number in range(1, count + 1):
        data = text(number // 100, 1200) + f"- step: {sentence(_step(number))}\n"
        blob = make("blob", data.encode(), ws.object_format)
        entries[TASK.encode()] = Entry(FILE, blob.id)
        tree, trees = build_tree(entries, ws.tree_path, ws.object_format)
        message = f"state v{number}: 02-current-task.md\n\nState-Version: {number}\n"
        body = encode_commit(tree, [tip] if tip else [], who, who, message)
        commit = make("commit", body, ws.object_format)
        tip = commit.id
        waiting += [blob, *trees, commit]
        if number % _AT_ONCE == 0 or number == count:
            yield waiting
            waiting = []


def room(folder: Path, *, count: int) -> Iterator[Row]:
    """Packs and loose objects while versions are made, and the size when packed."""
    repo, ws = begun(folder / "room")
    editor, cache = Editor(repo.state), Cache()
    packs = loose = 0
    with engine_for(ws) as engine:
        store = engine.packs
        before = _loose(ws)
        for number in range(count):
            editor.edit()
            assert take(ws, verb="bench", cache=cache).changed
            if number % 7 == 0:
                packs = max(packs, len(store.ours()))
                loose = max(loose, _loose(ws) - before)
        consolidate(store, root=ws.root, scratch=ws.shared, everything=True)
        names = [pack.name for pack in store.ours()]
        size = sum(
            path.stat().st_size
            for name in names
            for path in store.folder.glob(f"{name}.*")
        )
    many = f"{count:,} versions"
    usual = ("-c", "gc.auto=6700", "-c", "gc.autoPackLimit=50")
    gc = subprocess.run(
        ["git", *usual, "gc", "--auto"], cwd=repo.path, capture_output=True, check=True
    ).stderr.decode()
    yield Row(
        f"our packs while {many} are made", f"{packs} at most", "", packs, _MOST_PACKS
    )
    yield Row(
        f"our loose objects while {many} are made",
        f"{loose} at most",
        "git gc --auto starts at 6,700",
        loose,
        _MOST_LOOSE,
    )
    yield Row("a gc --auto of the user's after that", gc or "none", "", len(gc), 0)
    yield Row(
        f"size packed, a version of {many}",
        f"{size / 1024:.0f} KiB with indexes",
        "six 2 KB files 12 KiB",
        size / 1024 / (count + 1),
        _MOST_KIB,
        "KiB",
    )


def _loose(ws: Workspace) -> int:
    return sum(
        1
        for folder in Path(ws.objects_dir).iterdir()
        if len(folder.name) == 2
        for _ in folder.iterdir()
    )

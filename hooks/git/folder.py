"""One folder of hooks: what has to change so that ours run there, and to undo it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gitstate.errors import printable
from gitstate.hooks.git import marks, texts
from gitstate.hooks.git.changes import Copy, File, Move, Plan, Remove, Write, read
from gitstate.hooks.git.standing import (
    KEPT,
    kept_beside,
    marked_files,
    names,
    runs_legacy,
    script_behind,
)
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

# A script that has itself read by another program: nothing may be put into it.
_READS_ITSELF = re.compile(
    rb"""\bexec\s+("[^"\n]*"|[^'"\s]+)(\s+[^'"\s$]+)*\s+["']?\$\{?0\b"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """Our side of one hook name in a folder.

    ``theirs``: the hook elsewhere that ours runs first. ``shim`` is where our hook goes
    when another's file has its name, which then gets lines that start it.
    """

    name: str
    theirs: texts.Theirs
    tool: texts.Tool
    shim: Path
    mode: int

    def alone(self) -> File:
        """Our hook as a file of its own."""
        return File(data=texts.hook(self.name, self.tool, self.theirs), mode=self.mode)

    def around(self, kept: str) -> File:
        """Our hook as a file that runs the one kept beside it."""
        data = texts.hook(self.name, self.tool, texts.Theirs.beside(kept))
        return File(data=data, mode=self.mode)

    def lines(self, folder: Path) -> bytes:
        """The lines for another's file in ``folder``."""
        return texts.block(self.name, os.path.relpath(self.shim, folder))


def install(folder: Path, wanted: Mapping[str, Own], plan: Plan) -> None:
    """Plan what makes ours run in ``folder``."""
    for name, own in wanted.items():
        path = folder / name
        if not os.path.lexists(path):
            plan.changes.append(Write(path=path, new=own.alone()))
            plan.lines.append(f"put in {printable(path)}")
            continue
        old = read(path)
        if old is None and not path.is_symlink():
            plan.lines.append(f"{printable(path)} is no file: nothing can run there")
        elif old is not None and marks.marked(old.data):
            _refresh(path, old, own, plan)
        elif old is not None and _legacy_runs_ours(path, old, own, plan):
            continue
        else:
            _join(path, old, own, plan)


def _refresh(path: Path, old: File, own: Own, plan: Plan) -> None:
    """Ours is in the file: have it as this version of ours writes it."""
    rest = marks.cut(old.data)
    if marks.marked(rest):
        plan.lines.append(_without_end(path))
        return
    kept = kept_beside(path, old.data)
    if rest and not old.executable:  # git does not run it, with or without us
        bare = File(data=rest, mode=old.mode)
        plan.changes.append(Write(path=path, new=bare, old=old))
        _join(path, bare, own, plan)
    elif rest:
        _into(path, old, rest, own, plan)
    elif kept is not None:
        _write(path, old, _around(path.with_name(kept), own, plan), plan)
    else:
        _write(path, old, own.alone(), plan)


def _without_end(path: Path) -> str:
    return f"{printable(path)}: our lines have lost their end, remove them by hand"


def _join(path: Path, old: File | None, own: Own, plan: Plan) -> None:
    """Another's file, or a link, has the name: both are to run."""
    holds = (
        old is not None
        and old.executable
        and marks.language(old.data) != ""
        and not _READS_ITSELF.search(old.data)
    )
    if old is not None and holds:
        _into(path, old, old.data, own, plan)
        plan.lines.append(f"put our lines into {printable(path)}")
        return
    kept = _free_name(path)
    plan.changes.append(Copy(path=path, kept=kept))
    new = _around(kept, own, plan, now=path)
    link = old is None
    plan.changes.append(Write(path=path, new=new, old=old, over_link=link))
    why = "a link" if old is None else "no script that can hold lines of ours"
    if old is not None and not old.executable:
        why = "not executable"
    plan.lines.append(
        f"moved {printable(path)} ({why}) to {printable(kept.name)} beside it; ours stands "
        "in its place and runs it first"
    )


def _into(path: Path, old: File, data: bytes, own: Own, plan: Plan) -> None:
    lines = own.lines(path.parent)
    put = marks.put_in if marks.language(data) == "sh" else marks.put_before
    _shim(own, plan)
    _write(path, old, File(data=put(data, lines), mode=old.mode), plan)


def _around(kept: Path, own: Own, plan: Plan, now: Path | None = None) -> File:
    """Our file that runs the kept one; a linked shell script keeps its very ``$0``."""
    source = now or kept
    if source.is_symlink():
        script = script_behind(source)
        if (
            script
            and marks.language(script) == "sh"
            and not _READS_ITSELF.search(script)
        ):
            _shim(own, plan)
            shim = os.path.relpath(own.shim, kept.parent)
            data = texts.in_place_of_link(own.name, shim, script, kept.name)
            return File(data=data, mode=own.mode)
    return own.around(kept.name)


def _shim(own: Own, plan: Plan) -> None:
    new, old = own.alone(), read(own.shim)
    if new != old:
        plan.changes.append(Write(path=own.shim, new=new, old=old))


def _write(path: Path, old: File, new: File, plan: Plan) -> None:
    if old == new:
        return
    plan.changes.append(Write(path=path, new=new, old=old))
    if marks.marked(old.data):
        plan.lines.append(f"brought {printable(path)} up to date")


def _legacy_runs_ours(path: Path, old: File, own: Own, plan: Plan) -> bool:
    """Does a manager run ours, under the name that it moved it to."""
    if not runs_legacy(path, old):
        return False
    legacy = path.with_name(f"{path.name}.legacy")
    moved = read(legacy)
    if moved is not None:
        _refresh(legacy, moved, own, plan)
    return True


def _free_name(path: Path) -> Path:
    """A name to keep a file under; the one that a kill left behind is it already."""
    number = 0
    while True:
        kept = path.with_name(f"{path.name}{KEPT}{f'.{number}' * bool(number)}")
        if not os.path.lexists(kept) or _is_same(path, kept):
            return kept
        number += 1


def _is_same(path: Path, kept: Path) -> bool:
    if path.is_symlink() or kept.is_symlink():
        return (
            path.is_symlink()
            and kept.is_symlink()
            and path.readlink() == kept.readlink()
        )
    return path.samefile(kept)


def uninstall(folder: Path, plan: Plan) -> None:
    """Plan what takes ours out of every file in ``folder``."""
    for second in _secondnames(folder):
        plan.changes.append(Remove(path=second, old=read(second)))
    for path in marked_files(folder):
        old = read(path)
        if old is None:
            continue
        rest = marks.cut(old.data)
        kept = kept_beside(path, old.data)
        if marks.marked(rest):
            plan.lines.append(_without_end(path))
        elif rest:
            new = File(data=rest, mode=old.mode)
            plan.changes.append(Write(path=path, new=new, old=old))
            plan.lines.append(f"took our lines out of {printable(path)}")
        elif kept is not None:
            plan.changes.append(Move(path=path.with_name(kept), target=path))
            plan.lines.append(f"moved {printable(kept)} back to {printable(path)}")
        else:
            plan.changes.append(Remove(path=path, old=old))
            plan.lines.append(f"removed {printable(path)}")


def _secondnames(folder: Path) -> Iterator[Path]:
    """What a kill left between the two steps of a move: the file has two names."""
    for name in names(folder):
        first, found, _ = name.partition(KEPT)
        if found and os.path.lexists(folder / first):
            kept = folder / name
            if _is_same(folder / first, kept):
                yield kept

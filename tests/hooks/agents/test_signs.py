"""Small files in a folder that goes with its last one, by several at once."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitstate.hooks.agents import first_edits, sessions, signs
from gitstate.hooks.agents.names import name_of
from tests.hooks.agents.places import Client, ready

if TYPE_CHECKING:
    import pytest

    from tests.support import Repo


def test_it_is_made_where_the_folder_goes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, real = tmp_path / "waiting" / "one", os.open
    gone: list[object] = []

    def late(name: Any, *words: int, **more: int) -> int:
        if len(gone) < 3:  # somebody took the last other one away
            gone.append(name)
            path.parent.rmdir()
        return real(name, *words, **more)

    for data in (b"", b"a\0b"):
        gone.clear()
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", late)
            signs.put(str(path), data)
        assert len(gone) == 3
        assert [(one.name, one.read_bytes()) for one in path.parent.iterdir()] == [
            ("one", data)
        ]
        signs.take(path)
        assert not path.parent.exists()


def test_several_at_once(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def work(name: str) -> None:
        path = tmp_path / "waiting" / name
        try:
            for _ in range(200):
                signs.put(str(path))
                assert path.exists()
                signs.take(path)
                signs.take(path)
        except BaseException as error:  # noqa: BLE001 told by the test
            failed.append(error)

    working = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for one in working:
        one.start()
    for one in working:
        one.join()
    assert failed == []
    assert not (tmp_path / "waiting").exists()


def test_what_is_swept_takes_its_folder_along(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(ready(repo), capsys, monkeypatch, agent="opencode")
    place = client.place
    for number in range(52):
        with sessions.opened(place, "opencode", f"s{number}") as session:
            name = name_of("opencode", session.session)
            path = Path(place.agents) / "opencode" / f"{name}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text("{}\n")
            session.transcript = str(path)
            session.track.pending = "start"
        if number < 2:
            first_edits.expect(place, name, ["a.txt"])
        for one in (
            sessions.folder(place) / f"{name}.json",
            Path(place.agents) / "waiting" / name,
        ):
            os.utime(one, (number, number))  # long ago
    other = Path(place.agents) / "opencode" / "theirs.jsonl"
    other.write_text("")
    sessions.sweep(place)
    assert not (Path(place.agents) / "waiting").exists()
    assert not (Path(place.agents) / "first").exists()
    assert len(sessions.all_of(place)) == 50
    assert len(list((Path(place.agents) / "opencode").iterdir())) == 51
    assert other.exists()

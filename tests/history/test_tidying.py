from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from gitstate.history.identity import heads_folder
from gitstate.history.tidying import sweep
from gitstate.workspace import state_home
from tests.engines import init

if TYPE_CHECKING:
    from tests.support import Repo


def test_half_written_files_go_when_they_are_an_hour_old(repo: Repo) -> None:
    ws = init(repo)
    folders = (ws.runtime, ws.common_dir / "info", heads_folder(), state_home())
    old = [folder / "some.json.123-0123abcd.tmp" for folder in folders]
    young = [folder / "some.json.124-0123abcd.tmp" for folder in folders]
    others = [folder / "some.tmp" for folder in folders]
    for path in (*old, *young, *others):
        path.write_text("half of i")
    for path in (*old, *others):
        os.utime(path, (time.time() - 3700, time.time() - 3700))

    sweep(ws)

    assert [path for path in old if path.exists()] == []
    assert [path for path in (*young, *others) if not path.exists()] == []

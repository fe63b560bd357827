from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.hooks.git.changes import File, read

if TYPE_CHECKING:
    from pathlib import Path


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "__pycache__").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path / "file") == File(data=b"x", mode=0o640)
    for name in ("link", "__pycache__", "pipe", "none", "file/none"):
        assert read(tmp_path / name) is None, name
    first = os.open(tmp_path / "file", os.O_RDONLY)
    os.close(first)
    read(tmp_path / "__pycache__")
    again = os.open(tmp_path / "file", os.O_RDONLY)
    os.close(again)
    assert again == first  # no descriptor is left open

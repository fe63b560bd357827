"""Small C libraries that tests preload to make the system behave badly."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def build(name: str, folder: Path) -> Path:
    """Compile ``name.c``; skips the test where nothing can be preloaded or compiled."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler, for LD_PRELOAD")
    library = folder / f"{name}.so"
    source = _HERE / f"{name}.c"
    words = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run(
        [*words, "-o", library, source, "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return library

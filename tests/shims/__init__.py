"""Small C libraries that tests preload to make the system behave badly."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def build(name: str, folder: Path) -> Path:
    """Compile ``name.c``; skips the test where nothing can be preloaded or compiled."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler, for LD_PRELOAD")
    library = folder / f"{name}.so"
    library.write_bytes(_compiled(name, compiler))
    return library


@functools.cache
def _compiled(name: str, compiler: str) -> bytes:
    words = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, f"{name}.so")
        done = subprocess.run(
            [*words, "-o", library, _HERE / f"{name}.c", "-ldl"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return library.read_bytes()

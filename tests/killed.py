"""A process of one's own that is killed at a step, as by ``kill -9``."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def killed_at(
    owner: object, step: str, when: str, action: Callable[[], object]
) -> None:
    """Do something in a child that dies before or after ``owner.step`` is called."""
    pid = os.fork()
    if pid == 0:
        real = getattr(owner, step)

        def fatal(*words: object, **more: object) -> None:
            if when == "after":
                real(*words, **more)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(owner, step, fatal)
        action()
        os._exit(7)  # it never came to that step
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL

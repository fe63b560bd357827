"""``python -m gitstate.daemon``: the daemon itself, as autostart runs it.

Without click and the command, for the sake of its memory. ``--detach`` goes on in a
process that nobody waits for.
"""

from __future__ import annotations

import os
import sys

from gitstate import utf8


def main() -> int:
    """Be the daemon; returns the exit code."""
    if "--detach" in sys.argv[1:] and os.fork():
        os._exit(0)  # whoever started it waits no longer
    from gitstate.daemon.run import run_forever  # noqa: PLC0415 after the fork
    from gitstate.errors import EXIT_DONE, GitstateError  # noqa: PLC0415 the same

    try:
        run_forever()
    except GitstateError as error:
        sys.stderr.write(f"gitstate: {error}\n")
        return error.exit_code
    return EXIT_DONE


if __name__ == "__main__":
    utf8.required()
    raise SystemExit(main())

"""``python -m gitstate``: the command, also where no script is on the PATH."""

from gitstate.cli import program

if __name__ == "__main__":
    program()

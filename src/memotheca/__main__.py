"""`python -m memotheca`: the command, or one plain sentence where the Python is too old to read the rest."""

import sys

OLDEST = (3, 11)  # specification: requires-python in pyproject.toml


def start():  # noqa: ANN201  # type: () -> int
    """Nothing newer than the oldest Python anybody may try it with stands in this file."""
    if sys.version_info < OLDEST:
        there = "%d.%d" % sys.version_info[:2]  # noqa: UP031
        sys.stderr.write("memotheca: Python 3.11 or newer is needed, and this is " + there + ".\n")
        return 1
    if sys.argv[1:2] == ["hook"] and not {"--help", "-h"}.intersection(sys.argv):
        # Somebody waits at a prompt: what the other commands need would take longer than the answer.
        from memotheca.cli.hooks.hook_client import run

        return run(sys.argv[2:])
    from memotheca.cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(start())

"""A `memotheca restore` that is killed before a certain step of it: at the nth call that changes a file."""

import os
import shutil
import signal
import sys

from memotheca.cli.main import main

CHANGING = ("replace", "link", "unlink", "rename", "fsync", "mkdir", "rmdir")


def kill_before(step: int) -> None:
    left = [step]

    def counted(change):
        def call(*arguments, **options):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **options)

        return call

    for name in CHANGING:
        setattr(os, name, counted(getattr(os, name)))
    shutil.rmtree = counted(shutil.rmtree)


if __name__ == "__main__":
    kill_before(int(sys.argv[1]))
    code = main(["restore", sys.argv[2], "--data", sys.argv[3], "--json"])
    print("done", flush=True)
    raise SystemExit(code)

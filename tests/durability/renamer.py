"""Renames a note and dies by its own hand at a given moment: `renamer.py DATA VAULT MOMENT`."""

import os
import signal
import sys

from memotheca import settings
from memotheca.app import build
from memotheca.notes.write_notes import NoteEdit, update_note

data, vault, moment = sys.argv[1], sys.argv[2], int(sys.argv[3])
app = build(settings.load({"data": data, "vault": vault}, os.environ))
done = 0


def mortal(name: str) -> None:
    """Die before the call that is the given one of all calls that touch a file's name."""
    original = getattr(os, name)

    def act(*arguments: object, **options: object) -> object:
        global done  # noqa: PLW0603
        if done == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return original(*arguments, **options)

    setattr(os, name, act)


for name in ("replace", "link", "unlink", "rename"):
    mortal(name)
update_note(app.kernel, "hub.md", NoteEdit(title="Middle", content="changed"), actor="renamer")
print(done, flush=True)

"""A process of its own that does one thing at a time with a data directory, for tests of many processes on one."""

import sys
from pathlib import Path

from memotheca.app import prepare_directory
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import system_clock
from memotheca.model.errors import Refusal
from memotheca.storage.database import Session
from memotheca.storage.migrations import STEPS, open_migrated
from memotheca.storage.sqlite import SQLiteDatabase


def say(line: str) -> None:
    print(line, flush=True)


def add_colour(session: Session) -> None:
    """A step to a format that is still to come; it cannot be run twice."""
    session.run("ALTER TABLE entry_head ADD COLUMN colour TEXT")


def hang(session: Session) -> None:
    """A step that never ends."""
    add_colour(session)
    say("migrating")
    sys.stdin.readline()


PROGRAMS = {"this": STEPS, "newer": (*STEPS, add_colour), "hanging": (*STEPS, hang)}


class Opener:
    """Commands are methods; each answers with one line."""

    def open(self, data: str, program: str = "this") -> None:
        database = SQLiteDatabase(prepare_directory(Path(data)))
        self.store = open_migrated(database, clock=system_clock, steps=PROGRAMS[program])
        say("opened")

    def write(self, topic: str) -> None:
        try:
            version = store_entry(
                Kernel(self.store, "default"), NewEntry(title=topic, body="It is so."), actor="test"
            ).version
            say(f"stored {version.tx}")
        except Refusal as refusal:
            say(f"refused {refusal.failure.code}: {refusal.message}")

    def read(self) -> None:
        with self.store.read("default") as snapshot:
            say(f"sees {snapshot.tx}")

    def hold(self) -> None:
        """Keep the writer's lock until the next line comes."""
        with self.store.database.write() as session:
            session.run("UPDATE collection SET seq = seq")
            say("holding")
            sys.stdin.readline()
        say("let go")

    def close(self) -> None:
        self.store.close()
        say("closed")


def main() -> None:
    opener = Opener()
    say("here")
    for line in sys.stdin:
        command, *rest = line.split()
        getattr(opener, command)(*rest)


if __name__ == "__main__":
    main()

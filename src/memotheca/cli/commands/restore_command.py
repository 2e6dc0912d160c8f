"""memotheca restore: put a backup in place of the data."""

import argparse
from dataclasses import asdict
from pathlib import Path

from memotheca.admin.backups import RestoredBackup, restore
from memotheca.app import make_directory, means_of
from memotheca.cli.layout import say
from memotheca.cli.terminal import plain, print_json, settings_of
from memotheca.model.errors import Failure, Refusal

EPILOG = """The backup is checked first, and brought to the format of this program where it
is older. What is there now is kept in backups/ of the data directory, so that
restoring that file takes a restore back. What was erased since the backup was
made stays erased. Refused while a server or another command has the data open.

  memotheca backup before-the-move.db
  memotheca restore before-the-move.db"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the backup, as `memotheca backup` makes it, or a copy of memotheca.db")
    parser.add_argument(
        "--accept-incomplete",
        action="store_true",
        help="take a file that was copied without its log, with what is in it",
    )


def run(parsed: argparse.Namespace) -> int:
    data = settings_of(parsed).data
    if settings_of(parsed).text("database"):
        message = (
            "What is in PostgreSQL is restored with its own tools (pg_restore), an export with `memotheca import`."
        )
        raise Refusal(Failure.UNSUPPORTED, message)
    make_directory(data)
    done = restore(means_of(data), Path(parsed.file), accept_incomplete=parsed.accept_incomplete)
    if parsed.json:
        print_json(asdict(done))
    else:
        for line in _told(done):
            say(plain(line))
    return 0


def _told(done: RestoredBackup) -> list[str]:
    held = ", ".join(f"{count} in {name}" for name, count in done.collections.items()) or "none"
    lines = [f"Restored {done.file}. Entries: {held}."]
    if done.migrated_from is not None:
        lines.append(f"It had format {done.migrated_from} and was brought to that of this program.")
    if done.kept is not None:
        how = "" if done.before == "whole" else f" (it was {done.before})"
        lines.append(f"What was there before{how} is kept in {done.kept}.")
    if done.erased_again:
        things = "1 thing" if done.erased_again == 1 else f"{done.erased_again} things"
        lines.append(f"Erased again what was erased since the backup was made: {things}.")
    if done.before in ("damaged", "incomplete"):
        lines.append("What had been erased in it is known only from the backups; erase anew what they do not know of.")
    if done.reindexed:
        lines.append(f"The index was made anew for {', '.join(done.reindexed)}.")
    return lines

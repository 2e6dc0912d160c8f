"""pinakes backup: copy the database."""

import argparse
import os
from pathlib import Path

from pinakes.app import BACKUPS, backup_path
from pinakes.cli.layout import say, sized
from pinakes.cli.terminal import app_of, print_json
from pinakes.engine.erasure import BACKUP_ROLE, remove_partial_backups
from pinakes.model.errors import Failure, Refusal
from pinakes.storage.locks import role


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", help="where to write (default: a new file in backups/ of the data directory)"
    )


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    target = Path(parsed.file) if parsed.file else backup_path(app.data, app.kernel.now(), "asked")
    partial = target.with_name(target.name + ".part")
    with role(app.data, BACKUP_ROLE) as held:
        if not held:
            raise Refusal(Failure.BUSY, "Another backup is being made; try again when it is done.")
        remove_partial_backups(app.data / BACKUPS)
        try:
            partial.unlink(missing_ok=True)
            app.kernel.store.database.copy_to(partial)
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
    size = target.stat().st_size
    if parsed.json:
        print_json({"file": str(target), "size_bytes": size})
    else:
        say(f"Copied {sized(size)} to {target}. To restore it, stop every server and put it in place of pinakes.db.")
    return 0

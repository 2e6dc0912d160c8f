"""memotheca export: write a collection to a file."""

import argparse
import errno
import io
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from memotheca.admin.transfer import export_collection, is_export
from memotheca.cli.layout import say
from memotheca.cli.terminal import app_of, print_json, progress, refuse_taken
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="where to write, or - for stdout")
    parser.add_argument("--force", action="store_true", help="replace an earlier export of that name")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    if parsed.file == "-":
        # An export is UTF-8 wherever it goes, whatever the console speaks.
        sys.stdout.flush()
        out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
        try:
            export_collection(kernel, out, lambda done, total, message: None)
        finally:
            out.detach()
        return 0
    target = Path(parsed.file)
    refuse_taken(target, "export", is_export, force=parsed.force)
    partial = target.with_name(target.name + ".part")
    try:
        partial.unlink(missing_ok=True)
        # For its owner alone, as the database is, whoever could read a file of that name before.
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with progress("exporting", quiet=parsed.json) as report, os.fdopen(descriptor, "w", encoding="utf-8") as file:
            moved = export_collection(kernel, file, report)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError as error:
        failure = Failure.DISK_FULL if error.errno == errno.ENOSPC else Failure.UNAVAILABLE
        raise Refusal(failure, f"{target} cannot be written: {error.strerror}. Nothing was exported.") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    if parsed.json:
        print_json({"file": str(target), **asdict(moved)})
    else:
        held = f"{counted(moved.entries, 'entry')}, {counted(moved.edges, 'edge')}"
        say(f"Wrote {counted(moved.transactions, 'transaction')} ({held}) to {target}.")
    return 0

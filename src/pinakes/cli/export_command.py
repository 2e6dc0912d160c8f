"""pinakes export: write a collection to a file."""

import argparse
import io
import os
import sys
from dataclasses import asdict
from pathlib import Path

from pinakes.cli.layout import counted, say
from pinakes.cli.terminal import app_of, print_json, progress
from pinakes.engine.transfer import export_collection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="where to write, or - for stdout")


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
    partial = target.with_name(target.name + ".part")
    try:
        with progress("exporting", quiet=parsed.json) as report, partial.open("w", encoding="utf-8") as file:
            moved = export_collection(kernel, file, report)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    if parsed.json:
        print_json({"file": str(target), **asdict(moved)})
    else:
        held = f"{counted(moved.entries, 'entry')}, {counted(moved.edges, 'edge')}"
        say(f"Wrote {counted(moved.transactions, 'transaction')} ({held}) to {target}.")
    return 0

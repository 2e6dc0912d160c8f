"""pinakes doctor: check that everything is well."""

import argparse
import os
import shutil
import stat
import sys
from dataclasses import asdict
from pathlib import Path

from pinakes.app import lazily
from pinakes.cli.layout import fill, say
from pinakes.cli.terminal import app_of, print_json, styled
from pinakes.engine.health import Finding, examine, repair

inspect_vaults = lazily("pinakes.engine.inspecting", "inspect_vaults")

LOW_DISK = 200 * 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repair", action="store_true", help="rebuild heads that differ from the journal")


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    mended = repair(app.kernel) if parsed.repair else []
    findings = [_permissions(app.data), _space(app.data), *examine(app.kernel), *inspect_vaults(app.kernel)]
    well = all(finding.well for finding in findings)
    if parsed.json:
        print_json({"ok": well, "repaired": mended, "findings": [asdict(finding) for finding in findings]})
        return 0 if well else 1
    for name in mended:
        print(f"Rebuilt the heads of {name}.")
    for finding in findings:
        mark = styled("ok", "green") if finding.well else styled("broken", "red")
        say(f"{finding.name}: {finding.detail}", lead=fill(mark, 9), hang=" " * 9)
        if not finding.well:
            say(f"to mend it: {finding.fix}", lead=" " * 9, hang=" " * 11)
    return 0 if well else 1


def _permissions(data: Path) -> Finding:
    if sys.platform == "win32":
        return Finding("permissions", True, "the data directory follows the user's profile")
    mode = stat.S_IMODE(data.stat().st_mode)
    if mode & 0o077:
        return Finding("permissions", False, f"others can look into {data} (mode {mode:04o})", f"chmod 700 {data}")
    if not os.access(data, os.W_OK):
        return Finding("permissions", False, f"{data} cannot be written", f"chown it to you, or chmod u+w {data}")
    return Finding("permissions", True, f"{data} is for its owner alone")


def _space(data: Path) -> Finding:
    free = shutil.disk_usage(data).free
    spelled = f"{free // (1024 * 1024)} MB free"
    return Finding("disk", free > LOW_DISK, spelled, "" if free > LOW_DISK else "free some space on that disk")

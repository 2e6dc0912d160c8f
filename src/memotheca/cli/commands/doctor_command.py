"""memotheca doctor: check that everything is well."""

import argparse
import os
import shlex
import shutil
import stat
import sys
import zlib
from dataclasses import asdict, replace
from pathlib import Path

from memotheca.admin.backups import find_good
from memotheca.admin.health import HealthFinding, examine, repair
from memotheca.admin.loss import StoreLost
from memotheca.admin.vault_health import inspect_vaults
from memotheca.app import App, accept_incomplete, accept_loss, build, loss_of, means_of
from memotheca.cli.layout import fill, say
from memotheca.cli.terminal import aimed, app_of, print_json, settings_of, styled
from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import LogMissing
from memotheca.storage.presence import gate, present

LOW_DISK = 200 * 1024 * 1024  # chosen: two files of the largest size


INTEGRITY = "integrity"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repair", action="store_true", help="rebuild heads that differ from the journal")
    parser.add_argument(
        "--accept-incomplete",
        action="store_true",
        help="go on with what is in a file whose log is missing, or was begun anew",
    )


def run(parsed: argparse.Namespace) -> int:
    data = settings_of(parsed).data
    if parsed.accept_incomplete:
        accept_incomplete(data)
    mended: list[str] = []
    findings: list[HealthFinding] = []
    try:
        app = _open(parsed)
        kernel = app.kernel
        findings = [_permissions(data), _space(data), _company(app), *_loss(parsed, app)]
        mended = repair(kernel) if parsed.repair else []
        findings += [_advised(parsed, each) for each in (*examine(kernel), *inspect_vaults(kernel))]
    except Refusal as refusal:
        if refusal.failure is not Failure.CORRUPT:
            raise
        findings = [_permissions(data), _space(data), _damage(refusal.message, _advice(parsed, refusal))]
    except (ValueError, LookupError, TypeError, zlib.error) as error:
        # What was written as JSON, numbers or packed is none any more, which SQLite's own check cannot know.
        told = f"what is stored cannot be read any more ({type(error).__name__}): the data file is damaged"
        findings = [_permissions(data), _space(data), _damage(told, _advice(parsed))]
    return _tell(parsed, mended, findings)


def _open(parsed: argparse.Namespace) -> App:
    """Looking begins nothing; whoever accepts a loss has it begun anew."""
    if not parsed.accept_incomplete:
        return app_of(parsed)
    try:
        app = app_of(parsed)
    except StoreLost:
        app = parsed.app = build(settings_of(parsed))
    accept_loss(app)
    return app


def _loss(parsed: argparse.Namespace, app: App) -> list[HealthFinding]:
    told = loss_of(app)
    return [HealthFinding("loss", False, told, _advice(parsed, lost=True))] if told else []


def _damage(told: str, advice: str) -> HealthFinding:
    return HealthFinding(INTEGRITY, False, told, advice)


def _tell(parsed: argparse.Namespace, mended: list[str], findings: list[HealthFinding]) -> int:
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


def _advised(parsed: argparse.Namespace, finding: HealthFinding) -> HealthFinding:
    is_damage = finding.name == INTEGRITY and not finding.well
    return replace(finding, fix=_advice(parsed) if is_damage else aimed(parsed, finding.fix))


def _advice(parsed: argparse.Namespace, refusal: Refusal | None = None, *, lost: bool = False) -> str:
    """Which backup to restore, and by which command."""
    data = settings_of(parsed).data
    if settings_of(parsed).text("database"):
        return "restore the database with PostgreSQL's own tools, or import what `memotheca export` wrote"
    good = find_good(means_of(data))
    named = "FILE" if good is None else shlex.quote(str(good))
    command = f"memotheca restore {named}"
    found = f"{command}  (the newest good backup)" if good else f"{command}  (backups/ has no good one; name another)"
    if lost or isinstance(refusal, StoreLost):
        return aimed(parsed, f"{found}, or go on without what was lost: memotheca doctor --accept-incomplete")
    if not isinstance(refusal, LogMissing):
        return aimed(parsed, found)
    others = f"copy the log here too, or {found}, or go on with what is in it: memotheca doctor --accept-incomplete"
    return aimed(parsed, others)


def _company(app: App) -> HealthFinding:
    """Who else has the data open, for whoever wants to restore or cannot write."""
    if app.is_shared:
        return HealthFinding("database", True, f"{app.place} answers; who else has it open, PostgreSQL knows")
    with gate(app.data):
        others = [holder for holder in present(app.data) if holder.pid != os.getpid()]
    return HealthFinding(
        "open", True, "open in " + "; ".join(map(str, others)) if others else "nobody else has it open"
    )


def _permissions(data: Path) -> HealthFinding:
    if sys.platform == "win32":
        return HealthFinding("permissions", True, "the data directory follows the user's profile")
    mode = stat.S_IMODE(data.stat().st_mode)
    if mode & 0o077:
        return HealthFinding(
            "permissions",
            False,
            f"others can look into {data} (mode {mode:04o})",
            f"chmod 700 {shlex.quote(str(data))}",
        )
    if not os.access(data, os.W_OK):
        return HealthFinding(
            "permissions", False, f"{data} cannot be written", f"chown it to you, or chmod u+w {shlex.quote(str(data))}"
        )
    return HealthFinding("permissions", True, f"{data} is for its owner alone")


def _space(data: Path) -> HealthFinding:
    free = shutil.disk_usage(data).free
    spelled = f"{free // (1024 * 1024)} MB free"
    return HealthFinding("disk", free > LOW_DISK, spelled, "" if free > LOW_DISK else "free some space on that disk")

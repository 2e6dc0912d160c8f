"""On what a run was made: machine, date, commit and the versions that matter."""

import os
import platform
import subprocess
import time
from importlib.metadata import version
from pathlib import Path

import apsw

ROOT = Path(__file__).parents[1]


def describe(scratch: Path) -> dict[str, str]:
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {_memory()}, {_filesystem(scratch)} on scratch",
        "system": platform.system(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": _commit(),
        "python": platform.python_version(),
        "versions": f"mcp {version('mcp')}, apsw {version('apsw')}, SQLite {apsw.sqlite_lib_version()}",
        "load at the start": load(),
    }


def load() -> str:
    """How busy the machine was over the last one and five minutes."""
    one, five, _ = os.getloadavg()
    return f"{one:.1f} (1 min), {five:.1f} (5 min)"


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def _filesystem(folder: Path) -> str:
    """The kind of file system: on one in memory a durable write costs nothing, and the numbers mean little."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return "unknown file system"
    held = str(folder.resolve())
    found = [line.split()[1:3] for line in mounts.read_text().splitlines()]
    fitting = [(point, kind) for point, kind in found if held == point or held.startswith(point.rstrip("/") + "/")]
    return max(fitting, key=lambda mount: len(mount[0]))[1]


def _commit() -> str:
    def git(*arguments: str) -> str:
        asked = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return asked.stdout.strip()

    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if git("status", "--short") else "")

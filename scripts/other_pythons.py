"""The other Pythons of this machine, and the wheels to try ours on them without a network.

Run by `make setup-dev`: what requirements.lock names is fetched once for each that is new enough, below .venv. Where
that cannot be had, the test of it says so and is skipped.
"""

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
WHEELS = ROOT / ".venv" / "wheels"
OLDEST = (3, 11)  # specification: requires-python in pyproject.toml
_TELL = "import sys; print('%d %d' % sys.version_info[:2])"
_PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class OtherPython:
    version: tuple[int, int]
    program: Path

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))

    @property
    def wheels(self) -> Path:
        return WHEELS / self.name


@cache
def other_pythons() -> tuple[OtherPython, ...]:
    """One of each version but ours, oldest first."""
    found: dict[tuple[int, int], Path] = {}
    for program in _candidates():
        version = _version(program)
        if version is not None and version != sys.version_info[:2]:
            found.setdefault(version, program)
    return tuple(OtherPython(version, program) for version, program in sorted(found.items()))


def new_enough() -> list[OtherPython]:
    return [python for python in other_pythons() if python.version >= OLDEST]


def too_old() -> list[OtherPython]:
    return [python for python in other_pythons() if python.version < OLDEST]


def has_wheels(python: OtherPython) -> bool:
    sign = python.wheels / "lock"
    return sign.exists() and sign.read_text() == _digest()


def _candidates() -> list[Path]:
    named = [shutil.which(f"python{name}") for name in ("2.7", *(f"3.{minor}" for minor in range(5, 20)))]
    kept = [Path.home() / ".pyenv/versions", Path.home() / ".local/share/uv/python"]
    return [*(Path(name) for name in named if name), *(path for place in kept for path in place.glob("*/bin/python"))]


def _version(program: Path) -> tuple[int, int] | None:
    try:
        told = subprocess.run([program, "-c", _TELL], capture_output=True, text=True, check=True, timeout=_PATIENCE)
        major, minor = told.stdout.split()
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return int(major), int(minor)


def _digest() -> str:
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def _fetch(python: OtherPython) -> bool:
    """Into a folder beside, so that one that is there is whole."""
    beside = python.wheels.with_suffix(".part")
    shutil.rmtree(beside, ignore_errors=True)
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command = [sys.executable, "-m", "pip", "--python", str(python.program), "download", *options, "--retries", "1"]
    done = subprocess.run([*command, "-d", str(beside), "-r", str(LOCK)], capture_output=True, check=False)
    if done.returncode:
        shutil.rmtree(beside, ignore_errors=True)
        return False
    (beside / "lock").write_text(_digest())
    shutil.rmtree(python.wheels, ignore_errors=True)
    beside.rename(python.wheels)
    return True


def main() -> int:
    for python in new_enough():
        if not has_wheels(python) and not _fetch(python):
            print(f"no wheels for Python {python.name}: ours is not tried on it; everything else is tested")
    return 0


if __name__ == "__main__":
    sys.exit(main())

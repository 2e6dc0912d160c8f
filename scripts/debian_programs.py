"""Programs of Debian's that some tests run beside ours, unpacked below .venv: nothing is installed, and no service
of the machine is started. Where they cannot be had it says so, and those tests are skipped."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / ".venv" / "debian"
# Each program with the packages it needs that a small machine may lack.
PACKAGES = {
    "caddy": ("caddy",),
    "nginx": ("nginx",),
    "pgbouncer": ("pgbouncer", "libevent-2.1-7", "libc-ares2"),
}
FOLDERS = ("usr/bin", "usr/sbin")


def find_program(name: str) -> Path | None:
    """Where a program is: the machine's own, or the one that was unpacked."""
    folders = [Path(each) for each in (*os.get_exec_path(), "/usr/sbin")] + [PLACE / each for each in FOLDERS]
    return next((folder / name for folder in folders if os.access(folder / name, os.X_OK)), None)


def surroundings_of(name: str) -> dict[str, str]:
    """What it is run with, so that it finds the libraries that were unpacked beside it."""
    found = find_program(name)
    if found is None or not found.is_relative_to(PLACE):
        return dict(os.environ)
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, (PLACE / "usr/lib").glob("*-linux-gnu")))}


def _fetch(packages: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        # apt gives up its rights for the download, and needs the folder all the same.
        Path(folder).chmod(0o755)
        command = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", *packages]
        if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
            return False
        for package in sorted(Path(folder).glob("*.deb")):
            subprocess.run(["dpkg-deb", "--extract", package, PLACE], check=True)
    return True


def main() -> None:
    lacking = [name for name in PACKAGES if find_program(name) is None]
    if not lacking:
        return
    wanted = [package for name in lacking for package in PACKAGES[name]]
    is_there = shutil.which("apt-get") is not None and shutil.which("dpkg-deb") is not None
    if is_there and not _fetch(wanted):
        subprocess.run(["apt-get", "update", "-qq"], capture_output=True, check=False)
        is_there = _fetch(wanted)
    if not is_there:
        print(f"no {', '.join(lacking)}: what is tested with them is skipped; everything else is tested")


if __name__ == "__main__":
    main()

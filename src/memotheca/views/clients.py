"""The clients we know: where each keeps its configuration, and how it is told of a server there."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

SERVER = "memotheca"
TOKEN = "MEMOTHECA_TOKEN"  # noqa: S105  # the name of a variable

Shape = dict[str, Any]


def _plain(words: Sequence[str]) -> Shape:
    return {"command": words[0], "args": list(words[1:])}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client: its configuration by platform, the keys that lead to its servers, and the shapes it reads."""

    label: str
    places: Mapping[str, str]
    keys: tuple[str, ...] = ("mcpServers",)
    stdio: Callable[[Sequence[str]], Shape] = _plain
    # The address and the Authorization header, empty where there is none; None where it reaches no local address.
    http: Callable[[str, str], Shape] | None
    # How its configuration names a variable of the environment; empty where it cannot.
    variable: str = ""
    add: Callable[[str, str], list[str]] | None = None
    add_stdio: tuple[str, ...] = ()
    # Where a project has servers of its own, from its folder; empty where clients know no such place.
    project: str = ""

    @property
    def is_toml(self) -> bool:
        return self.places[""].endswith(".toml")

    def path(self) -> Path:
        return place_of(self.places.get(sys.platform, self.places[""]))


def _typed(words: Sequence[str]) -> Shape:
    return {"type": "stdio", **_plain(words)}


def _remote(field: str, **more: str) -> Callable[[str, str], Shape]:
    def shape(url: str, authorization: str) -> Shape:
        headers = {"headers": {"Authorization": authorization}} if authorization else {}
        return {**more, field: url, **headers}

    return shape


def _codex_remote(url: str, authorization: str) -> Shape:
    if authorization == f"Bearer {TOKEN}":
        return {"url": url, "bearer_token_env_var": TOKEN}
    return {"url": url, **({"http_headers": {"Authorization": authorization}} if authorization else {})}


def _header(authorization: str) -> list[str]:
    return ["--header", f"Authorization: {authorization}"] if authorization else []


def _claude_code(url: str, authorization: str) -> list[str]:
    # The header stands last, because it takes every word that follows it.
    return ["claude", "mcp", "add", "--transport", "http", SERVER, url, *_header(authorization)]


def _gemini(url: str, authorization: str) -> list[str]:
    return ["gemini", "mcp", "add", "--scope", "user", "--transport", "http", *_header(authorization), SERVER, url]


def _codex(url: str, authorization: str) -> list[str]:
    token = ["--bearer-token-env-var", TOKEN] if authorization else []
    return ["codex", "mcp", "add", SERVER, "--url", url, *token]


def _vscode(url: str, authorization: str) -> list[str]:
    return ["code", "--add-mcp", json.dumps({"name": SERVER, **_remote("url", type="http")(url, authorization)})]


def _in_code(rest: str) -> dict[str, str]:
    return {
        "darwin": f"HOME/Library/Application Support/Code/User/{rest}",
        "win32": f"ROAMING/Code/User/{rest}",
        "": f"CONFIG/Code/User/{rest}",
    }


CLIENTS: dict[str, Client] = {
    "claude-code": Client(
        label="Claude Code",
        places={"": "HOME/.claude.json"},
        project=".mcp.json",
        http=_remote("url", type="http"),
        add=_claude_code,
        add_stdio=("claude", "mcp", "add", SERVER, "--"),
    ),
    "claude-desktop": Client(
        label="Claude Desktop",
        places={
            "darwin": "HOME/Library/Application Support/Claude/claude_desktop_config.json",
            "win32": "ROAMING/Claude/claude_desktop_config.json",
            "": "CONFIG/Claude/claude_desktop_config.json",
        },
        # Its connectors are opened from the maker's cloud, which reaches no address of this machine.
        http=None,
    ),
    "cline": Client(
        label="Cline",
        places={
            **_in_code("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            "cli": "HOME/.cline/data/settings/cline_mcp_settings.json",
        },
        http=_remote("url", type="streamableHttp"),
    ),
    "codex": Client(
        label="Codex",
        places={"": "CODEX/config.toml"},
        keys=("mcp_servers",),
        project=".codex/config.toml",
        http=_codex_remote,
        variable=TOKEN,
        add=_codex,
        add_stdio=("codex", "mcp", "add", SERVER, "--"),
    ),
    "cursor": Client(
        label="Cursor",
        places={"": "HOME/.cursor/mcp.json"},
        project=".cursor/mcp.json",
        http=_remote("url"),
        variable="${env:MEMOTHECA_TOKEN}",
    ),
    "gemini": Client(
        label="Gemini CLI",
        places={"": "HOME/.gemini/settings.json"},
        project=".gemini/settings.json",
        http=_remote("httpUrl"),
        variable="$MEMOTHECA_TOKEN",
        add=_gemini,
    ),
    "opencode": Client(
        label="OpenCode",
        places={"": "XDG/opencode/opencode.json"},
        keys=("mcp", "servers"),
        stdio=lambda words: {"type": "local", "command": list(words)},
        project="opencode.json",
        http=_remote("url", type="remote"),
        variable="{env:MEMOTHECA_TOKEN}",
    ),
    "vscode": Client(
        label="VS Code",
        places=_in_code("mcp.json"),
        keys=("servers",),
        stdio=_typed,
        project=".vscode/mcp.json",
        http=_remote("url", type="http"),
        variable="${env:MEMOTHECA_TOKEN}",
        add=_vscode,
    ),
    "windsurf": Client(
        label="Windsurf",
        places={"": "HOME/.codeium/windsurf/mcp_config.json"},
        http=_remote("serverUrl"),
        variable="${env:MEMOTHECA_TOKEN}",
    ),
    "zed": Client(
        label="Zed",
        places={"win32": "ROAMING/Zed/settings.json", "": "XDG/zed/settings.json"},
        keys=("context_servers",),
        stdio=lambda words: {**_plain(words), "env": {}},
        project=".zed/settings.json",
        http=_remote("url"),
    ),
}


def configuration_of(client: Client) -> Path:
    """The file a client reads; where it may be one of two, the one that is there."""
    path = client.path()
    if "cli" in client.places:
        chosen = os.environ.get("CLINE_MCP_SETTINGS_PATH")
        return Path(chosen) if chosen else path if path.parent.exists() else place_of(client.places["cli"])
    commented = path.with_suffix(".jsonc")
    return commented if not path.exists() and commented.exists() else path


def nest(client: Client, server: Shape) -> Shape:
    """The server as it stands in the whole file."""
    shape: Shape = {SERVER: server}
    for key in reversed(client.keys):
        shape = {key: shape}
    return shape


def spell(client: Client, server: Shape) -> str:
    """What is to stand in the file, in the language of the file."""
    if client.is_toml:
        return table_of(client, server)
    return json.dumps(nest(client, server), ensure_ascii=False, indent=2) + "\n"


def table_of(client: Client, server: Shape) -> str:
    lines = [f"[{client.keys[0]}.{SERVER}]"]
    lines += [f"{name} = {_value(value)}" for name, value in server.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """A string in JSON is one in TOML; so are lists of them."""
    if isinstance(value, dict):
        pairs = cast(dict[str, Any], value).items()
        return "{ " + ", ".join(f"{json.dumps(name)} = {_value(each)}" for name, each in pairs) + " }"
    return json.dumps(value, ensure_ascii=False)


def place_of(place: str) -> Path:
    """A file by the folder it stands in on this machine."""
    home = Path.home()
    first, _, rest = place.partition("/")
    roots = {
        "HOME": home,
        "CONFIG": _chosen("XDG_CONFIG_HOME", home / ".config") if sys.platform == "linux" else home / ".config",
        "XDG": _chosen("XDG_CONFIG_HOME", home / ".config"),
        "ROAMING": _chosen("APPDATA", home / "AppData" / "Roaming"),
        "CLAUDE": _chosen("CLAUDE_CONFIG_DIR", home / ".claude"),
        "CODEX": _chosen("CODEX_HOME", home / ".codex"),
    }
    return roots[first] / rest


def _chosen(variable: str, usual: Path) -> Path:
    return Path(os.environ.get(variable) or usual)

"""memotheca connect: tell a client about Memotheca."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from memotheca.app import load_catalog
from memotheca.cli.client_check import try_server
from memotheca.cli.client_config import read_server, remove, write
from memotheca.cli.layout import counted, say
from memotheca.cli.terminal import print_json, settings_of, styled
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.mounts import read_mounts
from memotheca.settings import OPTIONS as ALL_OPTIONS
from memotheca.settings import Settings, load, read_token
from memotheca.views.clients import CLIENTS, TOKEN, Client, Shape, configuration_of, nest, spell
from memotheca.views.shells import spell_command, this_program

OPTIONS = (
    "toolsets",
    "read-only",
    "vault",
    "vault-ignore",
    "vault-gitignore",
    "roots",
    "ocr-languages",
    "tesseract",
    "tessdata",
    "token-file",
)
FOLDERS = ("roots", "tessdata")
NO_TOKEN = "<token>"  # noqa: S105  # says where it goes

EPILOG = """examples:
  memotheca connect claude-desktop         print what its configuration needs
  memotheca connect cursor --write         put it there; the old file is kept
  memotheca connect cursor --check         try what is there; --remove ends it
  memotheca connect codex --toolsets memory,notes --vault ~/notes
  memotheca connect vscode --data ~/other  for another data directory
  memotheca connect zed --url http://127.0.0.1:3000/mcp     a server that runs

What is given here, or stands in the environment now, is passed to the server
that the client starts. With --url, MEMOTHECA_TOKEN or --token-file is the token
that the server asks for: --write puts it into the file, printing does not show
it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "client", choices=sorted(CLIENTS), metavar="CLIENT", help=f"the client to connect: {', '.join(sorted(CLIENTS))}"
    )
    wish = parser.add_mutually_exclusive_group()
    wish.add_argument("--write", action="store_true", help="write the client's configuration file")
    wish.add_argument("--remove", action="store_true", help="take Memotheca out of it; the old file is kept")
    wish.add_argument(
        "--check", action="store_true", help="start what it names, as the client would, and say what is seen"
    )
    parser.add_argument("--file", metavar="FILE", help="the configuration file, where it is not in its usual place")
    parser.add_argument("--url", metavar="URL", help="connect to the server that runs there, instead of starting one")


def run(parsed: argparse.Namespace) -> int:
    settings = settings_of(parsed)
    client = CLIENTS[parsed.client]
    path = Path(parsed.file).expanduser() if parsed.file else configuration_of(client)
    if parsed.check:
        return _check(parsed, client, path)
    if parsed.remove:
        gone, kept = remove(client, path)
        _report_written(parsed, path, fresh=gone, kept=kept, unchanged="does not name Memotheca; nothing was changed.")
        return 0
    if parsed.write:
        token = read_token(settings) if parsed.url else ""
        fresh, kept = write(client, path, _server(client, settings, parsed.url, f"Bearer {token}" if token else ""))
        _report_written(parsed, path, fresh=fresh, kept=kept)
        return 0
    server = _server(client, settings, parsed.url, _unsaid(client, settings) if parsed.url else "")
    if parsed.json:
        print_json({"file": str(path), "content": nest(client, server)})
        return 0
    print(f"Put this into {styled(str(path), 'bold')}")
    print("(or run the same with --write):\n")
    print(spell(client, server))
    if NO_TOKEN in spell(client, server):
        print(f"with the token in the place of {NO_TOKEN}.\n")
    for line in _commands(client, settings, parsed.url):
        print(line)
    return 0


def _check(parsed: argparse.Namespace, client: Client, path: Path) -> int:
    server = read_server(client, path)
    if server is None:
        raise Refusal(
            Failure.NOT_FOUND, f"{path} does not name Memotheca; memotheca connect {parsed.client} --write adds it."
        )
    seen = try_server(server)
    if parsed.json:
        print_json({"file": str(path), "name": seen.name, "version": seen.version, "tools": seen.tools})
        return 0
    print(f"{path} is read by {client.label}.")
    say(
        f"{seen.name} {seen.version} answers, with {counted(len(seen.tools), 'tool')}: {', '.join(seen.tools)}",
        hang="  ",
    )
    return 0


def _server(client: Client, settings: Settings, url: str | None, authorization: str) -> Shape:
    if url is None:
        return client.stdio([*this_program(), *serve_words(settings)])
    if client.http is None:
        raise Refusal(
            Failure.UNSUPPORTED,
            f"{client.label} reaches no address of this machine; leave out --url, and it starts one.",
        )
    return client.http(url, authorization)


def serve_words(settings: Settings) -> list[str]:
    """The arguments of a server over stdio that has these settings, wherever and by whomever it is started."""
    if settings.names("toolsets"):
        load_catalog().choose(settings.names("toolsets"))
    data = str(settings.data.absolute())
    words = ["serve", "--data", data]
    # What stands in memotheca.toml the server reads there itself.
    usual = load({"data": data}, {})
    for option in ALL_OPTIONS:
        if option.name not in ("collection", *OPTIONS) or option.name == "token-file":
            continue
        if settings.values[option.name] == usual.values[option.name]:
            continue
        if settings.values[option.name] is True:
            words.append(f"--{option.name}")
        else:
            words += [f"--{option.name}", _settled(settings, option.name)]
    return words


def _settled(settings: Settings, name: str) -> str:
    """The value, with folders that do not depend on where the server is started."""
    if name == "vault":
        named = settings.names(name)
        mounts = read_mounts(named)
        return ",".join(
            f"{mount.prefix.rstrip('/')}={mount.root}" if mount.prefix else str(mount.root) for mount in mounts
        )
    if name in FOLDERS:
        return ",".join(str(Path(folder).expanduser().absolute()) for folder in settings.names(name))
    return settings.text(name)


def _unsaid(client: Client, settings: Settings) -> str:
    """The header without the token, which is no one else's to see: by its variable where the client knows such."""
    return f"Bearer {client.variable or NO_TOKEN}" if read_token(settings) else ""


def _commands(client: Client, settings: Settings, url: str | None) -> Iterator[str]:
    if url is None and client.add_stdio:
        yield "Or run:"
        yield from spell_command([*client.add_stdio, *this_program(), *serve_words(settings)])
    elif url is not None and client.add is not None:
        yield "Or run:"
        yield from http_commands(client, settings, url)


def http_commands(client: Client, settings: Settings, url: str) -> list[str]:
    """The command that tells a client of a running server; the token is read by the shell, not shown."""
    assert client.add is not None
    if not read_token(settings):
        return spell_command(client.add(url, ""))
    if client.label == "VS Code":
        return spell_command(client.add(url, f"Bearer {client.variable}"))
    lines = spell_command(client.add(url, f"Bearer {NO_TOKEN}"))
    file = _token_file(settings)
    if sys.platform == "win32":
        return lines
    (spelled,) = spell_command([file])
    read = f"$(head -n 1 {spelled})" if file else f"${TOKEN}"
    quoted = f"'Authorization: Bearer {NO_TOKEN}'"
    return [line.replace(quoted, f'"Authorization: Bearer {read}"') for line in lines]


def tell_clients(settings: Settings, url: str) -> Iterator[str]:
    """What a running HTTP server says of how to reach it, a line each."""
    for client in CLIENTS.values():
        if client.add is not None:
            lines = http_commands(client, settings, url)
            needed = f" ({TOKEN} has to be set to the token)" if any(TOKEN in line for line in lines) else ""
            yield f"  {client.label}{needed}"
            yield from (f"    {line}" for line in lines)
    program = this_program()
    yield "  Claude Desktop (which starts a server of its own, on the same data)"
    yield from (
        f"    {line}" for line in spell_command([*program, "connect", "claude-desktop", *_place(settings), "--write"])
    )
    others = [name for name, client in CLIENTS.items() if client.add is None and client.http is not None]
    yield f"  {', '.join(others)}"
    words = [*program, "connect", others[0], "--url", url, *_token_words(settings)]
    yield from (f"    {line}" for line in spell_command(words))


def _token_file(settings: Settings) -> str:
    """The file with the token, from wherever the command is run."""
    file = settings.text("token-file")
    return str(Path(file).absolute()) if file else ""


def _token_words(settings: Settings) -> list[str]:
    """What lets `connect --url` find the token that this server asks for."""
    if not read_token(settings):
        return []
    file = _token_file(settings)
    return ["--token-file", file] if file else ["--data", str(settings.data.absolute())]


def _place(settings: Settings) -> list[str]:
    return serve_words(settings)[1:]


def _report_written(
    parsed: argparse.Namespace,
    path: Path,
    *,
    fresh: bool,
    kept: Path | None,
    unchanged: str = "says so already; nothing was changed.",
) -> None:
    if parsed.json:
        print_json({"file": str(path), "changed": fresh, "backup": None if kept is None else str(kept)})
    elif not fresh:
        print(f"{path} {unchanged}")
    else:
        print(f"Wrote {path}." + (f"\nThe file as it was is {kept}." if kept else ""))
        print(f"Restart the client to see {'that' if parsed.remove else 'Memotheca'}.")

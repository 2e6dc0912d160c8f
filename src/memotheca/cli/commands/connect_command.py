"""memotheca connect: tell a client about Memotheca."""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from memotheca.app import load_catalog
from memotheca.cli.client_check import try_server
from memotheca.cli.client_config import read_server, remove, write
from memotheca.cli.client_place import has_secret_place, place_words, refuse_secret_place
from memotheca.cli.hooks.hook_setup import (
    WrittenHooks,
    are_there,
    hook_words,
    place_of_hooks,
    remove_hooks,
    spell_hooks,
    tell_hooks,
    write_hooks,
)
from memotheca.cli.layout import say
from memotheca.cli.terminal import print_json, settings_of, styled
from memotheca.hooks.switch import read_switch
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted
from memotheca.notes.mounts import read_mounts
from memotheca.settings import AUTO, Settings, collection_named, load, read_token
from memotheca.settings import OPTIONS as ALL_OPTIONS
from memotheca.views.client_hooks import HOOKS, hook_shapes
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
PLACES = ("collection", "database")
HOOKED = (
    "It remembers by itself now: sessions are briefed as they begin and kept as they end, without secrets. "
    "memotheca pause stops that, memotheca history shows it, memotheca undo takes it back."
)
NO_TOKEN = "<token>"  # noqa: S105  # says where it goes

EPILOG = """examples:
  memotheca connect claude-desktop         print what its configuration needs
  memotheca connect cursor --write         put it there; the old file is kept
  memotheca connect cursor --check         try what is there; --remove ends it
  memotheca connect codex --toolsets memory,notes --vault ~/notes
  memotheca connect vscode --data ~/other  for another data directory
  memotheca connect claude-code --hooks --write     let it remember by itself
  memotheca connect cursor --project --write   for this folder's repository
  memotheca connect zed --url http://127.0.0.1:3000/mcp     a server that runs

What is given here, or stands in the environment now, is passed to the server
that the client starts. With --url, MEMOTHECA_TOKEN or --token-file is the token
that the server asks for: --write puts it into the file, printing does not show
it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = sorted(CLIENTS)
    told = f"the client to connect: {', '.join(names)}"
    parser.add_argument("client", nargs="?", choices=names, metavar="CLIENT", help=told)
    wish = parser.add_mutually_exclusive_group()
    wish.add_argument("--write", action="store_true", help="write the client's configuration file")
    wish.add_argument("--remove", action="store_true", help="take Memotheca out of it; the old file is kept")
    wish.add_argument(
        "--check", action="store_true", help="start what it names, as the client would, and say what is seen"
    )
    parser.add_argument(
        "--hooks", action="store_true", help=f"also let it remember by itself: {', '.join(HOOKS)}; off without it"
    )
    parser.add_argument(
        "--project", action="store_true", help="for the repository here alone, with a collection of its name"
    )
    parser.add_argument("--file", metavar="FILE", help="the configuration file, where it is not in its usual place")
    parser.add_argument("--url", metavar="URL", help="connect to the server that runs there, instead of starting one")


def run(parsed: argparse.Namespace) -> int:
    client = _client(parsed.client)
    _refuse_unheeded(parsed)
    project = _project(parsed, client)
    settings = _settings(parsed, project)
    usual = configuration_of(client) if project is None else project / client.project
    path = Path(parsed.file).expanduser() if parsed.file else usual
    if parsed.hooks:
        place_of_hooks(parsed.client, project)
    if parsed.check:
        return _check(parsed, client, path, project)
    if parsed.remove:
        gone, kept = remove(client, path)
        hooks = remove_hooks(parsed.client, project)
        _report_written(parsed, WrittenHooks(path, gone, kept), hooks, "does not name Memotheca; nothing was changed.")
        return 0
    if parsed.hooks or not parsed.url:
        refuse_secret_place(settings)
    if parsed.write:
        token = read_token(settings) if parsed.url else ""
        fresh, kept = write(client, path, _server(client, settings, parsed.url, f"Bearer {token}" if token else ""))
        hooks = write_hooks(parsed.client, settings, project) if parsed.hooks else None
        _report_written(parsed, WrittenHooks(path, fresh, kept), hooks, "says so already; nothing was changed.")
        return 0
    server = _server(client, settings, parsed.url, _unsaid(client, settings) if parsed.url else "")
    if parsed.json:
        said: Shape = {"file": str(path), "content": nest(client, server)}
        if parsed.hooks:
            shapes = hook_shapes(parsed.client, hook_words(settings))
            said["hooks"] = {"file": str(place_of_hooks(parsed.client, project)), "content": {"hooks": shapes}}
        print_json(said)
        return 0
    _print(parsed, client, server, path)
    for line in spell_hooks(parsed.client, settings, project) if parsed.hooks else ():
        print(line)
    for line in _commands(client, settings, parsed.url) if project is None else ():
        print(line)
    return 0


def _refuse_unheeded(parsed: argparse.Namespace) -> None:
    """What is asked for and could not come about: options of a server that is not started, an address that is none."""
    given = [name for name in (*OPTIONS, *PLACES) if getattr(parsed, name.replace("-", "_")) is not None]
    if parsed.url is None:
        if "token-file" in given:
            raise Refusal(
                Failure.INVALID, "--token-file is the token of a server that runs: say which by --url.", field="url"
            )
        return
    if not _is_address(parsed.url):
        told = f"{parsed.url!r} is no address of a server; one looks like http://127.0.0.1:3000/mcp."
        raise Refusal(Failure.INVALID, told, field="url")
    lost = [f"--{name}" for name in given if name != "token-file" and not (name in PLACES and parsed.hooks)]
    if lost:
        hint = " A collection is chosen by the address: …/c/NAME/mcp." if "--collection" in lost else ""
        raise Refusal(
            Failure.INVALID,
            f"The server at --url runs already, so {', '.join(lost)} would not reach it; leave that out.{hint}",
            field="url",
        )


def _is_address(url: str) -> bool:
    try:
        address = urlsplit(url)
    except ValueError:
        return False
    return address.scheme in ("http", "https") and bool(address.hostname)


def _client(name: str | None) -> Client:
    if name is None:
        raise Refusal(Failure.INVALID, f"Say which client: memotheca connect {' | '.join(sorted(CLIENTS))}")
    return CLIENTS[name]


def _print(parsed: argparse.Namespace, client: Client, server: Shape, path: Path) -> None:
    print(f"Put this into {styled(str(path), 'bold')}")
    print("(or run the same with --write):\n")
    print(spell(client, server))
    if NO_TOKEN in spell(client, server):
        print(f"with the token in the place of {NO_TOKEN}.\n")


def _project(parsed: argparse.Namespace, client: Client) -> Path | None:
    """The repository that is connected, where one alone is: the one that this folder is in, else this folder."""
    if not parsed.project:
        return None
    if not client.project:
        knowing = ", ".join(name for name, each in CLIENTS.items() if each.project)
        raise Refusal(
            Failure.UNSUPPORTED, f"{client.label} has no servers of a project; {knowing} have.", field="project"
        )
    here = Path.cwd()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def _settings(parsed: argparse.Namespace, project: Path | None) -> Settings:
    """A project has a collection of its own name, unless another is asked for. It is named as it is, since clients
    start servers in folders of their own choice. Without a project, `auto` is for the server to find out."""
    if project is not None and parsed.collection in (None, AUTO):
        parsed.collection = collection_named(project.name)
    settings = settings_of(parsed)
    if project is None and (parsed.collection or os.environ.get("MEMOTHECA_COLLECTION")) == AUTO:
        return replace(settings, values={**settings.values, "collection": AUTO})
    return settings


def _check(parsed: argparse.Namespace, client: Client, path: Path, project: Path | None) -> int:
    server = read_server(client, path)
    if server is None:
        raise Refusal(
            Failure.NOT_FOUND, f"{path} does not name Memotheca; memotheca connect {parsed.client} --write adds it."
        )
    seen = try_server(server)
    if parsed.json:
        told = {"file": str(path), "name": seen.name, "version": seen.version, "tools": seen.tools}
        print_json({**told, "hooks": are_there(parsed.client, project)})
        return 0
    print(f"{path} is read by {client.label}.")
    say(
        f"{seen.name} {seen.version} answers, with {counted(len(seen.tools), 'tool')}: {', '.join(seen.tools)}",
        hang="  ",
    )
    if parsed.client in HOOKS:
        state = read_switch(str(settings_of(parsed).data))
        there = f"Its hooks are there, and {state}" if are_there(parsed.client, project) else "It has no hooks of ours"
        say(f"{there} ({place_of_hooks(parsed.client, project)}).")
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
    words = ["serve", *place_words(settings)]
    # What stands in memotheca.toml the server reads there itself.
    usual = load({"data": str(settings.data.absolute())}, {})
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
    if not has_secret_place(settings):
        yield "  Claude Desktop (which starts a server of its own, on the same data)"
        words = [*program, "connect", "claude-desktop", *_place(settings), "--write"]
        yield from (f"    {line}" for line in spell_command(words))
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
    parsed: argparse.Namespace, written: WrittenHooks, hooks: WrittenHooks | None, unchanged: str
) -> None:
    if parsed.json:
        backup = None if written.kept is None else str(written.kept)
        print_json({"file": str(written.path), "changed": written.is_fresh, "backup": backup, **tell_hooks(hooks)})
        return
    is_fresh = False
    for each in (written, hooks):
        if each is None or (not each.is_fresh and hooks is not None and hooks.is_fresh):
            continue
        is_fresh |= each.is_fresh
        kept = f"\nThe file as it was is {each.kept}." if each.kept else ""
        print(f"Wrote {each.path}.{kept}" if each.is_fresh else f"{each.path} {unchanged}")
    if is_fresh:
        print(f"Restart the client to see {'that' if parsed.remove else 'Memotheca'}.")
    if hooks is not None and parsed.write:
        for line in (HOOKED, HOOKS[parsed.client].note):
            say(line)

"""How each client we know is told of a server that runs: what to paste into a shell, or into its own file."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from memotheca.views.clients import CLIENTS, TOKEN, Client, spell
from memotheca.views.shells import spell_command

NO_TOKEN = "<token>"  # noqa: S105  # says where it goes
PROGRAM = "memotheca"
# Where a client's folders usually are, in words that hold for everybody.
ROOTS = {"HOME": "~", "CONFIG": "~/.config", "XDG": "~/.config", "CODEX": "~/.codex", "ROAMING": "%APPDATA%"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSetup:
    """One client: the command of its own that adds the server, if it has one; the text for its file, with the name of
    that file; and our command, which writes it there."""

    name: str
    label: str
    command: str | None
    configuration: str
    is_toml: bool
    file: str
    connect: str
    needs: str


def setups_for(url: str, *, with_token: bool) -> Iterator[ClientSetup]:
    """Every client, for the server at an address; the token itself is in none of the words. A client that reaches no
    address starts a server of its own on the same data."""
    for name, client in CLIENTS.items():
        yield _setup(name, client, url if client.http is not None else "", with_token=with_token)


def _setup(name: str, client: Client, url: str, *, with_token: bool) -> ClientSetup:
    header = f"Bearer {client.variable or NO_TOKEN}" if with_token and url else ""
    if url and client.http is not None:
        server, words = client.http(url, header), client.add(url, header) if client.add else None
        connect = [PROGRAM, "connect", name, "--url", url, "--write"]
    else:
        server, words = client.stdio([PROGRAM, "serve"]), [*client.add_stdio, PROGRAM, "serve"]
        words = words if client.add_stdio else None
        connect = [PROGRAM, "connect", name, "--write"]
    return ClientSetup(
        name=name,
        label=client.label,
        command=None if words is None else spell_command(words, "")[0],
        configuration=spell(client, server),
        is_toml=client.is_toml,
        file=_place(client),
        connect=spell_command(connect, "")[0],
        needs="" if not header else TOKEN if client.variable else NO_TOKEN,
    )


def _place(client: Client) -> str:
    root, _, rest = client.places.get(sys.platform, client.places[""]).partition("/")
    return f"{ROOTS[root]}/{rest}"

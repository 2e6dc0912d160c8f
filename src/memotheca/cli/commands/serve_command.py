"""memotheca serve: run the server."""

import argparse
import gc
import json
import logging
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from memotheca.app import App, build, command_of, loss_of
from memotheca.cli.commands.connect_command import tell_clients
from memotheca.cli.terminal import aimed, settings_of, styled
from memotheca.kernel.gc import calm_collector, share_turns
from memotheca.notes.mounts import vaults_of
from memotheca.server.operation.hook_door import hook_door
from memotheca.settings import Settings
from memotheca.storage.presence import SERVED, enter, gate

Announce = Callable[[Settings, str, int], None]

OPTIONS = (
    "collections",
    "transport",
    "host",
    "port",
    "toolsets",
    "more-toolsets",
    "read-only",
    "vault",
    "vault-ignore",
    "vault-gitignore",
    "allowed-hosts",
    "allowed-origins",
    "token-file",
    "oauth-issuer",
    "oauth-resource",
    "oauth-audience",
    "oauth-keys",
    "oauth-scopes",
    "oauth-name-claim",
    "oauth-collections-claim",
    "max-connections",
    "max-connections-per-client",
    "max-sessions",
    "max-buffer",
    "max-buffers",
    "header-timeout",
    "body-timeout",
    "stall-timeout",
    "drain-timeout",
    "log-calls",
    "metrics",
    "traces",
    "lease-seconds",
    "review-by-model",
    "dream-when-idle",
    "roots",
    "originals",
    "index-cache",
    "ocr-languages",
    "tesseract",
    "tessdata",
)

EPILOG = """examples:
  memotheca serve                                 stdio, started by the client
  memotheca serve --transport http                http://127.0.0.1:3000/mcp
  memotheca serve --transport http --roots ~/Documents
                                                clients may add files from there
  MEMOTHECA_TOKEN=… memotheca serve --transport http --host 0.0.0.0 \\
      --allowed-hosts my-machine:3000           for other machines too
  memotheca serve --vault ~/notes                 with notes, and their tools
  memotheca serve --toolsets memory               an agent's memory, nine tools
  memotheca serve --toolsets all --read-only      all, but nothing that writes

The toolsets are entries, documents, patterns (these by default), notes (by
default with a vault), memories, and memory: nine tools of these. Over
stdio the server ends when its client does; over HTTP it runs until it is
stopped. SIGTERM, SIGINT (Ctrl-C) and SIGHUP stop it: it closes its database and
exits with 0, or with 1 where a call had to be abandoned."""


class JsonLines(logging.Formatter):
    """One JSON object a line, so that a log can be read by a program."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--accept-removals", action="store_true", help="notes that are gone from a vault at the start are meant to be"
    )


def run(parsed: argparse.Namespace) -> int:
    try:
        return _serve(parsed)
    except KeyboardInterrupt:
        # Told to stop before it was quite there.
        return 0


def _serve(parsed: argparse.Namespace) -> int:
    return serve(parsed, settings_of(parsed), _announce_json if parsed.json else _announce)


def serve(parsed: argparse.Namespace, settings: Settings, announce: Announce) -> int:
    """Serve until told to stop; `announce` hears of the address."""
    _log_to_stderr(settings)
    # Start-up makes many objects that live for ever: collecting among them costs a tenth of it.
    gc.disable()
    app = build(settings)
    if getattr(parsed, "accept_removals", False):
        app = replace(app, kernel=app.kernel.having(replace(vaults_of(app.kernel), accepts_removals=True)))
    parsed.app = app
    if told := loss_of(app):
        logging.getLogger(__name__).warning(
            "%s; %s", told, aimed(parsed, "`memotheca doctor` says which backup to restore, and how")
        )
    _run_server(app, settings, announce)
    return 0


def _run_server(app: App, settings: Settings, announce: Announce) -> None:
    """Load the protocol and the one transport that is wanted; each takes longer to load than a database to open."""
    from memotheca.server.adapter import Adapter

    if settings.text("transport") == "stdio":
        adapter = Adapter(app)
    else:
        from memotheca.server.operation.operation import build_operation

        adapter = Adapter(app, operation=build_operation(settings))
    calm_collector()
    share_turns()
    with hook_door(app), ExitStack() as stack:
        if settings.text("transport") == "stdio":
            from memotheca.server.stdio import run_stdio

            run_stdio(adapter)
        else:
            from memotheca.server.web import run_web

            def tell(host: str, port: int) -> None:
                stack.callback(_show_address(app, settings, _endpoint(_reachable(host), port)))
                announce(settings, host, port)

            run_web(adapter, settings, announce=tell)


def _show_address(app: App, settings: Settings, endpoint: str) -> Callable[[], None]:
    """Let whoever looks for a server of this directory find it; returns what ends that."""
    with gate(app.data):
        where = {"address": endpoint.removesuffix("mcp"), "collection": app.kernel.collection}
        shown = enter(app.data, command_of(settings), room=SERVED, **where)
    return (lambda: None) if shown is None else shown.end


def _log_to_stderr(settings: Settings) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=settings.text("log-level").upper(), handlers=[handler], force=True)


def _announce_json(settings: Settings, host: str, port: int) -> None:
    print(json.dumps({"endpoint": _endpoint(_reachable(host), port)}), flush=True)


def _endpoint(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"


def _reachable(host: str) -> str:
    """An address that answers: every address of a machine is no address to go to."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104


def _announce(settings: Settings, host: str, port: int) -> None:
    endpoint = _endpoint(_reachable(host), port)
    print(f"{styled('Memotheca is running', 'bold')} at {styled(endpoint, 'green')}  (stop with Ctrl-C)")
    print(f"Look at what it holds in a browser: {endpoint.removesuffix('mcp')}")
    kept = f"PostgreSQL, and what is this machine's own in {settings.data.absolute()}"
    print(f"Its data is in {kept if settings.text('database') else settings.data.absolute()}")
    if _reachable(host) != host:
        _announce_others(settings, port)
    print("\nAdd it to a client:")
    for line in tell_clients(settings, endpoint):
        print(line)
    print(flush=True)


def _announce_others(settings: Settings, port: int) -> None:
    names = settings.names("allowed-hosts")
    if names:
        print(f"From other machines: http://{names[0].replace(':*', f':{port}')}/mcp")
    else:
        print("Other machines are refused until you say by what name they call this one:")
        print(f"  --allowed-hosts NAME:{port}, or MEMOTHECA_ALLOWED_HOSTS")

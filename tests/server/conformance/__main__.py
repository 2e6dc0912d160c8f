"""The product's server with the fixtures that the official suite calls for: DATA stdio, or DATA http on a free port."""

import json
import sys

import contents
import dialogue
import errands
import questions
from fixture_surroundings import surround
from toolbox import lend_exchange, with_fixtures

from memotheca.app import build
from memotheca.server.adapter import Adapter
from memotheca.server.stdio import run_stdio
from memotheca.server.web import run_web
from memotheca.settings import load

# Importing them is what registers their tools.
REGISTERED = (contents, dialogue, errands, questions)


def main(data: str, transport: str) -> None:
    settings = load({"data": data, "transport": transport, "port": 0}, {})
    adapter = Adapter(with_fixtures(build(settings)))
    lend_exchange(adapter)
    surround(adapter)
    schemas = {listing.name: listing.wire["inputSchema"] for listing in adapter.app.catalog.listed()}
    adapter.server.get_tool_input_schema = schemas.get
    if transport == "stdio":
        run_stdio(adapter)
    else:
        run_web(adapter, settings, announce=_announce)


def _announce(host: str, port: int) -> None:
    print(json.dumps({"endpoint": f"http://{host}:{port}/mcp"}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

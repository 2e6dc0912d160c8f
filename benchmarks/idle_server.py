"""Our own server with one more tool that does nothing, so that only the way to it is measured."""

import sys
from dataclasses import dataclass
from pathlib import Path

from bare_server import SENTENCE, URI
from memotheca.app import CONTRACTS, build
from memotheca.server.adapter import Adapter
from memotheca.server.stdio import run_stdio
from memotheca.settings import load
from memotheca.toolkit.fields import flag
from memotheca.toolkit.tool import Answer, Call, Example, Listing, tool

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.catalogue import to_listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    done: bool = flag()


@tool(contract="entries", effect="read", models=(Input, Output), example=Example(arguments={}))
def idle(call: Call[object], input: Input) -> Answer:
    """Do nothing at all."""
    return Answer(SENTENCE, URI, Output(done=True))


def build_adapter(folder: Path) -> Adapter:
    app = build(load({"data": folder}, {}))
    listing = to_listing(idle, "entries", __name__, CONTRACTS["entries"])
    app.catalog.add(Listing(**listing), idle)
    return Adapter(app)


if __name__ == "__main__":
    run_stdio(build_adapter(Path(sys.argv[1])))

"""A server that may be short of rights or space: it takes `tool {arguments}` and answers with structured content."""

import json
import os
import resource
import sys
import tempfile

from memotheca.app import App, build
from memotheca.model.errors import Refusal
from memotheca.settings import load
from memotheca.storage import sqlite
from memotheca.toolkit.tool import Call

NOBODY = 65534


def say(content: object) -> None:
    print(json.dumps(content), flush=True)


def open_app(data: str) -> App:
    return build(load({"data": data}, {}))


def answer(app: App, line: str) -> object:
    name, _, arguments = line.partition(" ")
    return app.dispatcher.run(name, json.loads(arguments), Call(kernel=app.kernel, actor="test")).structured


def limit_files(line: str) -> int:
    """`limit 100` lets no file grow beyond so many bytes, `limit -1` lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(line.split()[1]), most))
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0]


def warm_up() -> None:
    """Load whatever loads late: the one we become may not be allowed to read our source."""
    with tempfile.TemporaryDirectory() as scratch:
        app = open_app(scratch)
        for line in ('store {"topic": "tea", "content": "black"}', 'query {"content": "tea"}', "store {}"):
            answer(app, line)
        app.kernel.store.close()


def main(data: str, rights: str = "mine") -> None:
    warm_up()
    sqlite.FOLD_AT = 1
    if rights == "nobody" and os.geteuid() == 0:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    try:
        app = open_app(data)
    except Refusal as refusal:
        say({"refused": refusal.failure.code, "retryable": refusal.failure.retryable, "message": refusal.message})
        return
    say("ready")
    for line in sys.stdin:
        say(limit_files(line) if line.startswith("limit ") else answer(app, line))
    app.kernel.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

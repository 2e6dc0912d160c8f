"""A data directory with many entries in it, made quickly but as a client would have made them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpus import Note
from memotheca.app import App, build
from memotheca.entries.entries import blank_entry
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.search.prepared import LATER
from memotheca.settings import load
from memotheca.storage.store import Transaction, write_setting
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from memotheca.vectors.load import settle

BATCH = 1000


def open_app(folder: Path, embedder: str | None = None) -> App:
    app = build(load({"data": folder}, {}))
    if embedder is not None:
        with app.kernel.store.database.write() as session:
            write_setting(session, app.kernel.collection, "embedder", embedder)
    return app


def choose(app: App, embedder: str) -> None:
    """Another of the models that are there, as `memotheca reindex --embedder` chooses it."""
    choose_embedder(app.kernel.store, app.kernel.collection, *settle(embedder))


def fill(app: App, notes: Iterable[Note]) -> None:
    """A transaction for each entry, a thousand of them in each durable commit."""
    waiting: list[Note] = []
    for note in notes:
        waiting.append(note)
        if len(waiting) == BATCH:
            _commit(app, waiting)
            waiting = []
    if waiting:
        _commit(app, waiting)


def _commit(app: App, notes: list[Note]) -> None:
    def act(transaction: Transaction) -> None:
        transaction.describe("CREATE")
        for place, note in enumerate(notes):
            if place:
                transaction.start_another()
            transaction.put(blank_entry(transaction, note.topic, note.content, note.tags), LATER)

    app.kernel.write(act, actor="benchmark")


def run_tool(app: App, name: str, arguments: dict[str, Any]) -> Reply:
    reply = app.dispatcher.run(name, arguments, Call(kernel=app.kernel, actor="benchmark"))
    if reply.failed:
        raise RuntimeError(f"{name} was refused: {reply.structured}")
    return reply

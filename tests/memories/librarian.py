"""A librarian: somebody who looks after a memory, beside a vault, without vectors unless they are wanted."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memotheca.kernel.citations import citation_of
from memotheca.memory.curation.links import new_link
from memotheca.memory.graph.relations import read_relation
from memotheca.search.prepared import LATER
from memotheca.toolkit.ask import Dialogue, ModelQuestion, Response, key_of
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from tests.conftest import Time, Writer, open_vault

WHY = "Somebody will need it later."


class Librarian(Writer):
    """Calls tools of the memories family in a named session."""

    session = ""
    conversation = Dialogue()

    def reply(self, name: str, /, **arguments: Any) -> Reply:
        call = Call(kernel=self.kernel, actor="tester", session=self.session, conversation=self.conversation)
        return self.app.dispatcher.run(name, arguments, call)

    def remember(self, content: str, **more: Any) -> str:
        return self.call("store_memory", **{"content": content, "rationale": WHY, **more})["node_id"]

    def link(self, source: str, target: str, relation: str = "causal") -> None:
        """Put an edge as storing does."""

        def act(transaction: Any) -> None:
            transaction.describe("CREATE")
            transaction.put(
                new_link(transaction, (source, target), read_relation(relation).type, weight=0.8, predicate=relation),
                LATER,
            )

        self.kernel.write(act, actor="tester")

    def tag(self, id: str) -> str:
        """How a memory is cited."""
        with self.kernel.read() as snapshot:
            entry = snapshot.entry(id)
        assert entry is not None
        return citation_of(entry)

    def found(self, query: str, **more: Any) -> list[str]:
        return [each["id"] for each in self.call("search_graph", query=query, **more)["results"]]

    @contextmanager
    def answering(self, question: ModelQuestion, text: str, model: str = "clever") -> Generator[None]:
        """While this holds, the client's model gives this answer to this question."""
        response = Response("accepted", {"text": text, "model": model})
        self.conversation = Dialogue(frozenset({"model"}), {key_of(question): response})
        yield
        self.conversation = Dialogue()

    def held(self, needle: str) -> list[str]:
        """The files of the data directory and the vault that hold these bytes."""
        places = (self.vault.parent).rglob("*")
        return [place.name for place in places if place.is_file() and needle.encode() in place.read_bytes()]


def open_librarian(folder: Path, time: Time, **options: Any) -> Librarian:
    writer = open_vault(folder, time, **options)
    return Librarian(writer.app, writer.vault)

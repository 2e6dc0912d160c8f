"""Probing: a text that is not stored, hung in the thirteen spaces beside what is."""

from memotheca.kernel.kernel import Kernel
from memotheca.memory.spaces.space import Hung
from memotheca.memory.standing.meanings import mean_vector
from memotheca.memory.standing.sample import hang
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.embed import prepared_vectors
from memotheca.search.finder import embed_question
from memotheca.search.prepared import Prepared
from memotheca.storage.snapshot import Snapshot

PROBE = ""


def hang_text(kernel: Kernel, snapshot: Snapshot, content: str, prepared: Prepared) -> Hung:
    """A passage, with what `prepare_text` made of it."""
    found = prepared_vectors(snapshot, prepared, "", content)
    vectors = {PROBE: mean_vector(found)} if found else {}
    return hang(snapshot, [_draft(kernel, content)], joined={PROBE: ()}, vectors=vectors)[0]


def hang_question(kernel: Kernel, snapshot: Snapshot, question: str) -> Hung:
    vector = embed_question(question, embedder_of(kernel, snapshot.session))
    vectors = {} if vector is None else {PROBE: vector}
    return hang(snapshot, [_draft(kernel, question)], joined={PROBE: ()}, vectors=vectors)[0]


def _draft(kernel: Kernel, content: str) -> Entry:
    now = kernel.now()
    return Entry(id=PROBE, kind=MEMORY, title="", body=content, created_at=now, updated_at=now)

"""What a goal or a topic says: its words, and a sentence of what is stored."""

from collections.abc import Sequence

from memotheca.memory.claims.summary import sentences
from memotheca.memory.topics.topics import Topic
from memotheca.storage.snapshot import Snapshot

SENTENCE = 200  # chosen: a line


def describe_goal(snapshot: Snapshot, name: str, topics: Sequence[Topic]) -> str:
    """Its words, and the first sentence of what is most like the rest of it."""
    entry = next((each for id in topics[0].members if (each := snapshot.entry(id)) is not None), None)
    said = next(iter(sentences(entry.body)), "") if entry is not None else ""
    return f"{name}: {said[:SENTENCE]}" if said else name

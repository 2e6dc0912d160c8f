"""Batches: several messages sent as one array, which one revision of the protocol has, answered by one array."""

import json
from dataclasses import dataclass, field
from typing import Any, cast

from memotheca.server.faults import INVALID_REQUEST, check_message, fault

# The only revision with batches: the ones before and after send each message alone.
BATCHING = "2025-03-26"
# Chosen: a batch is answered whole, so that all its answers are kept until the last is there.
MOST_MEMBERS = 100

Reply = dict[str, Any] | list[dict[str, Any]]


@dataclass
class Batch:
    """The messages of a batch, and what its array answers: a place for each request and for each that is no message."""

    messages: list[dict[str, Any]]
    places: list[str | None]
    answers: list[dict[str, Any] | None]

    def fill(self, id: str | int, answer: dict[str, Any] | None) -> None:
        """Put an answer in its place; none where the request was cancelled."""
        place = self.places.index(_key(id))
        self.places[place] = None
        self.answers[place] = answer

    @property
    def is_complete(self) -> bool:
        return all(place is None for place in self.places)

    def array(self) -> list[dict[str, Any]]:
        return [answer for answer in self.answers if answer is not None]


def read_batch(members: list[Any], revision: str) -> Batch | dict[str, Any]:
    """A batch of that revision, or the error that answers all of it."""
    complaint = _complain(members, revision)
    if complaint:
        return fault(INVALID_REQUEST, "Invalid Request", details=complaint)
    batch = Batch([], [], [])
    for member in members:
        error = check_message(member)
        if error is not None:
            batch.places.append(None)
            batch.answers.append(error)
            continue
        batch.messages.append(member)
        if is_request(member):
            batch.places.append(_key(member["id"]))
            batch.answers.append(None)
    return batch


def is_request(message: dict[str, Any]) -> bool:
    return "method" in message and "id" in message


def _complain(members: list[Any], revision: str) -> str:
    if revision != BATCHING:
        used = f"this is {revision}" if revision else "no revision is agreed on yet"
        return f"Batches are part of revision {BATCHING} only, and {used}: send each message alone."
    if not members:
        return "A batch needs at least one message."
    if len(members) > MOST_MEMBERS:
        return f"A batch may have {MOST_MEMBERS} messages; this one has {len(members)}."
    known = [cast(dict[str, Any], member) for member in members if check_message(member) is None]
    if any(member.get("method") == "initialize" for member in known):
        return "initialize must not be part of a batch: send it alone."
    ids = [_key(member["id"]) for member in known if is_request(member)]
    if len(set(ids)) < len(ids):
        return "Each request of a batch needs an id of its own."
    return ""


def _key(id: str | int) -> str:
    # Streams of HTTP are kept by the id's text.
    return str(id)


@dataclass
class BatchSession:
    """One connection's messages, and which revision it has agreed on: takes batches apart and gathers their answers."""

    revision: str = ""
    _greeting: str | int | None = None
    _open: list[Batch] = field(default_factory=list[Batch])

    def take(self, parsed: Any) -> tuple[list[dict[str, Any]], Reply | None]:
        """The messages to pass on, and what to answer at once."""
        if not isinstance(parsed, list):
            complaint = check_message(parsed)
            return ([], complaint) if complaint is not None else ([parsed], self._note(parsed))
        batch = read_batch(cast(list[Any], parsed), self.revision)
        if not isinstance(batch, Batch):
            return [], batch
        if batch.is_complete:
            said = batch.array() or None
        else:
            self._open.append(batch)
            said = None
        for message in batch.messages:
            said = self._note(message) or said
        return batch.messages, said

    def gather(self, message: dict[str, Any]) -> Reply | None:
        """What to send for a message of the server's: nothing yet where others of its batch are still to come."""
        id = message.get("id")
        if "method" in message or id is None:
            return message
        if id == self._greeting:
            self._greeting = None
            self.revision = str(message.get("result", {}).get("protocolVersion", self.revision))
        batch = self._batch_of(id)
        return message if batch is None else self._fill(batch, id, message)

    def _note(self, message: dict[str, Any]) -> Reply | None:
        if message.get("method") == "initialize" and "id" in message:
            self._greeting = message["id"]
        elif message.get("method") == "notifications/cancelled":
            id = message.get("params", {}).get("requestId")
            batch = self._batch_of(id) if isinstance(id, str | int) else None
            # Nobody answers what was cancelled.
            return None if batch is None else self._fill(batch, id, None)
        return None

    def _batch_of(self, id: str | int) -> Batch | None:
        return next((batch for batch in self._open if _key(id) in batch.places), None)

    def _fill(self, batch: Batch, id: str | int, answer: dict[str, Any] | None) -> Reply | None:
        batch.fill(id, answer)
        if not batch.is_complete:
            return None
        self._open.remove(batch)
        return batch.array() or None


def spell(message: Reply) -> str:
    """As JSON; half a surrogate pair, which the client sent and hears again, has to stay escaped."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":"))
    return text

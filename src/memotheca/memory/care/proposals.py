"""Proposals: what people asked in conversations to be remembered, as tasks to accept or dismiss; nothing is stored of
it by itself, and nothing is worded anew (memory-model: Proposals)."""

from collections.abc import Iterator

from memotheca.conversations.keep import said_in
from memotheca.conversations.turns import cite, turns_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.claims.said_to_keep import Wish, find_said_to_keep
from memotheca.memory.claims.told import USER
from memotheca.memory.curation.undecided import proposed_task
from memotheca.memory.safety.speakers import hear
from memotheca.model.kinds import CONVERSATION
from memotheca.model.knowledge import Entry
from memotheca.storage.activity import read_state, write_state
from memotheca.storage.care_tasks import TaskRow, add_tasks, tasks_about
from memotheca.storage.database import Session
from memotheca.storage.lookups import ids_made_last
from memotheca.storage.snapshot import Snapshot

SEEN = "conversations_seen"
LATELY = 200  # chosen: conversations that are looked at, the newest
MOST = 100  # chosen: proposals of one look, more than anybody decides about at once
SPEAKER = "user"
OWN = 400  # chosen: letters that somebody types themselves; of more, some is passed on from elsewhere
_ASKED: dict[Wish, str] = {
    "remember": "somebody asked to remember it",
    "decision": "somebody told it as decided",
    "preference": "somebody told it as a preference",
    "correction": "somebody corrected it so",
}


def propose_lately(kernel: Kernel) -> int:
    """Look through what was said since the last time; how much is proposed anew."""
    with kernel.read() as snapshot:
        seen = int(read_state(snapshot.session, snapshot.collection, SEEN) or 0)
        if seen == snapshot.tx:
            return 0
        reached, rows = snapshot.tx, list(_proposals(kernel, snapshot, seen))[:MOST]
        known = {row.id for row in tasks_about(snapshot.session, snapshot.collection, {row.one for row in rows})}
    fresh = [row for row in rows if row.id not in known]

    def act(session: Session) -> None:
        add_tasks(session, kernel.collection, fresh)
        write_state(session, kernel.collection, SEEN, reached, now=kernel.now())

    kernel.store.operate(act)
    return len(fresh)


def _proposals(kernel: Kernel, snapshot: Snapshot, seen: int) -> Iterator[TaskRow]:
    """The newest conversations first; of each what is new in it."""
    for id in ids_made_last(snapshot, CONVERSATION, limit=LATELY):
        version = snapshot.version(id, snapshot.tx)
        if version is None or version.tx <= seen or not isinstance(version.thing, Entry):
            continue
        before = snapshot.version(id, seen) if seen else None
        looked_at = len(turns_of(before.thing)) if before is not None and isinstance(before.thing, Entry) else 0
        yield from _of_conversation(kernel, snapshot, version.thing, looked_at)


def _of_conversation(kernel: Kernel, snapshot: Snapshot, conversation: Entry, looked_at: int) -> Iterator[TaskRow]:
    """What a person's turns ask for, but of which the client has not stored anything itself."""
    stored = {edge.attributes.get("turn") for edge in said_in(snapshot, conversation.id)}
    for turn in turns_of(conversation)[looked_at:]:
        if turn.speaker != SPEAKER or turn.number in stored:
            continue
        found = find_said_to_keep(turn.text)
        for said in found if found and not _is_planted(turn.text) else ():
            reason = f"{_ASKED[said.wish]} in {cite(conversation, turn.number)}"
            yield proposed_task(conversation, turn.number, said.text, reason=reason, now=kernel.now())


def _is_planted(text: str) -> bool:
    """Whether a turn reads like instructions for whoever reads it, which a person may have passed on unseen."""
    return hear(text, USER if len(text) <= OWN else None).is_held

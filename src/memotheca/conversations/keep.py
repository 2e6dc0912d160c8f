"""Keeping a conversation: at its end, in the middle of it, or again, which adds only what is new."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memotheca.conversations.turns import SAID_IN, UNKNOWN, KeptTurn, Utterance, add_turns, cite, turns_of
from memotheca.kernel.handles import SESSION_NAMES, TALK_NAMES, resolve
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Edge, Entry, handle_of
from memotheca.search.prepared import LATER
from memotheca.storage.adjacency import edges_at
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.text.encoding import clean
from memotheca.text.secrets import scrub

MOST_LINKS = 10_000  # chosen: things stored from one conversation; more are not looked through
LONGEST_NAME = 200  # chosen: of a session, a client, a speaker: ids and names, no texts
LONGEST_TITLE = 120  # chosen: a line in a list
LONGEST = 20_000_000  # chosen: the letters of months of work in one session; a client that goes on for ever is none
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999  # specification: the years 1 to 9999
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepConversation:
    """A conversation as its client has it: `session` is what the client calls it, and together with `client` by what it
    is known again. What is kept already is not kept twice; one that was deleted stays so unless it is to be revived."""

    client: str
    session: str
    turns: tuple[Utterance, ...]
    title: str = ""
    tags: tuple[str, ...] = ()
    project: str = ""
    revives: bool = False


@dataclass(frozen=True, slots=True)
class KeptConversation:
    """What is kept now: which conversation, how many turns are new, which were known, what was taken out of them, and
    what was linked to them. Without a version there is none: nothing was said, or it was deleted and stays so."""

    version: Version | None
    added: int = 0
    known: int = 0
    redactions: Mapping[str, int] = field(default_factory=dict[str, int])
    linked: int = 0
    was_deleted: bool = False

    @property
    def handle(self) -> str:
        return "" if self.version is None or self.version.thing is None else handle_of(self.version.thing)


def keep_conversation(kernel: Kernel, request: KeepConversation, *, actor: str) -> KeptConversation:
    """Keep what is new of a conversation, in one transaction; its vectors are made later. No secret is stored."""
    scrubbed = scrub_turns(request)
    with kernel.read() as snapshot:
        # Many keep what was kept a moment ago: found out without taking the writer's lock.
        standing = _stand(snapshot, request, scrubbed)
    is_settled = not standing.new and not any(turn.stored for turn in scrubbed.turns)
    if standing.is_gone or is_settled:
        return KeptConversation(standing.head, 0, len(standing.held), scrubbed.redactions, was_deleted=standing.is_gone)
    return kernel.write(lambda transaction: put_conversation(transaction, request, scrubbed), actor=actor)


@dataclass(frozen=True, slots=True)
class _ConversationAsKept:
    """What is kept of a conversation, and what of it is new; one that was deleted is gone unless it is revived."""

    head: Version | None
    held: Sequence[KeptTurn]
    new: Sequence[Utterance]
    is_gone: bool


def _stand(snapshot: Snapshot, request: KeepConversation, scrubbed: "ScrubbedTurns") -> _ConversationAsKept:
    known = snapshot.find_alias(SESSION_NAMES, session_name(request))
    head = None if known is None else snapshot.head(known)
    present = None if head is None else head.thing
    held = turns_of(present) if isinstance(present, Entry) else []
    is_gone = known is not None and head is None and not request.revives
    return _ConversationAsKept(head, held, () if is_gone else list(unknown_turns(held, scrubbed.turns)), is_gone)


@dataclass(frozen=True, slots=True)
class ScrubbedTurns:
    """Turns as they may be stored, the title as well, and what was taken out."""

    turns: tuple[Utterance, ...]
    title: str
    redactions: Mapping[str, int]


def scrub_turns(request: KeepConversation) -> ScrubbedTurns:
    """What may be stored of a conversation: every text cleaned, without secrets; what says nothing is left out."""
    _refuse_endless(sum(len(turn.text) for turn in request.turns))
    found: Counter[str] = Counter()

    def scrubbed(text: str) -> str:
        cleaned, redactions = scrub(clean(text).strip())
        found.update({redaction.type: redaction.count for redaction in redactions})
        return cleaned

    turns: list[Utterance] = []
    for turn in request.turns:
        text = scrubbed(turn.text)
        if text:
            at = turn.at if turn.at is not None and EARLIEST <= turn.at <= LATEST else None
            speaker = _line(turn.speaker, LONGEST_NAME) or UNKNOWN
            turns.append(replace(turn, speaker=speaker, text=text, at=at, id=_line(turn.id, LONGEST_NAME)))
    title = _line(scrubbed(request.title), LONGEST_TITLE)
    if not title:
        first = next((turn.text for turn in turns if turn.speaker == "user"), turns[0].text if turns else "")
        title = _line(first, LONGEST_TITLE)
    return ScrubbedTurns(tuple(turns), title, dict(sorted(found.items())))


def put_conversation(transaction: Transaction, request: KeepConversation, scrubbed: ScrubbedTurns) -> KeptConversation:
    """The same within a transaction that does other things too."""
    standing = _stand(transaction, request, scrubbed)
    head, new = standing.head, standing.new
    before = head.thing if head is not None and isinstance(head.thing, Entry) else None
    if standing.is_gone or (not new and before is None):
        return KeptConversation(None, redactions=scrubbed.redactions, was_deleted=standing.is_gone)
    transaction.describe("CREATE" if before is None else "UPDATE")
    after = _grown(transaction, before or _blank(transaction, request, scrubbed.title), new)
    if new:
        transaction.put(after, LATER)
    linked = _link(transaction, after, scrubbed.turns)
    version = transaction.as_put(after) if new else head
    return KeptConversation(version, len(new), len(standing.held), scrubbed.redactions, linked)


def session_name(request: KeepConversation) -> str:
    """By what a conversation is known again: one client's names are not another's."""
    client, session = _line(request.client, LONGEST_NAME), _line(request.session, LONGEST_NAME)
    if not client or not session:
        missing = "session" if client else "client"
        raise Refusal(Failure.INVALID, f"A conversation needs a {missing}, by which it is known again.", field=missing)
    return f"{client}/{session}"


def unknown_turns(held: Sequence[KeptTurn], turns: Sequence[Utterance]) -> Iterator[Utterance]:
    """The turns that are not kept yet. One with an id is known by it; those without go on where what is kept ends, or
    where it and they begin alike."""
    named = {turn.id for turn in held if turn.id}
    unnamed = [turn for turn in turns if not turn.id]
    reached = _overlap([(turn.speaker, turn.text) for turn in held if not turn.id], unnamed)
    fresh = {id(turn) for turn in unnamed[reached:]}
    for turn in turns:
        if turn.id and turn.id not in named:
            named.add(turn.id)
            yield turn
        elif id(turn) in fresh:
            yield turn


def _overlap(held: list[tuple[str, str]], turns: Sequence[Utterance]) -> int:
    """How many of some turns are known: with which both begin, or with which the one ends and the other begins."""
    coming = [(turn.speaker, turn.text) for turn in turns]
    if not held or not coming:
        return 0
    alike = next((place for place, (a, b) in enumerate(zip(held, coming, strict=False)) if a != b), None)
    if alike is None:
        return min(len(held), len(coming))
    return max(alike, _longest_ending(held, coming))


def _longest_ending(held: list[tuple[str, str]], coming: list[tuple[str, str]]) -> int:
    """The length of the longest beginning of what comes that is an ending of what is held, in linear time."""
    borders = [0] * len(coming)
    length = 0
    for place in range(1, len(coming)):
        while length and coming[place] != coming[length]:
            length = borders[length - 1]
        length += coming[place] == coming[length]
        borders[place] = length
    length = 0
    for place, each in enumerate(held):
        while length and (length == len(coming) or each != coming[length]):
            length = borders[length - 1]
        length += each == coming[length]
        if length == len(coming) and place == len(held) - 1:
            break
    return length


def _grown(transaction: Transaction, entry: Entry, new: Sequence[Utterance]) -> Entry:
    if not new:
        return entry
    body, marks = add_turns(entry.body, entry.attributes.get("turns", ()), new)
    _refuse_endless(len(body))
    return replace(entry, body=body, attributes={**entry.attributes, "turns": marks}, updated_at=transaction.time)


def _refuse_endless(letters: int) -> None:
    if letters > LONGEST:
        raise Refusal(
            Failure.TOO_LARGE,
            f"A conversation may have at most {LONGEST:,} letters; this one would have {letters:,}.",
            field="turns",
        )


def _blank(transaction: Transaction, request: KeepConversation, title: str) -> Entry:
    project = _line(request.project, LONGEST_NAME)
    tags = tuple(tag for tag in dict.fromkeys(_line(each, LONGEST_NAME) for each in request.tags) if tag)
    return Entry(
        id=transaction.new_id(),
        kind=kinds.CONVERSATION,
        title=title,
        tags=tags,
        attributes={
            "client": _line(request.client, LONGEST_NAME),
            "session": _line(request.session, LONGEST_NAME),
            **({"project": project} if project else {}),
        },
        aliases=(
            Alias(TALK_NAMES, f"c-{transaction.next_serial(TALK_NAMES)}"),
            Alias(SESSION_NAMES, session_name(request)),
        ),
        created_at=transaction.time,
        updated_at=transaction.time,
    )


def _link(transaction: Transaction, conversation: Entry, turns: Sequence[Utterance]) -> int:
    """From what was stored out of a turn to the conversation; what is no longer there, or linked already, is left."""
    storing = [turn for turn in turns if turn.stored]
    if not storing:
        return 0
    numbers = {(turn.id, turn.speaker, turn.text): turn.number for turn in turns_of(conversation)}
    made = 0
    for turn in storing:
        number = numbers.get((turn.id, turn.speaker, turn.text))
        for handle in dict.fromkeys(turn.stored):
            source = _find(transaction, handle)
            if source is not None and source != conversation.id and number is not None:
                made += link_turn(transaction, source, conversation, number)
    return made


def link_turn(transaction: Transaction, source: str, conversation: Entry, number: int, *, task: str = "") -> bool:
    """Say of something that it comes from a turn, by which task if by one; false where that was said before."""
    cited = cite(conversation, number)
    for edge in transaction.edges_from(source, SAID_IN):
        if edge.target == conversation.id and edge.attributes.get("turn") == number:
            return False
    transaction.put(
        Edge(
            id=transaction.new_id(),
            source=source,
            target=conversation.id,
            type=kinds.TEMPORAL,
            predicate=SAID_IN,
            attributes={"turn": number, "cite": cited, **({"task": task} if task else {})},
            created_at=transaction.time,
            updated_at=transaction.time,
        )
    )
    return True


def said_in(snapshot: Snapshot, conversation: str) -> list[Edge]:
    """What was stored from a conversation, each with its turn."""
    edges = edges_at(snapshot, conversation, "target", limit=MOST_LINKS)
    return [edge for edge in edges if edge.predicate == SAID_IN]


def _find(transaction: Transaction, handle: str) -> str | None:
    try:
        return resolve(transaction, handle, "entry").id
    except Refusal:
        return None


def _line(text: str, longest: int) -> str:
    return _BLANKS.sub(" ", clean(text[: longest * 4])).strip()[:longest].strip()

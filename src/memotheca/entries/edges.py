"""Relating entries: triples, their conflicts, and what becomes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

from memotheca.documents.sections import HAS_SECTION
from memotheca.entries.edge_ends import EdgeWithEnds, related_at, with_ends
from memotheca.entries.refusals import refuse_long
from memotheca.kernel.handles import EDGE_NAMES, ENTITY_NAMES, resolve
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.paging import PagePosition, start, to_cursor
from memotheca.kernel.validity import said_validity
from memotheca.model import kinds
from memotheca.model.clock import HOUR
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import new_id
from memotheca.model.knowledge import Alias, Edge, Entry, Validity, fold
from memotheca.model.unset import UNSET, Unset
from memotheca.search.prepared import LATER
from memotheca.storage.conflicts import (
    drop_conflict,
    drop_expired_conflicts,
    find_conflict,
    keep_conflict,
    list_conflicts,
)
from memotheca.storage.database import Session
from memotheca.storage.snapshot import EdgePattern, Snapshot
from memotheca.storage.store import Transaction

Resolution = Literal["replace", "retain_both", "reject"]
RESOLUTIONS: tuple[Resolution, ...] = ("replace", "retain_both", "reject")
CONFLICT_LIFETIME = HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What somebody says: subject, predicate, object, and how they know."""

    subject: str
    predicate: str
    object: str
    multi: bool = False
    source: str | Unset = UNSET
    actor: str | Unset = UNSET
    confidence: float | Unset = UNSET
    valid_from: str | Unset = UNSET
    valid_to: str | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ClaimConflict:
    """A claim that was not written, because the predicate already has another object."""

    conflict_id: str
    existing: EdgeWithEnds
    incoming: Claim
    expires_at: int


@dataclass(frozen=True, slots=True)
class EdgePage:
    """One page of edges and the snapshot it was taken from."""

    edges: list[EdgeWithEnds]
    as_of_tx: int
    next_cursor: str | None


class _Clashes(Exception):
    def __init__(self, existing: EdgeWithEnds) -> None:
        self.existing = existing


def relate(kernel: Kernel, claim: Claim, *, actor: str) -> EdgeWithEnds | ClaimConflict:
    """Write a claim as an edge, or say with what it clashes and write nothing."""

    refuse_long("source", (claim.source,))
    refuse_long("actor", (claim.actor,))

    def act(transaction: Transaction) -> EdgeWithEnds:
        transaction.describe("CREATE")
        source, target = _ends(transaction, claim)
        said = transaction.edges_from(source.id, claim.predicate)
        holding = [edge for edge in said if edge.validity.covers(transaction.time)]
        same = next((edge for edge in holding if edge.target == target.id), None)
        if same is not None:
            return _amend(transaction, same, claim)
        rival = _find_rival(holding, claim)
        if rival is not None:
            raise _Clashes(_related(transaction, rival.id))
        return _connect(transaction, claim, source, target)

    try:
        return kernel.write(act, actor=actor)
    except _Clashes as clash:
        return _remember(kernel, clash.existing, claim)


def settle(kernel: Kernel, conflict_id: str, resolution: Resolution, claim: Claim, *, actor: str) -> EdgeWithEnds:
    """Apply a resolution to a claim that clashed before."""

    def act(transaction: Transaction) -> EdgeWithEnds:
        pending = _recall(transaction.session, kernel, conflict_id)
        _refuse_other(pending, claim)
        drop_conflict(transaction.session, kernel.collection, conflict_id)
        existing = transaction.edge(pending["existing_id"])
        if existing is None or transaction.head(existing.id) is None:
            raise Refusal(
                Failure.CONFLICT,
                "The triple it clashed with is gone; call relate without conflict_id.",
                field="conflict_id",
            )
        if resolution == "reject":
            return _related(transaction, existing.id)
        source, target = _ends(transaction, claim)
        if resolution == "replace":
            _amend(transaction, replace(existing, target=target.id), claim)
            _kept(transaction, target)
            return _related(transaction, existing.id)
        transaction.describe("CREATE")
        related = _connect(transaction, claim, source, target)
        transaction.put(
            replace(existing, validity=Validity(existing.validity.start, transaction.time), updated_at=transaction.time)
        )
        return related

    related = kernel.write(act, actor=actor)
    # A transaction that changed nothing has kept the conflict too.
    kernel.store.operate(lambda session: drop_conflict(session, kernel.collection, conflict_id))
    return related


def pending_conflicts(kernel: Kernel) -> list[ClaimConflict]:
    """The claims that clashed and wait for a decision; those whose triple is gone do not any more."""
    with kernel.read() as snapshot:
        waiting = list_conflicts(snapshot.session, kernel.collection, kernel.now())
        found = [(id, said, expires, snapshot.head(said["existing_id"])) for id, said, expires in waiting]
        return [
            ClaimConflict(
                id,
                related_at(snapshot, version),
                Claim(subject=said["subject"], predicate=said["predicate"], object=said["object"]),
                expires,
            )
            for id, said, expires, version in found
            if version is not None
        ]


def _refuse_other(pending: Mapping[str, str], claim: Claim) -> None:
    if (pending["subject"], pending["predicate"], pending["object"]) != (claim.subject, claim.predicate, claim.object):
        raise Refusal(
            Failure.INVALID, "The conflict is about another triple; repeat the same one.", field="conflict_id"
        )


def delete_edge(kernel: Kernel, handle: str, *, actor: str) -> tuple[str, int]:
    """Leave a tombstone for an edge; returns its handle and the transaction."""

    def act(transaction: Transaction) -> tuple[str, int]:
        transaction.describe("DELETE")
        edge = cast(Edge, resolve(transaction, handle, "edge").thing)
        transaction.remove(edge)
        return edge.aliases[0].name if edge.aliases else edge.id, transaction.tx

    return kernel.write(act, actor=actor)


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeQuestion:
    """Parts of the names a triple's subject, predicate and object must contain."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    as_of_tx_id: int | None = None


def find_edges(kernel: Kernel, question: EdgeQuestion, *, limit: int, cursor: str | None = None) -> EdgePage:
    """A page of the edges that match, in the order of their making."""
    asked = asdict(question)
    with kernel.read() as snapshot:
        place = start(asked, cursor, newest=snapshot.tx, now=kernel.now())
        pattern = _pattern(snapshot, question)
        found = snapshot.edges(pattern, as_of=place.tx, after=place.last, limit=limit + 1)
        edges = with_ends(snapshot, found[:limit], place.tx)
    more = len(found) > limit
    following = to_cursor(PagePosition(place.tx, place.now, found[limit - 1].id), asked) if more else None
    return EdgePage(edges, place.tx, following)


def _pattern(snapshot: Snapshot, question: EdgeQuestion) -> EdgePattern:
    """Sections belong to their document, and a book has hundreds: they are found by who names it or asks for them."""
    ends = _id_of(snapshot, question.subject), _id_of(snapshot, question.object)
    predicate = _folded(question.predicate)
    named = [None if id is None else snapshot.entry(id) for id in ends]
    wants_sections = (predicate is not None and predicate in HAS_SECTION) or any(
        entry is not None and entry.kind in (kinds.DOCUMENT, kinds.SECTION) for entry in named
    )
    return EdgePattern(
        source_text=_folded(question.subject),
        source_id=ends[0],
        target_text=_folded(question.object),
        target_id=ends[1],
        predicate_text=predicate,
        without=None if wants_sections else HAS_SECTION,
    )


def edge_fits(kernel: Kernel, question: EdgeQuestion, edge: Edge, tx: int) -> bool:
    """Whether a question finds an edge as it is after a transaction."""
    with kernel.read() as snapshot:
        return snapshot.fits(edge, _pattern(snapshot, question), tx)


def get_edge(kernel: Kernel, handle: str) -> EdgeWithEnds:
    with kernel.read() as snapshot:
        return related_at(snapshot, resolve(snapshot, handle, "edge"))


def _folded(text: str | None) -> str | None:
    return fold(text.strip()) if text and text.strip() else None


def _id_of(snapshot: Snapshot, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return resolve(snapshot, text, "entry").id
    except Refusal as refusal:
        if refusal.failure.is_trouble:
            raise
        return None


def _related(snapshot: Snapshot, id: str) -> EdgeWithEnds:
    return related_at(snapshot, cast(Version, snapshot.version(id, snapshot.tx)))


def _ends(transaction: Transaction, claim: Claim) -> tuple[Entry, Entry]:
    """The entries a claim connects; entities that nobody named before are made, but not yet kept."""
    allowed = kinds.STRUCTURAL.get(fold(claim.predicate))
    if allowed is None:
        return _entity(transaction, claim.subject, "subject"), _entity(transaction, claim.object, "object")
    source = cast(Entry, resolve(transaction, claim.subject, "entry", field="subject").thing)
    target = cast(Entry, resolve(transaction, claim.object, "entry", field="object").thing)
    if target.kind == kinds.ENTRY and target.attributes.get("knowledge_type") not in allowed:
        raise Refusal(
            Failure.INVALID,
            f"{claim.predicate} must lead to an entry whose knowledge_type is one of {', '.join(sorted(allowed))}.",
            field="object",
        )
    if source.id == target.id:
        raise Refusal(Failure.CYCLIC, f"An entry cannot be {claim.predicate} itself.", field="object")
    return source, target


def find_entity(transaction: Transaction, name: str) -> Entry | None:
    known = transaction.find_alias(ENTITY_NAMES, name)
    return None if known is None or transaction.head(known) is None else transaction.entry(known)


def new_entity(transaction: Transaction, name: str) -> Entry:
    """An entity of that name, not yet put."""
    return Entry(
        id=transaction.new_id(),
        kind=kinds.ENTITY,
        title=name,
        aliases=(Alias(ENTITY_NAMES, name),),
        created_at=transaction.time,
        updated_at=transaction.time,
    )


def new_edge(transaction: Transaction, source: str, predicate: str, target: str) -> Edge:
    """An edge with the next handle, not yet put."""
    return Edge(
        id=transaction.new_id(),
        source=source,
        target=target,
        type=kinds.SEMANTIC if fold(predicate) in kinds.STRUCTURAL else kinds.RELATIONAL,
        predicate=" ".join(predicate.split()),
        aliases=(Alias(EDGE_NAMES, f"t-{transaction.next_serial(EDGE_NAMES)}"),),
        created_at=transaction.time,
        updated_at=transaction.time,
    )


def _entity(transaction: Transaction, name: str, field: str) -> Entry:
    spelled = " ".join(name.split())
    if not spelled:
        raise Refusal(Failure.INVALID, f"{field} must not be blank.", field=field)
    return find_entity(transaction, spelled) or new_entity(transaction, spelled)


def _kept(transaction: Transaction, entry: Entry) -> Entry:
    """The entry, stored if it is new; one name twice in a claim is one entity."""
    if transaction.head(entry.id) is not None:
        return entry
    twin = find_entity(transaction, entry.title)
    if twin is None:
        transaction.put(entry, LATER)
    return twin or entry


def _find_rival(holding: Sequence[Edge], claim: Claim) -> Edge | None:
    """An edge that holds now and gives the same predicate another object."""
    may_have_many = claim.multi or fold(claim.predicate) in kinds.STRUCTURAL
    return None if may_have_many else next(iter(holding), None)


def _amend(transaction: Transaction, edge: Edge, claim: Claim) -> EdgeWithEnds:
    """Bring an edge to what the claim says of it; the same claim twice changes nothing."""
    amended = _with_claim(edge, claim)
    if amended != transaction.edge(edge.id):
        transaction.describe("UPDATE")
        transaction.put(replace(amended, updated_at=transaction.time))
    return _related(transaction, edge.id)


def _connect(transaction: Transaction, claim: Claim, source: Entry, target: Entry) -> EdgeWithEnds:
    blank = new_edge(transaction, source.id, claim.predicate, target.id)
    edge = _with_claim(blank, claim)
    transaction.put(edge)
    source, target = _kept(transaction, source), _kept(transaction, target)
    if (source.id, target.id) != (edge.source, edge.target):
        edge = replace(edge, source=source.id, target=target.id)
        transaction.put(edge)
    return EdgeWithEnds(transaction.as_put(edge), source, target)


def _with_claim(edge: Edge, claim: Claim) -> Edge:
    told = {name: said for name, said in (("source", claim.source), ("actor", claim.actor)) if said is not UNSET}
    return replace(
        edge,
        attributes={**edge.attributes, **told},
        confidence=edge.confidence if isinstance(claim.confidence, Unset) else claim.confidence,
        validity=said_validity(edge.validity, claim.valid_from, claim.valid_to),
    )


def _remember(kernel: Kernel, existing: EdgeWithEnds, claim: Claim) -> ClaimConflict:
    now = kernel.now()
    conflict_id, expires = new_id(now), now + CONFLICT_LIFETIME
    content = {
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "existing_id": existing.version.id,
    }

    def act(session: Session) -> None:
        drop_expired_conflicts(session, kernel.collection, now)
        keep_conflict(session, kernel.collection, conflict_id, expires=expires, content=content)

    kernel.store.operate(act)
    return ClaimConflict(conflict_id, existing, claim, expires)


def _recall(session: Session, kernel: Kernel, conflict_id: str) -> dict[str, str]:
    pending = find_conflict(session, kernel.collection, conflict_id)
    if pending is None:
        raise Refusal(Failure.NOT_FOUND, "There is no such conflict; it may be settled already.", field="conflict_id")
    content, expires = pending
    if expires <= kernel.now():
        raise Refusal(Failure.EXPIRED, "The conflict is older than an hour; call relate again.", field="conflict_id")
    return content

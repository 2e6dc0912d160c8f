"""Relating entries: triples, their conflicts, and what becomes of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast

from memotheca.documents.sections import HAS_SECTION
from memotheca.entries.entries import refuse_long
from memotheca.kernel.handles import EDGE_NAMES, ENTITY_NAMES, resolve
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.paging import Place, start, to_cursor
from memotheca.kernel.validity import said_validity
from memotheca.model import kinds
from memotheca.model.clock import HOUR
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import new_id
from memotheca.model.knowledge import Alias, Edge, Entry, Validity, fold
from memotheca.storage.conflicts import drop_conflict, drop_expired_conflicts, find_conflict, keep_conflict
from memotheca.storage.database import Session
from memotheca.storage.snapshot import EdgePattern, Reading
from memotheca.storage.store import Writing

Resolution = Literal["replace", "retain_both", "reject"]
RESOLUTIONS: tuple[Resolution, ...] = ("replace", "retain_both", "reject")
CONFLICT_LIFETIME = HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What somebody says: subject, predicate, object, and how they know."""

    subject: str
    predicate: str
    object: str
    said: Mapping[str, Any]
    multi: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """An edge with its ends."""

    version: Version
    source: Entry | None
    target: Entry | None


@dataclass(frozen=True, slots=True)
class Clash:
    """A claim that was not written, because the predicate already has another object."""

    conflict_id: str
    existing: Related
    incoming: Claim
    expires_at: int


@dataclass(frozen=True, slots=True)
class EdgePage:
    """One page of edges and the snapshot it was taken from."""

    edges: list[Related]
    as_of_tx: int
    next_cursor: str | None


class _Clashes(Exception):
    def __init__(self, existing: Related) -> None:
        self.existing = existing


def relate(kernel: Kernel, claim: Claim, *, actor: str) -> Related | Clash:
    """Write a claim as an edge, or say with what it clashes and write nothing."""

    refuse_long(claim.said)

    def act(writing: Writing) -> Related:
        writing.describe("CREATE")
        source, target = _ends(writing, claim)
        same = _find_same(writing, source, claim, target)
        if same is not None:
            return _amend(writing, same, claim)
        rival = _find_rival(writing, source, claim)
        if rival is not None:
            raise _Clashes(_related(writing, rival.id))
        return _connect(writing, claim, source, target)

    try:
        return kernel.write(act, actor=actor)
    except _Clashes as clash:
        return _remember(kernel, clash.existing, claim)


def settle(kernel: Kernel, conflict_id: str, resolution: Resolution, claim: Claim, *, actor: str) -> Related:
    """Apply a resolution to a claim that clashed before."""

    def act(writing: Writing) -> Related:
        pending = _recall(writing.session, kernel, conflict_id)
        _refuse_other(pending, claim)
        drop_conflict(writing.session, kernel.collection, conflict_id)
        existing = writing.edge(pending["existing_id"])
        if existing is None or writing.head(existing.id) is None:
            raise Refusal(
                Failure.CONFLICT,
                "The triple it clashed with is gone; call relate without conflict_id.",
                field="conflict_id",
            )
        if resolution == "reject":
            return _related(writing, existing.id)
        source, target = _ends(writing, claim)
        if resolution == "replace":
            _amend(writing, replace(existing, target=target.id), claim)
            _kept(writing, target)
            return _related(writing, existing.id)
        writing.describe("CREATE")
        related = _connect(writing, claim, source, target)
        writing.put(
            replace(existing, validity=Validity(existing.validity.start, writing.time), updated_at=writing.time)
        )
        return related

    related = kernel.write(act, actor=actor)
    # A transaction that changed nothing has kept the conflict too.
    kernel.store.operate(lambda session: drop_conflict(session, kernel.collection, conflict_id))
    return related


def _refuse_other(pending: Mapping[str, str], claim: Claim) -> None:
    if (pending["subject"], pending["predicate"], pending["object"]) != (claim.subject, claim.predicate, claim.object):
        raise Refusal(
            Failure.INVALID, "The conflict is about another triple; repeat the same one.", field="conflict_id"
        )


def delete_edge(kernel: Kernel, handle: str, *, actor: str) -> tuple[str, int]:
    """Leave a tombstone for an edge; returns its handle and the transaction."""

    def act(writing: Writing) -> tuple[str, int]:
        writing.describe("DELETE")
        edge = cast(Edge, resolve(writing, handle, "edge").thing)
        writing.remove(edge)
        return edge.aliases[0].name if edge.aliases else edge.id, writing.tx

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
    with kernel.read() as reading:
        place = start(asked, cursor, newest=reading.tx, now=kernel.now())
        pattern = _pattern(reading, question)
        found = reading.edges(pattern, as_of=place.tx, after=place.last, limit=limit + 1)
        edges = [_with_ends(reading, version, place.tx) for version in found[:limit]]
    more = len(found) > limit
    following = to_cursor(Place(place.tx, place.now, found[limit - 1].id), asked) if more else None
    return EdgePage(edges, place.tx, following)


def _pattern(reading: Reading, question: EdgeQuestion) -> EdgePattern:
    """Sections belong to their document, and a book has hundreds: they are found by who names it or asks for them."""
    ends = _id_of(reading, question.subject), _id_of(reading, question.object)
    predicate = _folded(question.predicate)
    named = [None if id is None else reading.entry(id) for id in ends]
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
    with kernel.read() as reading:
        return reading.fits(edge, _pattern(reading, question), tx)


def get_edge(kernel: Kernel, handle: str) -> Related:
    with kernel.read() as reading:
        return _with_ends(reading, resolve(reading, handle, "edge"), reading.tx)


def _folded(text: str | None) -> str | None:
    return fold(text.strip()) if text and text.strip() else None


def _id_of(reading: Reading, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return resolve(reading, text, "entry").id
    except Refusal as refusal:
        if refusal.failure.is_trouble:
            raise
        return None


def related_at(reading: Reading, version: Version) -> Related:
    """An edge with its ends as they are now."""
    return _with_ends(reading, version, reading.tx)


def _with_ends(reading: Reading, version: Version, as_of: int) -> Related:
    edge = cast(Edge, version.thing)
    return Related(version, reading.entry(edge.source, as_of), reading.entry(edge.target, as_of))


def _related(reading: Reading, id: str) -> Related:
    return _with_ends(reading, cast(Version, reading.version(id, reading.tx)), reading.tx)


def _ends(writing: Writing, claim: Claim) -> tuple[Entry, Entry]:
    """The entries a claim connects; entities that nobody named before are made, but not yet kept."""
    allowed = kinds.STRUCTURAL.get(fold(claim.predicate))
    if allowed is None:
        return _entity(writing, claim.subject, "subject"), _entity(writing, claim.object, "object")
    source = cast(Entry, resolve(writing, claim.subject, "entry", field="subject").thing)
    target = cast(Entry, resolve(writing, claim.object, "entry", field="object").thing)
    if target.kind == kinds.ENTRY and target.attributes.get("knowledge_type") not in allowed:
        raise Refusal(
            Failure.INVALID,
            f"{claim.predicate} must lead to an entry whose knowledge_type is one of {', '.join(sorted(allowed))}.",
            field="object",
        )
    if source.id == target.id:
        raise Refusal(Failure.CYCLIC, f"An entry cannot be {claim.predicate} itself.", field="object")
    return source, target


def find_entity(writing: Writing, name: str) -> Entry | None:
    known = writing.find_alias(ENTITY_NAMES, name)
    return None if known is None or writing.head(known) is None else writing.entry(known)


def new_entity(writing: Writing, name: str) -> Entry:
    """An entity of that name, not yet put."""
    return Entry(
        id=writing.new_id(),
        kind=kinds.ENTITY,
        title=name,
        aliases=(Alias(ENTITY_NAMES, name),),
        created_at=writing.time,
        updated_at=writing.time,
    )


def new_edge(writing: Writing, source: str, predicate: str, target: str) -> Edge:
    """An edge with the next handle, not yet put."""
    return Edge(
        id=writing.new_id(),
        source=source,
        target=target,
        type=kinds.SEMANTIC if fold(predicate) in kinds.STRUCTURAL else kinds.RELATIONAL,
        predicate=" ".join(predicate.split()),
        aliases=(Alias(EDGE_NAMES, f"t-{writing.next_serial(EDGE_NAMES)}"),),
        created_at=writing.time,
        updated_at=writing.time,
    )


def _entity(writing: Writing, name: str, field: str) -> Entry:
    spelled = " ".join(name.split())
    if not spelled:
        raise Refusal(Failure.INVALID, f"{field} must not be blank.", field=field)
    return find_entity(writing, spelled) or new_entity(writing, spelled)


def _kept(writing: Writing, entry: Entry) -> Entry:
    """The entry, stored if it is new; one name twice in a claim is one entity."""
    if writing.head(entry.id) is not None:
        return entry
    twin = find_entity(writing, entry.title)
    if twin is None:
        writing.put(entry)
    return twin or entry


def _find_same(writing: Writing, source: Entry, claim: Claim, target: Entry) -> Edge | None:
    edges = writing.edges_from(source.id, claim.predicate)
    return next((edge for edge in edges if edge.target == target.id and edge.validity.covers(writing.time)), None)


def _find_rival(writing: Writing, source: Entry, claim: Claim) -> Edge | None:
    """An edge that holds now and gives the same predicate another object."""
    if claim.multi or fold(claim.predicate) in kinds.STRUCTURAL:
        return None
    edges = writing.edges_from(source.id, claim.predicate)
    return next((edge for edge in edges if edge.validity.covers(writing.time)), None)


def _amend(writing: Writing, edge: Edge, claim: Claim) -> Related:
    """Bring an edge to what the claim says of it; the same claim twice changes nothing."""
    amended = _with_said(edge, claim.said)
    if amended != writing.edge(edge.id):
        writing.describe("UPDATE")
        writing.put(replace(amended, updated_at=writing.time))
    return _related(writing, edge.id)


def _connect(writing: Writing, claim: Claim, source: Entry, target: Entry) -> Related:
    blank = new_edge(writing, source.id, claim.predicate, target.id)
    edge = _with_said(blank, claim.said)
    writing.put(edge)
    ends = _kept(writing, source).id, _kept(writing, target).id
    if ends != (edge.source, edge.target):
        writing.put(replace(edge, source=ends[0], target=ends[1]))
    return _related(writing, edge.id)


def _with_said(edge: Edge, said: Mapping[str, Any]) -> Edge:
    attributes = {**edge.attributes, **{name: said[name] for name in ("source", "actor") if name in said}}
    return replace(
        edge,
        attributes=attributes,
        confidence=said.get("confidence", edge.confidence),
        validity=said_validity(edge.validity, dict(said)),
    )


def _remember(kernel: Kernel, existing: Related, claim: Claim) -> Clash:
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
    return Clash(conflict_id, existing, claim, expires)


def _recall(session: Session, kernel: Kernel, conflict_id: str) -> dict[str, str]:
    pending = find_conflict(session, kernel.collection, conflict_id)
    if pending is None:
        raise Refusal(Failure.NOT_FOUND, "There is no such conflict; it may be settled already.", field="conflict_id")
    content, expires = pending
    if expires <= kernel.now():
        raise Refusal(Failure.EXPIRED, "The conflict is older than an hour; call relate again.", field="conflict_id")
    return content

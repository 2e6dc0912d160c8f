"""How a change of a memory's text changes how new and how fitting it is, space by space (memory-model: Change of
standing)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.quadrants import Quadrant, quadrant
from memotheca.memory.standing.judge import judge
from memotheca.memory.standing.meanings import mean_vector
from memotheca.memory.standing.probe import PROBE
from memotheca.memory.standing.sample import Judged, hang, reference_of
from memotheca.memory.standing.whole import stand_as_whole
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.embed import prepare_text, prepared_vectors
from memotheca.storage.fingerprints import neighbours
from memotheca.storage.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DeltaStanding:
    """A text in a memory's place: its novelty and fit in each space and as a whole."""

    entry: Entry
    judged: Judged
    delta_s: float
    delta_c: float

    @property
    def potential(self) -> float:
        return self.delta_s * self.delta_c

    def quadrants(self, threshold: float) -> tuple[Quadrant, ...]:
        """Of a space that abstains Unknown, as the classification has it."""
        stands = zip(self.judged.delta_s, self.judged.delta_c, self.judged.speaking, strict=True)
        return tuple(quadrant(new, fits, threshold) if speaks else "Unknown" for new, fits, speaks in stands)


@dataclass(frozen=True, slots=True)
class DeltaSC:
    """How a memory stands, by how much more than before, and what it is compared with."""

    after: DeltaStanding
    before: DeltaStanding | None
    basis: str
    # As `after`, judged like `before`: both without what others say against it, which nobody said of an earlier text.
    compared: DeltaStanding


def compute_delta(
    kernel: Kernel, entry: Entry, *, new: str | None = None, old: Mapping[str, str | int] | None = None
) -> DeltaSC:
    """A memory as it is, or with another text, and as it was: with a text, as a transaction left it, or else as it is
    now where another text is tried, and in its previous version where none is; nothing where it always said the
    same."""
    with kernel.read() as snapshot:
        is_tried = new is not None and not old
        earlier, basis = (entry, "what it says now") if is_tried else _earlier(snapshot, entry, old or {})
        whole = judge(kernel, snapshot, entry) if new is None else None
    after = _standing(entry, whole) if whole is not None else _with_text(kernel, entry, new or "")
    before = None if earlier is None else _with_text(kernel, replace(entry, title=earlier.title), earlier.body)
    compared = after if before is None or new is not None else _with_text(kernel, entry, entry.body)
    return DeltaSC(after, before, basis, compared)


def _earlier(snapshot: Snapshot, entry: Entry, old: Mapping[str, str | int]) -> tuple[Entry | None, str]:
    if "content" in old:
        return replace(entry, body=str(old["content"])), "the text that was given"
    if "tx_id" in old:
        version = snapshot.version(entry.id, int(old["tx_id"]))
        if version is None or not isinstance(version.thing, Entry):
            message = f"There was nothing of it at transaction {old['tx_id']}."
            raise Refusal(Failure.NOT_FOUND, message, field="old_fingerprint")
        return version.thing, f"transaction {version.tx}"
    for version in reversed(snapshot.versions(entry.id)):
        held = version.thing
        if isinstance(held, Entry) and (held.title, held.body) != (entry.title, entry.body):
            return held, f"the previous version, of transaction {version.tx}"
    return None, "nothing: it has always said the same"


def _with_text(kernel: Kernel, entry: Entry, body: str) -> DeltaStanding:
    """As it would stand with this text, where its links are as they are."""
    drawn = replace(entry, id=PROBE, body=body)
    prepared = prepare_text(kernel, drawn.title, drawn.body, whole=True)
    with kernel.read() as snapshot:
        made = prepared_vectors(snapshot, prepared, drawn.title, drawn.body)
        joined = neighbours(snapshot.session, snapshot.collection, [entry.id]).get(entry.id, [])
        vectors = {PROBE: mean_vector(made)} if made else {}
        hung = hang(snapshot, [drawn], joined={PROBE: joined}, vectors=vectors)[0]
        judged = reference_of(kernel, snapshot).judge(replace(hung, id=entry.id))
    return _standing(replace(entry, body=body), judged)


def _standing(entry: Entry, judged: Judged) -> DeltaStanding:
    return DeltaStanding(entry, judged, *stand_as_whole(entry, judged))

"""Lineage: what happened to an entry from its making to now, and what it was merged from and into."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from memotheca.kernel.citations import TAG, resolve_citation
from memotheca.kernel.handles import resolve_any
from memotheca.kernel.nodes import find_named
from memotheca.memory.curation.reversal import hash_of
from memotheca.memory.verbs import Verb
from memotheca.model.commits import Commit, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot

ChangeType = Literal["created", "updated", "merged", "annotated", "boosted", "forgotten", "restored"]

APART = "differs in priors"
_BY_VERB: dict[str, ChangeType] = {Verb.ANNOTATE: "annotated", Verb.BOOST: "boosted"}


@dataclass(frozen=True, slots=True)
class LineageStep:
    """One change of an entry, by which transaction, and in which words."""

    change: ChangeType
    commit: Commit
    description: str

    @property
    def reversal_hash(self) -> str | None:
        """By which a forgetting or merging can be taken back."""
        return hash_of(self.commit) if self.commit.operation in ("DELETE", "MERGE") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """An entry's steps, oldest first, and its kin."""

    id: str
    steps: tuple[LineageStep, ...]
    merged_from: tuple[str, ...]
    merged_into: str | None
    forked_to: tuple[str, ...]
    is_alive: bool


def find_lineage(snapshot: Snapshot, handle: str, depth: int) -> Lineage:
    """Of anything that ever was, dead or alive; mergers are followed back for so many generations."""
    id = find_any(snapshot, handle)
    versions = snapshot.versions(id)
    if any(version.erased for version in versions) or versions[0].subject != "entry":
        raise Refusal(Failure.NOT_FOUND, f"There is no node {handle!r}.", field="node_id")
    steps = [_step(snapshot, versions, place) for place in range(len(versions))]
    newest = versions[-1]
    ended = steps[-1].commit
    is_merged_away = newest.thing is None and ended.operation == "MERGE"
    return Lineage(
        id=id,
        steps=tuple(steps),
        merged_from=tuple(_ancestors(snapshot, id, depth)),
        merged_into=_merged_into(snapshot, id, ended) if is_merged_away else None,
        forked_to=tuple(sorted(edge.source for edge in snapshot.edges_of(id, APART) if edge.target == id)),
        is_alive=newest.thing is not None,
    )


def _merged_into(snapshot: Snapshot, id: str, commit: Commit) -> str:
    """Of several that one transaction made of others, the one that was made of this."""
    made = [change.after.thing for change in snapshot.changes(commit.tx) if not change.removes]
    of_it = [each.id for each in made if isinstance(each, Entry) and id in each.attributes.get("merged_from", ())]
    return next(iter(of_it), commit.subject_id)


def find_any(snapshot: Snapshot, handle: str, *, field: str = "node_id") -> str:
    """The id under a handle, of what lives or lived."""
    if TAG.fullmatch(handle.strip()):
        return resolve_citation(snapshot, handle).id
    if not is_id(handle.strip()) and (named := find_named(snapshot, handle)) is not None:
        return named
    try:
        return resolve_any(snapshot, handle).id
    except Refusal as refusal:
        refusal.field = field
        raise


def _ancestors(snapshot: Snapshot, id: str, depth: int) -> list[str]:
    found: dict[str, None] = {}
    layer = [id]
    for _ in range(depth):
        layer = [source for each in layer for source in _sources(snapshot, each) if source not in found]
        found |= dict.fromkeys(layer)
    return list(found)


def _sources(snapshot: Snapshot, id: str) -> Sequence[str]:
    """What an entry was merged from, as its last image says."""
    last = next((version.thing for version in reversed(snapshot.versions(id)) if version.thing is not None), None)
    return cast(Sequence[str], last.attributes.get("merged_from", ())) if isinstance(last, Entry) else ()


def _step(snapshot: Snapshot, versions: Sequence[Version], place: int) -> LineageStep:
    version = versions[place]
    commit = cast(Commit, snapshot.commit(version.tx))
    before = versions[place - 1].thing if place else None
    change = _change(commit, cast(Entry | None, before), cast(Entry | None, version.thing))
    return LineageStep(change, commit, _describe(change, commit, cast(Entry | None, before), version))


def _change(commit: Commit, before: Entry | None, after: Entry | None) -> ChangeType:
    if commit.operation == "MERGE":
        return "merged"
    if after is None:
        return "forgotten"
    if commit.operation == "REVERT":
        return "restored"
    if before is None:
        return "created"
    return _BY_VERB.get(commit.verb, "updated")


def _describe(change: ChangeType, commit: Commit, before: Entry | None, version: Version) -> str:
    note = commit.note
    told = {
        "created": "Made.",
        "updated": f"Changed: {_changed(before, cast(Entry | None, version.thing))}.",
        "annotated": f"Annotated: {_changed(before, cast(Entry | None, version.thing))}.",
        "boosted": _boosted(before, cast(Entry | None, version.thing)),
        "restored": f"As it was before transaction {commit.undoes}.",
        "forgotten": _forgotten(commit),
        "merged": _merged(commit, version),
    }[change]
    rationale = str(note.get("rationale") or "")
    return f"{told} {rationale}".strip()


def _changed(before: Entry | None, after: Entry | None) -> str:
    if before is None or after is None:
        return "everything"
    named = ("title", "body", "tags", "validity", "aliases")
    fields = [name for name in named if getattr(before, name) != getattr(after, name)]
    keys = sorted(before.attributes.keys() | after.attributes.keys())
    fields += [name for name in keys if before.attributes.get(name) != after.attributes.get(name)]
    return ", ".join(fields) or "nothing of its content"


def _boosted(before: Entry | None, after: Entry | None) -> str:
    values = [0.5 if each is None else float(each.attributes.get("importance", 0.5)) for each in (before, after)]
    return f"Importance from {values[0]:g} to {values[1]:g}."


def _forgotten(commit: Commit) -> str:
    if commit.operation == "REVERT":
        return f"Taken back with transaction {commit.undoes}."
    reason = commit.note.get("reason")
    return f"Forgotten as {reason}." if reason else "Deleted."


def _merged(commit: Commit, version: Version) -> str:
    if version.thing is None:
        return f"Merged into {commit.subject_id}."
    sources = cast(Sequence[str], commit.note.get("sources", ()))
    return f"Made by merging {len(sources)} into one."

"""How the notes do: the vaults they are in, and what somebody may want to mend there."""

from dataclasses import dataclass

from memotheca.admin.health import HealthFinding
from memotheca.admin.vault_health import inspect_collection
from memotheca.kernel.kernel import Kernel
from memotheca.notes.mounts import opened, vaults_of
from memotheca.notes.overview import Survey, survey
from memotheca.notes.vanished import withheld
from memotheca.storage import vault_index


@dataclass(frozen=True, slots=True)
class MountedVault:
    """A folder of notes by its name, whether it is there, and where it lies."""

    name: str
    is_there: bool
    notes: int
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesState:
    """What there is, what is broken, and what was noticed."""

    vaults: list[MountedVault]
    survey: Survey
    ambiguous: list[tuple[str, str, list[str]]]
    warnings: list[str]
    findings: list[HealthFinding]


def look_at_notes(kernel: Kernel, *, closely: bool) -> NotesState:
    """Look at the vaults of this collection; closely compares every file with its row. Warnings that wait for whoever
    asks about a note next are read, and stay."""
    mounts = vaults_of(kernel).mounts
    with opened(kernel) as (snapshot, book):
        paths = sorted(row.path for row in book.rows.values())
        counts = {each.prefix: sum(path.startswith(each.prefix) for path in paths) for each in mounts}
        ambiguous = [
            (row.path, target, meant)
            for row in sorted(book.rows.values(), key=lambda row: row.path)
            for target, meant in book.ambiguous_links(row.id)
        ]
        waiting = [words for _, _, words in vault_index.read_warnings(snapshot.session, snapshot.collection, ())]
    return NotesState(
        vaults=[
            MountedVault(
                each.prefix.rstrip("/") or each.root.name, each.root.is_dir(), counts[each.prefix], str(each.root)
            )
            for each in mounts
        ],
        survey=survey(kernel),
        ambiguous=ambiguous,
        warnings=list(dict.fromkeys([*withheld(kernel), *waiting])),
        findings=inspect_collection(kernel, kernel.collection) if closely else [],
    )

"""A look at the notes as a whole."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.notes.mounts import opened, vaults_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """How many notes, links and ghosts there are, and what somebody may want to mend."""

    vaults: dict[str, str]
    notes: int
    links: int
    ghosts: int
    orphans: list[str]
    broken_links: list[dict[str, str]]
    duplicate_titles: list[tuple[str, ...]]


def survey(kernel: Kernel) -> Survey:
    with opened(kernel) as (_, book):
        rows = sorted(book.rows.values(), key=lambda row: row.path)
        lonely = [row.path for row in rows if not book.graph.out[row.id] and not book.graph.in_degree(row.id)]
        return Survey(
            vaults={mount.prefix: str(mount.root) for mount in vaults_of(kernel).mounts},
            notes=len(rows),
            links=sum(book.graph.out_degree(row.id) for row in rows),
            ghosts=len(book.ghosts),
            orphans=lonely,
            broken_links=[{"note": row.path, "target": target} for row in rows for target in book.broken_links(row.id)],
            duplicate_titles=book.duplicate_titles(),
        )

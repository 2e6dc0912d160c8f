"""Numbered steps from one format to the next; a step is never changed once released."""

from collections.abc import Callable, Sequence

from memotheca.model.clock import Clock
from memotheca.storage import (
    activity,
    care_tasks,
    chunks,
    document_index,
    fingerprints,
    jobs,
    repeats,
    shared_files,
    vault_index,
)
from memotheca.storage.database import Database, Session, scalar
from memotheca.storage.instruments import gate_decisions, retrievals, traversals, work_events
from memotheca.storage.schema import TABLES
from memotheca.storage.store import Derive, Store, recorded_format

Step = Callable[[Session], None]


def create_format_1(session: Session) -> None:
    for statement in TABLES:
        session.run(statement)
    session.run("INSERT INTO meta (name, value) VALUES ('format', '0')")


def add_chunks(session: Session) -> None:
    """Format 2: the derived rows that search is made of; those of entries that are there already are stale."""
    for statement in chunks.TABLES:
        session.run(statement)
    if scalar(session, "SELECT 1 FROM version LIMIT 1"):
        session.run("INSERT INTO meta (name, value) VALUES ('stale', 'chunks')")


def add_vault(session: Session) -> None:
    """What is known of a vault's files."""
    for statement in vault_index.TABLES:
        session.run(statement)


def add_documents(session: Session) -> None:
    """The list of documents, and the jobs that read them."""
    for statement in (*document_index.TABLES, *jobs.TABLES):
        session.run(statement)


def make_chunks_anew(session: Session) -> None:
    """Those that are there are stale: whoever opens next makes them from the journal."""
    if scalar(session, "SELECT 1 FROM version LIMIT 1"):
        session.run("INSERT INTO meta (name, value) VALUES ('stale', 'chunks') ON CONFLICT (name) DO NOTHING")


def set_stop_words_apart(session: Session) -> None:
    """Stop-words became terms of their own, which no stem of another word is equal to; words of more scripts are parted
    as their readers part them."""
    make_chunks_anew(session)


def add_memories(session: Session) -> None:
    """Fingerprints, operational rows, and what a transaction says of itself (a reason, a rationale)."""
    for statement in (*fingerprints.TABLES, *activity.TABLES):
        session.run(statement)
    session.run("ALTER TABLE tx ADD COLUMN note TEXT")
    for statement in activity.INDEXES:
        session.run(statement)


def add_sharing(session: Session) -> None:
    """Format 7: calls that carried a key."""
    for statement in repeats.TABLES:
        session.run(statement)


def match_reasons(session: Session) -> None:
    """Format 8: a memory is found by the words of its rationale too."""
    make_chunks_anew(session)


def add_care_tasks(session: Session) -> None:
    """Format 9: the list of what is to be decided about memories."""
    for statement in care_tasks.TABLES:
        session.run(statement)


def add_instruments(session: Session) -> None:
    """Format 10: what was retrieved and what became of it, paths that were walked, decisions of gates, and what
    background work tells of itself."""
    for statement in (*retrievals.TABLES, *traversals.TABLES, *gate_decisions.TABLES, *work_events.TABLES):
        session.run(statement)


def add_originals(session: Session) -> None:
    """Format 11: files that were sent, kept to show their pages."""
    for statement in shared_files.ORIGINALS:
        session.run(statement)


def part_names(session: Session) -> None:
    """Format 12: a text is found by the words of the names in it that capitals part."""
    make_chunks_anew(session)


def change_shipped_model(session: Session) -> None:
    """Format 13: another model is shipped; collections that have chosen none want its vectors."""
    make_chunks_anew(session)


STEPS: tuple[Step, ...] = (
    create_format_1,
    add_chunks,
    add_vault,
    add_documents,
    set_stop_words_apart,
    add_memories,
    add_sharing,
    match_reasons,
    add_care_tasks,
    add_instruments,
    add_originals,
    part_names,
    change_shipped_model,
)


def format_of(database: Database, session: Session) -> int:
    if not database.has_table(session, "meta"):
        return 0
    return recorded_format(session)


def migrate(database: Database, steps: Sequence[Step], *, before: Callable[[int], None]) -> int:
    """Bring the database to the newest format this program knows and return the format it has.

    A newer format is left alone. `before` makes the backup, under the writer's lock, so that nothing is
    committed between the copy and the first step.
    """
    with database.read() as session:
        found = format_of(database, session)
    if found >= len(steps):
        return found
    with database.write() as session:
        found = format_of(database, session)
        if 0 < found < len(steps):
            before(found)
        for number, step in enumerate(steps[found:], start=found + 1):
            step(session)
            session.run("UPDATE meta SET value = ? WHERE name = 'format'", str(number))
    return len(steps)


def open_migrated(
    database: Database,
    *,
    clock: Clock,
    derive: Derive | None = None,
    steps: Sequence[Step] = STEPS,
    before_migration: Callable[[int], None] = lambda found: None,
) -> Store:
    """The store of a database, which is first brought to the newest format."""
    migrate(database, steps, before=before_migration)
    return Store(database, clock=clock, known_format=len(steps), derive=derive)

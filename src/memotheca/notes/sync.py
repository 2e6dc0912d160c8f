"""From files to rows: what others did in a vault becomes transactions of the actor `vault`."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from memotheca.kernel.gc import resting_collector
from memotheca.kernel.kernel import Kernel
from memotheca.model.commits import Operation
from memotheca.model.errors import Refusal
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import Mount, opened, vaults_of
from memotheca.notes.note_bytes import remove_note
from memotheca.notes.note_codec import FilePlace, to_entry, to_unread_entry
from memotheca.notes.notices import judge_links, keep_warnings
from memotheca.notes.outbox import spell, try_to_finish
from memotheca.notes.vanished import Removals, doubt, identity_of, remember, revision_of, shares_of, tell
from memotheca.search.prepared import LATER
from memotheca.storage import vault_index
from memotheca.storage.database import Session
from memotheca.storage.store import Transaction
from memotheca.storage.vault_index import VaultState
from memotheca.vault.files import Content, Folder, Problem, ScannedFile, Trouble
from memotheca.vault.ignore import Ignores
from memotheca.vault.note_file import ParsedNote, keep_plain, parse
from memotheca.vault.wikilinks import title_of

log = logging.getLogger(__name__)

ACTOR = "vault"
BATCH = 200  # chosen: one transaction a batch, so that other writers wait for a moment only
ROUNDS = 3  # chosen: a vault that changes while it is looked at is looked at again by the watcher
# Files that keep their place in the graph without their text.
UNREAD = (Trouble.TOO_LARGE, Trouble.BINARY)

Report = Callable[[float, float | None, str], None]


def say_nothing(done: float, total: float | None, message: str) -> None:
    """For a look that nobody waits for."""


@dataclass(slots=True)
class Synced:
    """How many notes came, changed, moved and went, and how many files were passed over."""

    created: int = 0
    updated: int = 0
    moved: int = 0
    removed: int = 0
    skipped: int = 0
    withheld: int = 0
    transactions: int = 0

    @property
    def changed(self) -> int:
        return self.created + self.updated + self.moved + self.removed

    def add(self, other: "Synced") -> None:
        self.created += other.created
        self.updated += other.updated
        self.moved += other.moved
        self.removed += other.removed
        self.transactions += other.transactions


@dataclass(slots=True)
class Difference:
    """How many files are not as the rows say, and how many are no notes."""

    is_first: bool
    fresh: int = 0
    changed: int = 0
    moved: int = 0
    gone: int = 0
    passed_over: int = 0
    doubt: str | None = None

    @property
    def files(self) -> int:
        return self.fresh + self.changed + self.moved + self.gone


@dataclass(slots=True)
class _Arrival:
    """A file that is not as we know it; `known` is the digest of the note we had of it, `id` that note's."""

    path: str
    signature: str
    digest: str
    known: str
    id: str | None
    parsed: ParsedNote | None
    trouble: str = ""
    is_passed_over: bool = False


@dataclass(slots=True)
class _VaultLook:
    """What a look at a vault has found; files are read only when their turn comes."""

    mount: Mount
    folder: Folder
    is_first: bool = False
    own: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    touched: list[ScannedFile] = field(default_factory=list[ScannedFile])
    gone: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    moves: dict[str, str] = field(default_factory=dict[str, str])
    problems: list[Problem] = field(default_factory=list[Problem])
    unsettled: int = 0
    judged: list[tuple[str, tuple[str, ...]]] = field(default_factory=list[tuple[str, tuple[str, ...]]])


def folder_of(kernel: Kernel, mount: Mount) -> Folder:
    vaults = vaults_of(kernel)
    return Folder(mount.root, Ignores(mount.root, vaults.ignore, follow_git=vaults.gitignore))


@dataclass(frozen=True, slots=True)
class Scope:
    """How to look at a vault, which paths that covers, None being all of it, and whether a person has said that
    whatever is gone is meant to be."""

    scan: Callable[[], Iterator[ScannedFile | Problem]]
    within: list[str] | None = None
    accepts: bool = False


def sync_everything(kernel: Kernel, report: Report = say_nothing, *, accepts: bool = False) -> Synced:
    """Look through every vault; what has the same time, size and place on disk is not read again."""
    done = Synced()
    for mount in vaults_of(kernel).mounts:
        if mount.root.is_dir():
            scope = Scope(folder_of(kernel, mount).scan, accepts=accepts)
            sync_folder(kernel, mount, scope, done=done, report=report)
        else:
            keep_warnings(kernel, [("", f"The vault {mount.root.name!r} is not there; its notes stay as they were.")])
    return done


def sync_paths(kernel: Kernel, mount: Mount, folder: Folder, paths: Iterable[str]) -> Synced:
    """Look at some files and folders of a vault."""
    wanted = sorted(paths)

    def look() -> Iterator[ScannedFile | Problem]:
        for path in wanted:
            place = folder.root / path
            if place.is_dir() and not place.is_symlink():
                yield from folder.scan(path)
            elif (found := folder.stat(path)) is not None:
                yield found

    done = Synced()
    sync_folder(kernel, mount, Scope(look, wanted), done=done)
    return done


def sync_folder(kernel: Kernel, mount: Mount, scope: Scope, *, done: Synced, report: Report = say_nothing) -> None:
    """Bring rows to what a scan shows; a file that is written to meanwhile is looked at again."""
    look, withheld = _VaultLook(mount, folder_of(kernel, mount)), 0
    for _ in range(ROUNDS):
        try_to_finish(kernel)
        look = _look(kernel, mount, scope)
        withheld = _withhold(kernel, look, scope)
        _record(kernel, look, done, report)
        done.skipped += len(look.problems)
        if not look.unsettled:
            break
    done.withheld += withheld
    if look.is_first and scope.within is None:
        kernel.store.operate(lambda session: vault_index.mark_indexed(session, kernel.collection, mount.prefix))


def _look(kernel: Kernel, mount: Mount, scope: Scope) -> _VaultLook:
    within = None if scope.within is None else [mount.prefix + path for path in scope.within]
    with kernel.read() as snapshot:
        notes = vault_index.known_notes(snapshot.session, kernel.collection, within)
        files = vault_index.known_files(snapshot.session, kernel.collection, within)
        is_first = mount.prefix not in vault_index.read_indexed(snapshot.session, kernel.collection)
    own = {path: (id, digest) for path, (prefix, id, digest) in notes.items() if prefix == mount.prefix}
    look = _VaultLook(mount, folder_of(kernel, mount), is_first, own)
    look.gone = dict(own)
    for found in scope.scan():
        if isinstance(found, Problem):
            look.problems.append(found)
            if found.trouble is Trouble.UNREADABLE:
                _keep_below(look, found.path)
            continue
        path = mount.prefix + found.path
        look.gone.pop(path, None)
        if path not in files or path not in own or files[path][0] != spell(found.signature):
            look.touched.append(found)
    look.moves = _match_moves(look) if look.gone else {}
    return look


def _keep_below(look: _VaultLook, path: str) -> None:
    """What is in a folder that cannot be read is not gone."""
    place = look.mount.prefix + path
    below = f"{place}/" if path else place
    look.gone = {each: known for each, known in look.gone.items() if each != place and not each.startswith(below)}


def _withhold(kernel: Kernel, look: _VaultLook, scope: Scope) -> int:
    """Leave notes where they are that are gone in a way which may not be meant; returns how many."""
    mount = look.mount
    with kernel.read() as snapshot:
        before = vault_index.read_standing(snapshot.session, kernel.collection, mount.prefix)
        known = vault_index.count_notes(snapshot.session, kernel.collection, mount.prefix)
    reason = None if scope.accepts else doubt(mount, before, Removals(look.gone.keys(), known, scope.within is None))
    if reason is None:
        after = before if before.withheld else replace(before, revision=revision_of(mount.root))
        if scope.within is None:
            there = {*(look.own.keys() - look.gone.keys()), *(mount.prefix + found.path for found in look.touched)}
            identity, revision = identity_of(mount.root), revision_of(mount.root)
            after = VaultState(identity=identity, revision=revision, shares=shares_of(mount, there))
        remember(kernel, mount, before, after)
        return 0
    after = replace(before, withheld=len(look.gone), reason=reason)
    look.gone = {}
    if after != before:
        remember(kernel, mount, before, after)
        log.warning("%s", tell(mount, after))
        keep_warnings(kernel, [("", tell(mount, after))])
    return after.withheld


def compare(kernel: Kernel, mount: Mount) -> Difference:
    """What a look at everything would find; nothing is written."""
    look = _look(kernel, mount, Scope(folder_of(kernel, mount).scan))
    with kernel.read() as snapshot:
        before = vault_index.read_standing(snapshot.session, kernel.collection, mount.prefix)
    found = Difference(look.is_first, moved=len(look.moves), gone=len(look.gone), passed_over=len(look.problems))
    found.doubt = doubt(mount, before, Removals(look.gone.keys(), len(look.own), is_whole=True))
    for touched in look.touched:
        path = mount.prefix + touched.path
        content = look.folder.read(touched.path)
        digest = content.digest if isinstance(content, Content) else f"unread-{spell(touched.signature)}"
        if isinstance(content, Problem) and content.trouble not in UNREAD:
            found.passed_over += content.trouble is not Trouble.VANISHED
        elif path in look.own:
            found.changed += digest != look.own[path][1]
        else:
            found.fresh += path not in look.moves
    return found


def _match_moves(look: _VaultLook) -> dict[str, str]:
    """Files that went and came again elsewhere, unchanged, are the same notes: new path to the note's id."""
    departed: dict[str, list[str]] = {}
    for path, (_, digest) in look.gone.items():
        departed.setdefault(digest, []).append(path)
    moves: dict[str, str] = {}
    for found in look.touched:
        path = look.mount.prefix + found.path
        content = look.folder.read(found.path) if path not in look.own else None
        candidates = departed.get(content.digest, []) if isinstance(content, Content) else []
        if candidates:
            name = path.rpartition("/")[2]
            old = min(candidates, key=lambda path: (path.rpartition("/")[2] != name, path))
            candidates.remove(old)
            moves[path] = look.gone.pop(old)[0]
    return moves


def _record(kernel: Kernel, look: _VaultLook, done: Synced, report: Report) -> None:
    """Write what was found, some hundred files to a transaction."""
    departing = look.gone
    linking = _linking(kernel, [*(id for id, _ in look.gone.values()), *look.moves.values()])
    starts = range(0, len(look.touched), BATCH) if look.touched else range(1)
    for start in starts:
        leaving, departing = departing, {}
        with resting_collector():
            _record_some(kernel, look, look.touched[start : start + BATCH], leaving=leaving, done=done)
        report(min(start + BATCH, len(look.touched)), len(look.touched), "reading notes")
    look.judged += [(path, ()) for path in linking if path not in {path for path, _ in look.judged}]
    _judge(kernel, look)


def _linking(kernel: Kernel, ids: list[str]) -> list[str]:
    """The paths of notes that link to notes which are about to go or to move: their links may break by it."""
    if not ids:
        return []
    with opened(kernel) as (_, book):
        return sorted({row.path for id in ids for row in book.linking_to(id)})


def _record_some(
    kernel: Kernel, look: _VaultLook, touched: list[ScannedFile], *, leaving: dict[str, tuple[str, str]], done: Synced
) -> None:
    untouched: list[tuple[str, str, str]] = []
    batch = list(_arrivals(look, touched, untouched))
    settled = _write_whole_or_apart(kernel, look, batch, leaving=leaving, done=done) if batch or leaving else []
    _remember(kernel, [*untouched, *((each.path, each.signature, each.digest) for each in settled)], leaving)
    look.judged += [(each.path, each.parsed.warnings if each.parsed else ()) for each in settled]
    look.unsettled += len(batch) - len(settled)


def _write_whole_or_apart(
    kernel: Kernel, look: _VaultLook, batch: list[_Arrival], *, leaving: dict[str, tuple[str, str]], done: Synced
) -> list[_Arrival]:
    """Write files in one transaction. Where one of them cannot be written, nobody knows which, so each gets one of its
    own: first as it was read, else without its text; a file for which that fails too is passed over and named."""
    try:
        return _write(kernel, _SyncBatch(look, batch, leaving), done)
    except (Refusal, MemoryError):
        raise
    except Exception:
        log.exception("a group of notes could not be taken in; each is taken in by itself")
    settled: list[_Arrival] = []
    if leaving:
        settled += _write(kernel, _SyncBatch(look, [], leaving), done)
    for arrival in list(batch):
        settled += _write_alone(kernel, look, arrival, done)
        if arrival.is_passed_over:
            batch.remove(arrival)
    return settled


def _write_alone(kernel: Kernel, look: _VaultLook, arrival: _Arrival, done: Synced) -> list[_Arrival]:
    path = arrival.path.removeprefix(look.mount.prefix)
    for is_last in (False, True):
        try:
            return _write(kernel, _SyncBatch(look, [arrival], {}), done)
        except (Refusal, MemoryError):
            raise
        except Exception as error:
            log.exception("%s could not be taken in", arrival.path)
            arrival.trouble = f"it could not be taken in: {type(error).__name__}"
            arrival.parsed, arrival.is_passed_over = None, is_last
            arrival.digest = f"unread-{arrival.signature}"
            if not is_last:
                look.problems.append(Problem(path, Trouble.UNREADABLE, arrival.trouble))
    return []


def _write(kernel: Kernel, batch: "_SyncBatch", done: Synced) -> list[_Arrival]:
    # What others did in the vault is no part of the call on whose way it is noticed.
    wrote = kernel.store.write(kernel.collection, partial(_write_fenced, kernel, batch), actor=ACTOR)
    batch.done.transactions = wrote
    done.add(batch.done)
    return batch.settled


def _remember(kernel: Kernel, seen: list[tuple[str, str, str]], gone: Iterable[str]) -> None:
    def act(session: Session) -> None:
        vault_index.know_files(session, kernel.collection, seen)
        vault_index.forget_files(session, kernel.collection, gone)

    if seen or gone:
        kernel.store.operate(act)


def _arrivals(
    look: _VaultLook, touched: list[ScannedFile], untouched: list[tuple[str, str, str]]
) -> Iterator[_Arrival]:
    """Read files; one whose content is as we know it is only looked at."""
    for found in touched:
        path = look.mount.prefix + found.path
        id, known = look.own.get(path, (None, ""))
        content = look.folder.read(found.path)
        if isinstance(content, Content):
            signature = spell(content.signature)
            if content.digest == known:
                untouched.append((path, signature, known))
            else:
                yield _Arrival(path, signature, content.digest, known, id, _read_note(content.raw, found.path))
        elif content.trouble in UNREAD:
            signature = spell(found.signature)
            look.problems.append(content)
            if known != f"unread-{signature}":
                yield _Arrival(path, signature, f"unread-{signature}", known, id, None, content.message)
        elif content.trouble is not Trouble.VANISHED:
            look.problems.append(content)


def _read_note(raw: bytes, path: str) -> ParsedNote:
    """Whatever goes wrong with one file, it is that file's alone."""
    try:
        return parse(raw, path)
    except (Refusal, MemoryError):
        raise
    except Exception as error:
        log.exception("%s could not be read as a note", path)
        return keep_plain(raw, path, f"It could not be read ({type(error).__name__})")


@dataclass(frozen=True, slots=True)
class _SyncBatch:
    """What one transaction is to write, and where it says what it did."""

    look: _VaultLook
    arrivals: list[_Arrival]
    leaving: dict[str, tuple[str, str]]
    settled: list[_Arrival] = field(default_factory=list[_Arrival])
    done: Synced = field(default_factory=Synced)


def _write_fenced(kernel: Kernel, batch: _SyncBatch, transaction: Transaction) -> int:
    kernel.fence(transaction.session)
    vaults_of(kernel).refuse_moved(transaction.session, transaction.collection)
    return _write_batch(batch, transaction)


def _write_batch(batch: _SyncBatch, transaction: Transaction) -> int:
    look, done = batch.look, batch.done
    batch.settled.clear()
    pending = vault_index.pending_paths(transaction.session, transaction.collection)
    transaction.describe(_operation(look, batch.arrivals, batch.leaving))
    for path, (id, digest) in batch.leaving.items():
        if path not in pending and (entry := _still(transaction, id, path, digest)) is not None:
            remove_note(transaction, entry)
            done.removed += 1
    for arrival in batch.arrivals:
        moved = look.moves.get(arrival.path) if arrival.id is None else None
        present = None if (arrival.id or moved) is None else transaction.entry(arrival.id or str(moved))
        if arrival.path in pending or not _is_as_seen(transaction, arrival, present):
            continue
        transaction.put(_entry_of(transaction, look.mount, arrival, present), LATER)
        batch.settled.append(arrival)
        done.created += present is None
        done.moved += present is not None and arrival.id is None
        done.updated += arrival.id is not None
    return int(transaction.changed)


def _operation(look: _VaultLook, batch: list[_Arrival], leaving: Mapping[str, object]) -> Operation:
    if look.is_first:
        return "INDEX"
    if not leaving and all(arrival.id is None for arrival in batch):
        return "CREATE"
    return "DELETE" if not batch else "UPDATE"


def _is_as_seen(transaction: Transaction, arrival: _Arrival, present: Entry | None) -> bool:
    """Whether the note is still as it was when the file was read: else somebody wrote in between."""
    rows = vault_index.rows_at(transaction.session, transaction.collection, arrival.path)
    if arrival.id is not None:
        return bool(rows) and rows[0].digest == arrival.known
    return not rows and (present is None or present.attributes["digest"] == arrival.digest)


def _still(transaction: Transaction, id: str, path: str, digest: str) -> Entry | None:
    head = transaction.head(id)
    entry = None if head is None else cast(Entry, head.thing)
    same = entry is not None and (entry.attributes["path"], entry.attributes["digest"]) == (path, digest)
    return entry if same else None


def _entry_of(transaction: Transaction, mount: Mount, arrival: _Arrival, present: Entry | None) -> Entry:
    place = FilePlace(mount.prefix, arrival.path, arrival.digest)
    if arrival.parsed is None:
        return to_unread_entry(transaction, present, title_of(arrival.path), arrival.trouble, place=place)
    return to_entry(transaction, present, arrival.parsed, place)


def _judge(kernel: Kernel, look: _VaultLook) -> None:
    """Keep what should be said of the files that were read, now that all of them are known."""
    warnings = [("", f"Not read: {look.mount.prefix}{each.path} ({each.message}).") for each in look.problems]
    if look.judged:
        with opened(kernel) as (_, book):
            for path, told in look.judged:
                node = book.find(path)
                warnings += [(path, warning) for warning in told]
                warnings += [(path, warning) for warning in judge_links(book, node)] if node in book.rows else []
    keep_warnings(kernel, warnings, judged=[path for path, _ in look.judged])

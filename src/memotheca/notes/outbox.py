"""From rows to files: a change of notes is decided by its transaction, and reaches the files right after it."""

import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, Thing, fold
from memotheca.notes.mounts import Vaults, vaults_of
from memotheca.notes.note_bytes import is_filed, to_bytes
from memotheca.notes.notices import keep_warnings
from memotheca.notes.vanished import refuse_absent
from memotheca.storage import vault_index
from memotheca.storage.database import Session
from memotheca.storage.roles import Lease, holder_of, lease
from memotheca.storage.store import Transaction
from memotheca.storage.vault_index import Intent
from memotheca.vault.files import MAX_SIZE, TEMPORARY, FileSignature, Folder, Problem, Trouble
from memotheca.vault.lossless_text import is_binary

APPLYING = "vault-files"
PATIENCE = 20.0  # chosen: below the half minute in which a writer gives up
RESERVE = 1 << 20  # chosen: a note is written beside its old file, and the system needs some room


class FileChanged(Refusal):
    """A note's file is not what it was when the note was read from it."""

    def __init__(self, path: str, what: str) -> None:
        message = f"The file {path!r} {what} since it was read. Nothing was written; look at it again, then try again."
        super().__init__(Failure.CONFLICT, message, details={"path": path})
        self.path = path


@dataclass(slots=True)
class _FileTurn:
    """What becomes of one file over all changes of a plan."""

    vault: str
    before: str
    after: str = ""
    content: bytes | None = None


@dataclass(slots=True)
class FilePlan:
    """What a change of notes means for their files, one path at a time however often it changes. What leaves is
    deleted, or goes to the vault's trash where the plan keeps it. What comes back may stand again beside a file whose
    name differs in case alone, where the disk tells them apart."""

    vaults: Vaults
    keeps: bool = False
    brings_back: bool = False
    turns: dict[str, _FileTurn] = field(default_factory=dict[str, _FileTurn])

    def add(self, before: Thing | None, after: Thing | None) -> None:
        """Let the files follow one thing from what it was to what it is."""
        old = before if isinstance(before, Entry) and is_filed(before) else None
        new = after if isinstance(after, Entry) and is_filed(after) else None
        stays = old is not None and new is not None and old.attributes["path"] == new.attributes["path"]
        if old is not None and not stays:
            turn = self._turn(old, old.attributes["digest"])
            turn.after, turn.content = "", b"" if self.keeps else None
        if new is not None:
            turn = self._turn(new, old.attributes["digest"] if old is not None and stays else "")
            turn.after, turn.content = new.attributes["digest"], None
            if turn.after != turn.before:
                turn.content = _to_text(new)

    def _turn(self, entry: Entry, before: str) -> _FileTurn:
        return self.turns.setdefault(entry.attributes["path"], _FileTurn(entry.attributes["vault"], before))

    def settle(self, transaction: Transaction) -> list[Intent]:
        """Note down what is to happen, inside the transaction, after a look at each file."""
        self.vaults.refuse_moved(transaction.session, transaction.collection)
        intents: list[Intent] = []
        for path, turn in self.turns.items():
            if turn.before == turn.after:
                continue  # There and back again.
            mount = self.vaults.holding(turn.vault)
            intents.append(
                Intent(
                    tx=transaction.tx,
                    vault=turn.vault,
                    root=str(mount.root),
                    path=path.removeprefix(turn.vault),
                    before=turn.before,
                    after=turn.after,
                    content=turn.content,
                )
            )
        # A note is written under its new name before the old one goes, unless a disk may take both for one.
        leaving = {each.path for each in intents if not each.after}
        tight = {fold(each.path) for each in intents if each.after} & {fold(path) for path in leaving}
        intents.sort(key=lambda each: bool(each.after) == (fold(each.path) in tight))
        for prefix in {each.vault for each in intents}:
            refuse_absent(transaction.session, transaction.collection, self.vaults.holding(prefix), self.turns.keys())
        for intent in intents:
            _refuse_changed(intent, leaving, brings_back=self.brings_back)
        _refuse_full(intents)
        vault_index.add_intents(transaction.session, transaction.collection, intents)
        return intents


def _to_text(entry: Entry) -> bytes:
    """The bytes to write for a note; what could not be read back as one is refused."""
    raw, path = to_bytes(entry), entry.attributes["path"]
    if len(raw) > MAX_SIZE:
        raise Refusal(Failure.TOO_LARGE, f"{path!r} would have {len(raw):,} bytes; a note has {MAX_SIZE:,} at most.")
    if is_binary(raw):
        raise Refusal(Failure.INVALID, f"{path!r} would hold the character U+0000, which no text has.")
    return raw


def _refuse_changed(intent: Intent, leaving: set[str], *, brings_back: bool) -> None:
    """Nobody's work is written over: the file must be as we know it, and a new one needs a free name."""
    folder = Folder(Path(intent.root))
    folder.locate(intent.path)
    found = _digest_at(folder, intent.path)
    named = intent.vault + intent.path
    if not intent.before:
        taken = folder.taken(intent.path) if not brings_back or folder.holds(intent.path) else None
        if found != intent.after and taken is not None and taken not in leaving:
            raise Refusal(Failure.ALREADY_EXISTS, f"There is already a file {intent.vault + taken!r}.")
    elif found not in (intent.before, intent.after):
        raise FileChanged(named, "was deleted" if not found else "was changed")
    if not is_writable(folder.root, intent.path):
        raise Refusal(Failure.READ_ONLY, f"The folder of {named!r} cannot be written; nothing was changed.")


def _refuse_full(intents: list[Intent]) -> None:
    for root in {intent.root for intent in intents}:
        needed = sum(len(intent.content or b"") for intent in intents if intent.root == root)
        if shutil.disk_usage(root).free < needed + RESERVE:
            raise Refusal(Failure.DISK_FULL, "The disk of the vault is full; nothing was changed.")


def is_writable(root: Path, path: str) -> bool:
    """Whether the nearest folder above a path that is there can be written."""
    place = (root / path).parent
    while not place.exists():
        place = place.parent
    return os.access(place, os.W_OK | os.X_OK)


def _digest_at(folder: Folder, path: str) -> str:
    """The digest of a file, empty where there is none, and one that no file has where it is no text."""
    found = folder.read(path)
    if isinstance(found, Problem):
        return "" if found.trouble is Trouble.VANISHED else str(found.trouble)
    return found.digest


def finish(kernel: Kernel) -> None:
    """Bring every committed change to its files, ours and those of a process that died."""
    deadline = time.monotonic() + PATIENCE
    try:
        while not try_to_finish(kernel):
            if time.monotonic() > deadline:
                raise Refusal(Failure.BUSY, _who_writes(kernel))
            time.sleep(0.005)
    except Refusal as refusal:
        raise Refusal(
            refusal.failure,
            f"The change is saved, but has not reached every file yet: {refusal.message} It will, as soon as it can.",
        ) from refusal


def _who_writes(kernel: Kernel) -> str:
    locks = vaults_of(kernel).locks
    holder = None if locks is None else holder_of(locks, APPLYING)
    return f"{'Another program' if holder is None else holder} is writing files of the vault."


def catch_up(kernel: Kernel) -> None:
    """The same before another change, which does not need it."""
    with suppress(Refusal):
        finish(kernel)


def try_to_finish(kernel: Kernel) -> bool:
    """The same, unless another process is at it just now."""
    if vaults_of(kernel).elsewhere:
        return True  # They are on their way to the files of another machine, which brings them there.
    with kernel.read() as snapshot:
        if not vault_index.pending_paths(snapshot.session, kernel.collection):
            return True
    with lease(vaults_of(kernel).lock_folder, APPLYING) as held:
        if held is not None:
            _apply_all(kernel, held)
        return held is not None


def _apply_all(kernel: Kernel, held: Lease) -> None:
    with kernel.read() as snapshot:
        intents = vault_index.pending_intents(snapshot.session, kernel.collection)
    _sweep(intents)
    seen: list[tuple[str, str, str]] = []
    told: list[tuple[str, str]] = []
    for intent in intents:
        held.refuse_lost()
        named = intent.vault + intent.path
        signature = _apply(intent)
        if signature is not None:
            seen += [(named, signature, intent.after)] if intent.after else []
        else:
            told.append(("", f"{named} was changed by somebody else at the same moment; that change was kept."))

    def act(session: Session) -> None:
        held.refuse_lost()
        vaults_of(kernel).refuse_moved(session, kernel.collection)
        vault_index.know_files(session, kernel.collection, seen)
        gone = [each.vault + each.path for each in intents if not each.after]
        vault_index.forget_files(session, kernel.collection, gone)
        vault_index.forget_warnings(session, kernel.collection, gone)
        vault_index.drop_intents(session, kernel.collection, [intent.number for intent in intents])

    kernel.store.operate(act)
    keep_warnings(kernel, told)


def _sweep(intents: list[Intent]) -> None:
    """Remove what a process that died has left beside the files; whoever holds the role is the only one that writes."""
    for folder in {(Path(intent.root) / intent.path).parent for intent in intents}:
        for left in folder.glob(f"{TEMPORARY}*.tmp"):
            left.unlink(missing_ok=True)


def _apply(intent: Intent) -> str | None:
    """Make one file what it is to be and return its signature; None where it is neither what it was nor that."""
    folder = Folder(Path(intent.root))
    if not folder.root.is_dir():
        raise Refusal(Failure.UNAVAILABLE, f"The vault {folder.root.name!r} is not there.")
    try:
        found = _digest_at(folder, intent.path)
        if found != intent.after:
            if found != intent.before:
                return None
            if intent.content is None:
                folder.delete(intent.path, expected=intent.before)
            elif not intent.after:
                folder.trash(intent.path, expected=intent.before)
            elif intent.before:
                folder.write(intent.path, intent.content, expected=intent.before)
            else:
                folder.create(intent.path, intent.content, is_known=True)
    except Refusal as refusal:
        if refusal.failure in (Failure.CONFLICT, Failure.ALREADY_EXISTS, Failure.FORBIDDEN):
            return None
        raise
    held = folder.stat(intent.path)
    return "" if held is None else spell(held.signature)


def spell(signature: FileSignature) -> str:
    return "-".join(str(part) for part in signature)

"""Writing notes: made, changed, renamed with every link to them, and deleted, each as one transaction and its files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.seen_version import refuse_changed
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import NOTE
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import Mount, opened, vaults_of
from memotheca.notes.note_bytes import remove_note, to_bytes
from memotheca.notes.note_codec import FilePlace, to_entry
from memotheca.notes.notebook import Notebook
from memotheca.notes.notices import few, judge_links, take_all_warnings
from memotheca.notes.outbox import FileChanged, FilePlan, catch_up, finish
from memotheca.notes.read_notes import Node, find_key, get_node
from memotheca.notes.rename import Relinked, relink
from memotheca.notes.sync import folder_of, sync_paths
from memotheca.search.embed import prepare_text
from memotheca.search.prepared import LATER, Prepared
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.storage.vault_index import NoteRow
from memotheca.vault.edit import compose, with_body, with_tags, with_title
from memotheca.vault.files import Folder, digest_of
from memotheca.vault.note_file import ParsedNote, as_tags, parse, read, render
from memotheca.vault.paths import file_name, new_path
from memotheca.vault.wikilinks import folded

TRIES = 5  # chosen: whoever finds a note changed five times writes beside somebody who never stops


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """A note to be made."""

    title: str
    content: str
    tags: Sequence[str] = ()
    directory: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEdit:
    """What is to be different about a note."""

    title: str | None = None
    content: str | None = None
    tags: Sequence[str] | None = None
    # As it was seen after that transaction.
    seen: int | None = None


@dataclass(frozen=True, slots=True)
class Affected:
    """A file that changes, how, and how many links in it are written anew."""

    id: str
    change: str
    links: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The note as it now is, where it is; what changed with it; what should be said about it."""

    node: Node | None
    changes: list[Affected]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _NoteChange:
    """One note's change within a plan; `before` is None for a new one, `parsed` for one that goes."""

    row: NoteRow | None
    mount: Mount
    parsed: ParsedNote | None
    links: int = 0
    prepared: Prepared = LATER

    @property
    def path(self) -> str:
        return self.mount.prefix + self.parsed.path if self.parsed else cast(NoteRow, self.row).path

    @property
    def kind(self) -> str:
        if self.row is None:
            return "create"
        if self.parsed is None:
            return "delete"
        return "update" if self.row.path == self.path else f"rename from {self.row.path}"


@dataclass(frozen=True, slots=True)
class _Intended:
    """A plan made from a snapshot; it holds as long as no note has changed since."""

    tx: int
    changes: list[_NoteChange] = field(default_factory=list[_NoteChange])
    warnings: tuple[str, ...] = ()
    result: str | None = None


class _Stale(Exception):
    """Notes changed between the plan and the transaction."""


class _RehearsedWrite(Exception):
    """Everything was tried; nothing is kept."""


def create_note(kernel: Kernel, draft: NoteDraft, *, actor: str, dry_run: bool = False) -> Outcome:
    mount, directory = _directory(kernel, draft.directory)
    folder = folder_of(kernel, mount)
    path = _as_on_disk(folder, new_path(draft.title, directory))
    if folder.ignores.ignores(path):
        raise Refusal(Failure.INVALID, f"{path!r} would be ignored by this vault's rules.", field="directory")
    parsed = _composed(path, draft)
    prepared = prepare_text(kernel, parsed.title, parsed.body)

    def plan(snapshot: Snapshot, book: Notebook) -> _Intended:
        if book.standing_at(mount.prefix + path) is not None:
            raise Refusal(Failure.ALREADY_EXISTS, f"There is already a note {mount.prefix + path!r}.", field="title")
        change = _NoteChange(None, mount, parsed, prepared=prepared)
        return _Intended(snapshot.tx, [change], _repeated(draft.tags), mount.prefix + path)

    return _carry_out(kernel, plan, "CREATE", actor=actor, dry_run=dry_run)


def update_note(kernel: Kernel, id: str, changes: NoteEdit, *, actor: str, dry_run: bool = False) -> Outcome:
    """Change what was said; another title gives the file another name and every link to it the new one."""
    if changes.title is None and changes.content is None and changes.tags is None:
        raise Refusal(Failure.INVALID, "Say at least one of title, content and tags.")
    prepared = LATER
    if changes.content is not None:
        with opened(kernel) as (snapshot, book):
            title = changes.title or _note_row(snapshot, book, id).title
        prepared = prepare_text(kernel, title, changes.content)

    def plan(snapshot: Snapshot, book: Notebook) -> _Intended:
        row = _note_row(snapshot, book, id)
        refuse_changed(cast(Version, snapshot.version(row.id, snapshot.tx)), changes.seen)
        mount = vaults_of(kernel).holding(row.vault)
        before = parse(to_bytes(cast(Entry, snapshot.entry(row.id))), row.path.removeprefix(row.vault))
        after = _amended(before, changes)
        relinked: list[Relinked] = []
        if book.standing_at(mount.prefix + after.path) not in (None, row.id):
            taken = f"There is already a file {mount.prefix + after.path!r}."
            raise Refusal(Failure.ALREADY_EXISTS, taken, field="title")
        if after.path != before.path or after.title != before.title:
            after, relinked = relink(snapshot, book, row, after)
        planned = [_NoteChange(row, mount, after, prepared=prepared)] if after != before else []
        planned += [
            _NoteChange(each.row, vaults_of(kernel).holding(each.row.vault), each.parsed, each.links)
            for each in relinked
        ]
        told = (*_repeated(changes.tags or ()), *_staying(after, changes.tags))
        return _Intended(snapshot.tx, planned, told, mount.prefix + after.path)

    return _carry_out(kernel, plan, "UPDATE", actor=actor, dry_run=dry_run)


def delete_note(kernel: Kernel, id: str, *, actor: str, dry_run: bool = False) -> Outcome:
    """Delete a note and its file; what linked to it then leads nowhere, and is named."""

    def plan(snapshot: Snapshot, book: Notebook) -> _Intended:
        try:
            row = _note_row(snapshot, book, id)
        except Refusal as refusal:
            if refusal.failure is Failure.NOT_FOUND:
                return _Intended(snapshot.tx)
            raise
        to_bytes(cast(Entry, snapshot.entry(row.id)))
        linking = [source for source in book.linking_to(row.id) if source.id != row.id]
        told = tuple(f"Broken link: [[{book.target_in(source, row.id)}]] in {source.path}" for source in linking)
        return _Intended(snapshot.tx, [_NoteChange(row, vaults_of(kernel).holding(row.vault), None)], told)

    return _carry_out(kernel, plan, "DELETE", actor=actor, dry_run=dry_run)


def _composed(path: str, draft: NoteDraft) -> ParsedNote:
    unreadable = read(draft.content, path=path).unreadable
    if unreadable:
        told = (
            f"The content begins with frontmatter that cannot be read ({unreadable}); mend it, or put a line before it."
        )
        raise Refusal(Failure.INVALID, told, field="content")
    return compose(path, " ".join(draft.title.split()), draft.content, tags=draft.tags)


def _directory(kernel: Kernel, directory: str) -> tuple[Mount, str]:
    """The vault that a directory is in, and its path there."""
    vaults = vaults_of(kernel)
    if not vaults.mounts:
        raise Refusal(Failure.UNAVAILABLE, "No vault is mounted here; name its folder with --vault.")
    if len(vaults.mounts) > 1 and not directory.strip().strip("/"):
        names = ", ".join(mount.prefix for mount in vaults.mounts)
        raise Refusal(
            Failure.INVALID, f"Say in which vault: a directory begins with one of {names}.", field="directory"
        )
    mount, rest = vaults.place(directory.strip().rstrip("/") + "/" if len(vaults.mounts) > 1 else directory)
    return mount, rest


def _as_on_disk(folder: Folder, path: str) -> str:
    """The path with the folders above the file spelled as those that are there already."""
    *above, name = path.split("/")
    spelled: list[str] = []
    for part in above:
        held = folder.taken("/".join([*spelled, part]))
        spelled.append(part if held is None else held.rpartition("/")[2])
    return "/".join([*spelled, name])


def _note_row(snapshot: Snapshot, book: Notebook, id: str) -> NoteRow:
    key = find_key(snapshot, book, id)
    if key in book.rows:
        return book.rows[key]
    entry = None if key is None or key in book.ghosts else snapshot.entry(key)
    if entry is not None:
        raise Refusal(
            Failure.INVALID, f"{id!r} is no note but of kind {entry.kind}; use the tools of its kind.", field="id"
        )
    raise Refusal(Failure.NOT_FOUND, f"There is no note {id!r}.", field="id")


def _amended(note: ParsedNote, changes: NoteEdit) -> ParsedNote:
    if changes.content is not None:
        note = with_body(note, changes.content)
    if changes.tags is not None:
        note = with_tags(note, changes.tags)
    title = None if changes.title is None else " ".join(changes.title.split())
    if title is None or title == note.title:
        return note
    folder, slash, name = note.path.rpartition("/")
    wanted = file_name(title)
    path = note.path if wanted == name else f"{folder}{slash}{wanted}"
    moved = read(note.text, path=path, encoding=note.encoding)
    return with_title(moved, title) if moved.title != title else moved


def _repeated(tags: Sequence[str]) -> tuple[str, ...]:
    seen: set[str] = set()
    told: list[str] = []
    for tag in tags:
        key = folded("".join(as_tags([tag])))
        if not key:
            continue
        told += [f"Duplicate tag ignored: {tag}"] if key in seen else []
        seen.add(key)
    return tuple(told)


def _staying(note: ParsedNote, tags: Sequence[str] | None) -> tuple[str, ...]:
    """That tags written in the text are not replaced with those of the frontmatter."""
    wanted = {folded(tag) for tag in as_tags(tags or ())}
    stay = [] if tags is None else [f"#{tag}" for tag in note.text_tags if folded(tag) not in wanted]
    return (f"Tags in the text stay: {', '.join(stay)}",) if stay else ()


def _carry_out(
    kernel: Kernel,
    plan: Callable[[Snapshot, Notebook], _Intended],
    operation: Literal["CREATE", "UPDATE", "DELETE"],
    *,
    actor: str,
    dry_run: bool,
) -> Outcome:
    """FilePlan from a snapshot, write in a transaction that finds the notes unchanged, then bring the files after."""
    for _ in range(TRIES):
        catch_up(kernel)
        with opened(kernel) as (snapshot, book):
            intended = plan(snapshot, book)
        try:
            _write(kernel, intended, operation, actor=actor, dry_run=dry_run)
        except _Stale:
            continue
        except _RehearsedWrite:
            pass
        return _outcome(kernel, intended, dry_run=dry_run)
    raise Refusal(Failure.BUSY, "The notes keep changing; try again.")


def _write(
    kernel: Kernel,
    intended: _Intended,
    operation: Literal["CREATE", "UPDATE", "DELETE"],
    *,
    actor: str,
    dry_run: bool,
) -> None:
    def act(transaction: Transaction) -> None:
        if any(kind == NOTE for _, _, kind in transaction.changed_after(intended.tx)):
            raise _Stale
        transaction.describe(operation)
        plan = FilePlan(vaults_of(kernel))
        for change in intended.changes:
            _write_change(transaction, plan, change)
        plan.settle(transaction)
        if dry_run:
            raise _RehearsedWrite

    try:
        kernel.write(act, actor=actor)
    except FileChanged as changed:
        _read_again(kernel, changed.path)
        raise
    finish(kernel)


def _write_change(transaction: Transaction, plan: FilePlan, change: _NoteChange) -> None:
    before = None if change.row is None else cast(Entry, transaction.entry(change.row.id))
    if change.parsed is None:
        assert before is not None
        remove_note(transaction, before)
        plan.add(before, None)
        return
    raw = render(change.parsed)
    parsed = parse(raw, change.parsed.path)
    after = to_entry(transaction, before, parsed, FilePlace(change.mount.prefix, change.path, digest_of(raw)))
    transaction.put(after, change.prepared)
    plan.add(before, after)


def _read_again(kernel: Kernel, path: str) -> None:
    """What somebody else wrote is taken in, so that the next try starts from it."""
    mount, place = vaults_of(kernel).place(path)
    sync_paths(kernel, mount, folder_of(kernel, mount), [place])


def _outcome(kernel: Kernel, intended: _Intended, *, dry_run: bool) -> Outcome:
    changes = [Affected(change.path, change.kind, change.links) for change in intended.changes]
    if dry_run:
        return Outcome(None, changes, few(intended.warnings))
    node = None if intended.result is None else get_node(kernel, intended.result)
    warnings = [*intended.warnings]
    if node is not None:
        with opened(kernel) as (_, book):
            warnings += judge_links(book, node.key)
    # What is to be said of the other files that changed waits for whoever asks for them.
    warnings += take_all_warnings(kernel, [intended.result] if intended.result else [])
    return Outcome(node, changes, few(warnings))

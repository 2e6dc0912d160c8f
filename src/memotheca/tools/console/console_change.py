"""Change one thing from a page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast, get_args

from memotheca.admin import history
from memotheca.entries.edges import delete_edge
from memotheca.entries.entries import EntryChange, update_entry
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing, short_handle
from memotheca.kernel.seen_version import refuse_changed
from memotheca.memory.curation.annotate import Annotation, annotate
from memotheca.memory.curation.merge import forget
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import NOTE
from memotheca.notes.write_notes import NoteEdit, update_note
from memotheca.toolkit.fields import UNSET, Unset, choice, integer, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.vault.files import MAX_SIZE

Deed = Literal["edit", "annotate", "forget", "restore"]
WHY = "A person asked for it on the page."
LONGEST_ENTRY = 100_000  # specification: letters of an entry (seed 000: the content of `store`)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    handle: str = text("Whatever names it", minLength=1, maxLength=1000)
    action: Deed = choice(get_args(Deed), "What to do with it")
    content: str | Unset = text("Its new text, to edit it", UNSET, longest=MAX_SIZE)
    note: str | Unset = text("What to add beside it, to annotate it", UNSET, maxLength=2000)
    tags: tuple[str, ...] | Unset = texts("Tags to add, to annotate it", UNSET)
    seen_tx: int | Unset = integer("The transaction it was seen as of: what was changed since stays", UNSET, minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    id: str = text()
    handle: str = text()
    tx: int = integer("What undoes it")
    told: str = text()


EXAMPLE = Example(
    arguments={"handle": "e-1", "action": "edit", "content": "black, with milk", "seen_tx": 1},
    after=(("store", {"topic": "Ada's tea", "content": "black"}),),
)


@tool(contract="console", effect="destroy", models=(Input, Output), example=EXAMPLE)
def console_change(call: Call[Kernel], input: Input) -> Answer:
    """Change the text of one thing of any family, add a note or tags to it, forget it or bring it back, in one
    transaction that can be undone; refused where it was changed since it was seen."""
    with call.kernel.read() as snapshot:
        version = find_thing(snapshot, input.handle)
    refuse_changed(version, None if isinstance(input.seen_tx, Unset) else input.seen_tx)
    told = DEEDS[input.action](call, input, version)
    with call.kernel.read() as snapshot:
        after = cast(Version, snapshot.version(version.id, snapshot.tx))
        thing = after.thing or version.thing
        handle = version.id if thing is None else short_handle(snapshot, thing)
    return Answer(told, content=Output(id=version.id, handle=handle, tx=after.tx, told=told))


def _edit(call: Call[Kernel], input: Input, version: Version) -> str:
    if isinstance(input.content, Unset):
        raise Refusal(Failure.INVALID, "Say the new text.", field="content")
    seen = None if isinstance(input.seen_tx, Unset) else input.seen_tx
    if version.kind == NOTE:
        update_note(call.kernel, version.id, NoteEdit(content=input.content, seen=seen), actor=call.actor)
    else:
        if len(input.content) > LONGEST_ENTRY:
            raise Refusal(
                Failure.TOO_LARGE, f"It can have {LONGEST_ENTRY:,} letters; a file can have more.", field="content"
            )
        update_entry(call.kernel, version.id, EntryChange(body=input.content), actor=call.actor, seen=seen)
    return "Saved."


def _annotate(call: Call[Kernel], input: Input, version: Version) -> str:
    note = "" if isinstance(input.note, Unset) else input.note
    tags = () if isinstance(input.tags, Unset) else input.tags
    if not note and not tags:
        raise Refusal(Failure.INVALID, "Say a note or tags.", field="note")
    annotate(call.kernel, version.id, Annotation(notes=note, tags=tags), actor=call.actor)
    return "Added."


def _forget(call: Call[Kernel], input: Input, version: Version) -> str:
    del input
    if version.subject == "edge":
        delete_edge(call.kernel, version.id, actor=call.actor)
    else:
        forget(call.kernel, version.id, reason="user_requested", rationale=WHY, actor=call.actor)
    return "Forgotten."


def _restore(call: Call[Kernel], input: Input, version: Version) -> str:
    del input
    if version.thing is not None:
        raise Refusal(Failure.INVALID, "It is there; nothing was forgotten.", field="action")
    history.undo(call.kernel, tx=version.tx, actor=call.actor)
    return "It is back."


DEEDS: dict[Deed, Callable[[Call[Kernel], Input, Version], str]] = {
    "edit": _edit,
    "annotate": _annotate,
    "forget": _forget,
    "restore": _restore,
}

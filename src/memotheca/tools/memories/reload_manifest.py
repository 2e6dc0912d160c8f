"""Reload the manifest."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memotheca.admin.manifest import (
    PUBLISHED,
    Edit,
    Reviewed,
    locate_manifest,
    new_page,
    read_manifest,
    review,
    write_manifest,
)
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.manifest_edits import Applied, Failed, apply_edits
from memotheca.memory.session.state import activity_of
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.ask import confirmation
from memotheca.toolkit.fields import UNSET, Unset, flag, integer, many, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES

PREVIEWED = "manifest previewed"
HOW = "reload_manifest first says what it makes of the changes, and applies them when it is called again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    path: str = text("", PUBLISHED)
    preview: bool = flag("Only say what would change; unset, the first call previews and the next applies", UNSET)
    confirm: bool = flag("Forget even more than a fifth of all concepts", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShape:
    action: str = text()
    target_concepts: tuple[str, ...] = texts()
    resolved_node_ids: tuple[str, ...] = texts()
    tx_id: int | Unset = integer(default=UNSET)
    reversal_hash: str | Unset = text(default=UNSET)
    message: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    path: str = text()
    preview: bool = flag()
    written: bool = flag()
    concepts: int = integer()
    changes_detected: tuple[ChangeShape, ...] = many(ChangeShape)
    count: int = integer()
    applied: tuple[ChangeShape, ...] = many(ChangeShape)
    skipped: tuple[ChangeShape, ...] = many(ChangeShape)
    errors: tuple[ChangeShape, ...] = many(ChangeShape)
    unresolved: tuple[str, ...] = texts()


EXAMPLE = Example(
    arguments={},
    after=(("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),),
)


@tool(contract="memories", component="storage", effect="destroy", models=(Input, Output), example=EXAMPLE)
def reload_manifest(call: Call[Kernel], input: Input) -> Answer:
    """Take in what a person has edited in the manifest: bullets they took away are forgotten, [MERGE: …] merged,
    [NOTE: …] attached. It previews first. Where there is no manifest yet, it is written; the default path stands for
    manifest.md in the data directory."""
    place = locate_manifest(call.kernel, input.path)
    page = read_manifest(place)
    with call.kernel.read() as snapshot:
        found = Reviewed("", (), 0, ()) if page is None else review(snapshot, page)
    wanted = tuple(edit for edit in found.edits if edit.is_resolved)
    skipped = tuple(edit for edit in found.edits if not edit.is_resolved)
    if not found.edits or not _may_apply(call, input, found, wanted):
        return _show(call, input, place, found)
    applied, failed = apply_edits(call.kernel, wanted, actor=call.actor)
    count = write_manifest(call.kernel, place, found.text, [each.edit for each in applied])
    output = Output(
        path=input.path,
        preview=False,
        written=True,
        concepts=count,
        changes_detected=_shapes(found.edits),
        count=len(found.edits),
        applied=tuple(_applied(each) for each in applied),
        skipped=_shapes(skipped),
        errors=tuple(_failed(each) for each in failed),
        unresolved=found.unresolved,
    )
    return Answer(f"{len(applied)} changes of the manifest were applied, {len(failed)} refused.", NODES, output)


def _show(call: Call[Kernel], input: Input, place: Path, found: Reviewed) -> Answer:
    """What would change; where nothing would, the page is brought up to date."""
    written = not found.edits and not input.preview
    count = write_manifest(call.kernel, place, found.text or new_page(HOW)) if written else found.listed
    output = Output(
        path=input.path,
        preview=bool(found.edits),
        written=written,
        concepts=count,
        changes_detected=_shapes(found.edits),
        count=len(found.edits),
        applied=(),
        skipped=_shapes([edit for edit in found.edits if not edit.is_resolved]),
        errors=(),
        unresolved=found.unresolved,
    )
    if found.edits:
        return Answer(f"The manifest asks for {len(found.edits)} changes; call again to apply them.", NODES, output)
    return Answer(f"The manifest lists {count} concepts; nothing in it asks for a change.", NODES, output)


def _may_apply(call: Call[Kernel], input: Input, found: Reviewed, wanted: Sequence[Edit]) -> bool:
    """Whether somebody has said so: the caller, the person who is asked, or the same call for the second time."""
    if input.preview:
        return False
    activity, name = activity_of(call.kernel), f"{PREVIEWED}:{call.session}"
    digest = hashlib.blake2b(found.text.encode(), digest_size=16).hexdigest()
    with call.kernel.read() as snapshot:
        seen = activity.state(snapshot.session, call.kernel.collection, name) == digest
    answer = call.ask(confirmation(_question(found, wanted)))
    if not (answer.confirmed or input.confirm) and found.removes_too_much and (seen or input.preview is False):
        raise Refusal(
            Failure.CONFIRMATION_REQUIRED,
            "The manifest would have more than a fifth of all concepts forgotten; ask whoever edited it, then confirm.",
            field="confirm",
            details={"removals": sum(edit.action == "delete" for edit in found.edits), "concepts": found.listed},
        )
    activity.set_state(call.kernel.collection, name, digest)
    return answer.confirmed or (answer.outcome == "unsupported" and (seen or input.preview is False))


def _question(found: Reviewed, wanted: Sequence[Edit]) -> str:
    counts = {action: sum(edit.action == action for edit in wanted) for action in ("delete", "merge", "annotate")}
    return (
        f"Apply the edits of the manifest? Forget {counts['delete']} of {found.listed} concepts, "
        f"merge {counts['merge']} times, add {counts['annotate']} notes."
    )


def _shapes(edits: Sequence[Edit]) -> tuple[ChangeShape, ...]:
    return tuple(_shape(edit) for edit in edits)


def _shape(edit: Edit) -> ChangeShape:
    return ChangeShape(action=edit.action, target_concepts=edit.names, resolved_node_ids=edit.ids)


def _applied(done: Applied) -> ChangeShape:
    edit = done.edit
    return ChangeShape(
        action=edit.action,
        target_concepts=edit.names,
        resolved_node_ids=edit.ids,
        tx_id=done.tx,
        reversal_hash=done.reversal_hash or UNSET,
    )


def _failed(failed: Failed) -> ChangeShape:
    edit = failed.edit
    return ChangeShape(
        action=edit.action, target_concepts=edit.names, resolved_node_ids=edit.ids, message=failed.message
    )

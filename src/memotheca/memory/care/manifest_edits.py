"""Carrying out what a person has edited in the manifest, one change after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.admin.manifest import Edit
from memotheca.kernel.citations import name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation import merged_text
from memotheca.memory.curation.annotate import Annotation, annotate
from memotheca.memory.curation.merge import MergeRequest, forget, merge, sources_of
from memotheca.memory.traits import chief_of
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.errors import Failure, Refusal

RATIONALE = "Edited so in the manifest by its owner."


@dataclass(frozen=True, slots=True)
class Applied:
    """An edit that was carried out: by which transaction, and how it can be taken back."""

    edit: Edit
    tx: int
    reversal_hash: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """An edit that was not, and why."""

    edit: Edit
    message: str


def apply_edits(kernel: Kernel, edits: Sequence[Edit], *, actor: str) -> tuple[list[Applied], list[Failed]]:
    """Each in a transaction of its own, so that one that is refused does not stop the others."""
    applied: list[Applied] = []
    failed: list[Failed] = []
    for edit in edits:
        try:
            applied.append(_apply(kernel, edit, actor))
        except Refusal as refusal:
            if refusal.failure is Failure.CANCELLED:
                raise
            failed.append(Failed(edit, refusal.message))
    return applied, failed


def _apply(kernel: Kernel, edit: Edit, actor: str) -> Applied:
    if edit.action == "delete":
        gone = forget(kernel, edit.ids[0], reason="user_requested", rationale=RATIONALE, actor=actor)
        return Applied(edit, gone.commit.tx, gone.reversal_hash)
    if edit.action == "annotate":
        version = annotate(kernel, edit.ids[0], Annotation(notes=edit.words), actor=actor).version
        return Applied(edit, version.tx)
    with kernel.read() as snapshot:
        sources, gates = sources_of(snapshot, edit.ids), gates_at(snapshot)
    name, content = name_of(chief_of(sources)), merged_text.extract(sources, gates)[0]
    asked = MergeRequest(sources=sources, name=name, content=content, rationale=RATIONALE)
    merged = merge(kernel, asked, actor=actor)
    return Applied(edit, merged.commit.tx, merged.reversal_hash)

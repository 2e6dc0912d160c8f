"""Merged entities: who or what is known under several names becomes one node that all of them find."""

from collections.abc import Sequence
from dataclasses import replace

from memotheca.entries.edges import find_entity, new_entity
from memotheca.kernel.handles import ENTITY_NAMES
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Alias, Entry, fold
from memotheca.storage.store import Transaction


def is_of_names(sources: Sequence[Entry]) -> bool:
    """Whether entities are to be merged. Nothing else can be merged with them: a memory has no names by which others
    find it, and an entity says nothing that a memory could take over."""
    entities = sum(source.kind == kinds.ENTITY for source in sources)
    if entities not in (0, len(sources)):
        raise Refusal(
            Failure.INVALID,
            "An entity can be merged only with other entities; a memory is linked to it instead.",
            field="source_node_ids",
        )
    return entities > 0


def refuse_anothers_name(transaction: Transaction, sources: Sequence[Entry], name: str) -> None:
    known = find_entity(transaction, name)
    if known is not None and known.id not in {source.id for source in sources}:
        raise Refusal(
            Failure.CONFLICT,
            f"{known.title} is the name of another entity; merge that one as well, or choose another name.",
            field="target_name",
        )


def merged_entity(transaction: Transaction, sources: Sequence[Entry], name: str, rationale: str) -> Entry:
    """The one entity, as yet without names: its sources still have them."""
    bodies = dict.fromkeys(source.body for source in sources if source.body)
    said = {key: value for source in reversed(sources) for key, value in source.attributes.items()}
    # Somebody has made it, unless all of them were only mentioned.
    if not all(source.attributes.get(kinds.MENTIONED) for source in sources):
        said.pop(kinds.MENTIONED, None)
    drawn = replace(
        new_entity(transaction, name),
        body="\n".join(bodies),
        tags=tuple(dict.fromkeys(tag for source in sources for tag in source.tags)),
        attributes={**said, "rationale": rationale, "merged_from": [source.id for source in sources]},
        created_at=min(source.created_at for source in sources),
    )
    return replace(drawn, aliases=())


def call_by_all_names(merged: Entry, sources: Sequence[Entry]) -> Entry:
    """With the names of all its sources, and its own first."""
    held = [alias for source in sources for alias in source.aliases if alias.namespace == ENTITY_NAMES]
    named = {fold(alias.name): alias for alias in (Alias(ENTITY_NAMES, merged.title), *held)}
    return replace(merged, aliases=tuple(named.values()))

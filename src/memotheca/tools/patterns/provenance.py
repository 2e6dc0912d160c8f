"""From what the engine keeps of a pattern to what the contract says of it."""

from dataclasses import replace

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import SECOND, to_iso
from memotheca.patterns.pattern_cache import Card
from memotheca.patterns.pattern_sections import find_examples, split_sections
from memotheca.patterns.pattern_store import text_of
from memotheca.patterns.read_patterns import State
from memotheca.tools.patterns.contract import MARKER_VERSION
from memotheca.tools.patterns.shapes import ExampleShape, Provenance


def provenance_of(state: State) -> Provenance:
    return Provenance(
        source=state.source, timestamp=to_milliseconds(state.time), version=state.version, marker=MARKER_VERSION
    )


def to_milliseconds(moment: int) -> str:
    """ISO-8601 with three decimals, as this family writes times."""
    whole, rest = divmod(moment, SECOND)
    return f"{to_iso(whole * SECOND).removesuffix('Z')}.{rest // 1000:03}Z"


def first_example(kernel: Kernel, card: Card) -> ExampleShape | None:
    """The example that a card shows."""
    with replace(kernel, collection=card.collection).read() as snapshot:
        entry = snapshot.entry(card.entry_id)
    if entry is None:
        return None
    examples = find_examples(split_sections(text_of(entry), entry.title))
    if not examples:
        return None
    first = examples[0]
    return ExampleShape(code=first.code, language=first.language, description=first.description)

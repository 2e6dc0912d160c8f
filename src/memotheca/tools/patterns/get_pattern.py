"""Get one pattern."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.model.knowledge import Entry, handle_of
from memotheca.patterns.pattern_search import near_cards
from memotheca.patterns.pattern_sections import find_examples, split_sections
from memotheca.patterns.pattern_store import text_of
from memotheca.patterns.read_patterns import StoredPattern, get_held, origin_of
from memotheca.toolkit.fields import UNSET, choice, flag, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.patterns.contract import DETAILS, FORMATS, Format, Presented
from memotheca.tools.patterns.input_questions import ask_for_id, id_form
from memotheca.tools.patterns.pages import details_pages
from memotheca.tools.patterns.provenance import provenance_of
from memotheca.tools.patterns.shapes import Details, ExampleShape, NeedsInput, PatternSectionShape, UseGuidance


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    id: str = text("As search_patterns names it.", "", maxLength=1000)
    format: Format = choice(FORMATS, "", "markdown")
    includeStructuredDetails: bool = flag("", True)


EXAMPLE = Example(arguments={"id": "retry-with-backoff"})


@tool(contract="patterns", effect="read", models=(Input, Details, NeedsInput), example=EXAMPLE)
def get_pattern(call: Call[Kernel], input: Input) -> Answer:
    """One pattern in full: description, when to use it, sections, examples, where it comes from."""
    held = get_held(call.kernel, input.id)
    if held is None:
        near = {card.slug: card.title for card in near_cards(call.kernel, input.id)}
        answer = call.ask(id_form("Pattern", input.id, near))
        held = get_held(call.kernel, answer.content["id"]) if answer.accepted else None
        if held is None:
            return ask_for_id("Pattern", input.id, near, field="id", format=input.format)
    return _details(held, input)


def _details(held: StoredPattern, input: Input) -> Answer:
    entry = cast(Entry, held.version.thing)
    attributes = entry.attributes
    sections = split_sections(text_of(entry), entry.title)
    shapes = tuple(
        PatternSectionShape(title=each.title or "Description", content=each.content, type=each.type)
        for each in sections
    )
    examples = tuple(
        ExampleShape(code=each.code, language=each.language, description=each.description)
        for each in find_examples(sections)
    )
    payload = Details(
        kind=DETAILS,
        id=handle_of(entry),
        title=entry.title,
        category=attributes["category"],
        difficulty=attributes["difficulty"],
        summary=attributes["summary"],
        description=attributes["description"],
        tags=entry.tags,
        useGuidance=UseGuidance(
            useWhen=attributes.get("use_when", UNSET), avoidWhen=attributes.get("avoid_when", UNSET)
        ),
        sections=shapes if input.includeStructuredDetails else UNSET,
        examples=examples if input.includeStructuredDetails else UNSET,
        relatedPatterns=tuple(attributes.get("related", ())),
        provenance=provenance_of(origin_of(held)),
    )
    pages = details_pages(payload, [(each.title, each.content) for each in sections])
    return Answer(f"Pattern {payload.id}.", "", Presented(payload, pages, input.format))

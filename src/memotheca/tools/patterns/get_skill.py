"""Get one skill."""

from dataclasses import dataclass
from typing import cast

from memotheca.kernel.kernel import Kernel
from memotheca.model.knowledge import Entry, handle_of
from memotheca.patterns.pattern_file import SKILL_FORM
from memotheca.patterns.pattern_search import near_cards
from memotheca.patterns.pattern_store import SKILLS, text_of
from memotheca.patterns.read_patterns import StoredPattern, get_held, origin_of
from memotheca.toolkit.fields import choice, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.patterns.contract import FORMATS, SKILL, Format, Presented
from memotheca.tools.patterns.input_questions import ask_for_id, id_form
from memotheca.tools.patterns.pages import skill_page
from memotheca.tools.patterns.provenance import provenance_of
from memotheca.tools.patterns.shapes import NeedsInput, SkillDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    slug: str = text("As list_skills names it.", "", maxLength=1000)
    format: Format = choice(FORMATS, "", "markdown")


EXAMPLE = Example(arguments={"slug": "curate-memory"})


@tool(contract="patterns", effect="read", models=(Input, SkillDetails, NeedsInput), example=EXAMPLE)
def get_skill(call: Call[Kernel], input: Input) -> Answer:
    """One skill in full: the steps, and the patterns they use."""
    held = get_held(call.kernel, input.slug, SKILL_FORM)
    if held is None:
        near = {card.slug: card.title for card in near_cards(call.kernel, input.slug, SKILL_FORM)}
        answer = call.ask(id_form("Skill", input.slug, near))
        held = get_held(call.kernel, answer.content["id"], SKILL_FORM) if answer.accepted else None
        if held is None:
            return ask_for_id("Skill", input.slug, near, field="slug", format=input.format)
    return _details(held, input.format)


def _details(held: StoredPattern, format: Format) -> Answer:
    entry = cast(Entry, held.version.thing)
    payload = SkillDetails(
        kind=SKILL,
        slug=handle_of(entry).removeprefix(SKILLS),
        title=entry.title,
        category=entry.attributes["category"],
        description=entry.attributes["description"],
        content=text_of(entry),
        provenance=provenance_of(origin_of(held)),
    )
    return Answer("", "", Presented(payload, [skill_page(payload)], format))

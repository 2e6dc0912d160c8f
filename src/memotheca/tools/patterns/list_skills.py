"""List skills."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.patterns.pattern_file import SKILL_FORM, to_slug
from memotheca.patterns.pattern_search import PatternQuery, find_patterns
from memotheca.patterns.read_patterns import all_cards
from memotheca.toolkit.contract import count_fitting
from memotheca.toolkit.fields import UNSET, choice, integer, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.patterns.contract import FORMATS, SKILLS, Format, Presented
from memotheca.tools.patterns.pages import skills_page
from memotheca.tools.patterns.shapes import PatternQueryShape, SkillList, SkillSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    q: str = text("", "", maxLength=4096)
    category: str = text("", UNSET)
    limit: int = integer("", UNSET, minimum=1, maximum=100)
    format: Format = choice(FORMATS, "", "markdown")


EXAMPLE = Example(arguments={})


@tool(contract="patterns", effect="read", models=(Input, SkillList), example=EXAMPLE)
def list_skills(call: Call[Kernel], input: Input) -> Answer:
    """Skills: step-by-step procedures that put several patterns to use; all of them, or those that match."""
    given = said(input)
    asked: dict[str, Any] = {name: value for name, value in given.items() if (name, value) != ("q", "")}
    category = to_slug(given.get("category", ""))
    if input.q.strip():
        cards = find_patterns(call.kernel, PatternQuery(words=input.q, category=category, form=SKILL_FORM)).cards
    else:
        cards = [card for card in all_cards(call.kernel, SKILL_FORM) if category in ("", card.category)]
    skills = tuple(
        SkillSummary(slug=card.slug, title=card.title, category=card.category, description=card.summary)
        for card in cards
    )
    most = given["limit"] if "limit" in given else count_fitting(skills)
    payload = SkillList(kind=SKILLS, query=PatternQueryShape(**asked), totalCount=len(cards), skills=skills[:most])
    return Answer("", "", Presented(payload, [skills_page(payload)], input.format))

"""List the categories."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.patterns.pattern_cache import count_categories, count_difficulties
from memotheca.patterns.read_patterns import all_cards
from memotheca.toolkit.fields import choice
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.patterns.contract import CATEGORIES, FORMATS, Format, Presented
from memotheca.tools.patterns.pages import categories_page
from memotheca.tools.patterns.shapes import Categories, CategoryShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    format: Format = choice(FORMATS, "", "markdown")


EXAMPLE = Example(arguments={})


@tool(contract="patterns", effect="read", models=(Input, Categories), example=EXAMPLE)
def list_pattern_categories(call: Call[Kernel], input: Input) -> Answer:
    """The categories that patterns are in, with how many of which difficulty."""
    cards = all_cards(call.kernel)
    categories = tuple(
        CategoryShape(
            category=name,
            count=count,
            difficulties=count_difficulties(card for card in cards if card.category == name),
        )
        for name, count in count_categories(cards).items()
    )
    payload = Categories(kind=CATEGORIES, totalCount=len(cards), categories=categories)
    return Answer("", "", Presented(payload, [categories_page(payload)], input.format))

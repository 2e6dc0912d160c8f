"""List the categories."""

from dataclasses import dataclass

from memotheca.contracts.pattern_pages import categories_page
from memotheca.contracts.pattern_shapes import Categories, CategoryShape
from memotheca.contracts.patterns import CATEGORIES, FORMATS, Format, Presented
from memotheca.engine.kernel import Kernel
from memotheca.engine.patterns.search import all_cards
from memotheca.engine.patterns.shelf import count_categories, count_difficulties
from memotheca.toolkit.fields import choice
from memotheca.toolkit.tool import Answer, Call, Example, tool


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

"""List the categories."""

from dataclasses import dataclass

from pinakes.contracts.pattern_pages import categories_page
from pinakes.contracts.pattern_shapes import Categories, CategoryShape
from pinakes.contracts.patterns import CATEGORIES, FORMATS, Format, Presented
from pinakes.engine.kernel import Kernel
from pinakes.engine.patterns.search import all_cards
from pinakes.engine.patterns.shelf import count_categories, count_difficulties
from pinakes.toolkit.fields import choice
from pinakes.toolkit.tool import Answer, Call, Example, tool


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

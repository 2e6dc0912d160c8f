"""Fixture tools that ask by the toolkit's own means, whatever the protocol makes of it."""

import json
from typing import Any

from toolbox import Nothing, fixture, text

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.toolkit.ask import Form, ModelQuestion, Response, choice_of, confirmation
from memotheca.toolkit.contract import Block
from memotheca.toolkit.tool import Call

COLOUR = Form(
    message="Which colour?",
    fields={"colour": choice_of(("red", "blue"), ("Red", "Blue"), description="Of the cover")},
    required=("colour",),
)


def _said(*responses: Response) -> list[Block]:
    return [text(json.dumps([{"outcome": each.outcome, **each.content} for each in responses]))]


@fixture("ask_a_person")
def ask_a_person(call: Call[Any], given: Nothing) -> list[Block]:
    return _said(call.ask(COLOUR))


@fixture("ask_a_model")
def ask_a_model(call: Call[Any], given: Nothing) -> list[Block]:
    return _said(call.ask(ModelQuestion(text="One word for water.", system="Be brief.", max_tokens=7)))


@fixture("ask_then_write")
def ask_then_write(call: Call[Any], given: Nothing) -> list[Block]:
    """Asks twice, and writes once."""
    colour = call.ask(COLOUR)
    sure = call.ask(confirmation(f"Paint it {colour.content.get('colour', 'not at all')}?"))
    if sure.confirmed:
        store_entry(call.kernel, NewEntry(title="painted", body=colour.content["colour"]), actor=call.actor)
    return _said(colour, sure)


@fixture("ask_without_end")
def ask_without_end(call: Call[Any], given: Nothing) -> list[Block]:
    count = 0
    while call.ask(confirmation(f"Again, the {count}th time?")).accepted:
        count += 1
    return [text(str(count))]


@fixture("typed_blocks")
def typed_blocks(call: Call[Any], given: Nothing) -> list[Block]:
    return [text("plain"), {**text("# Title"), "mimeType": "text/markdown", "_meta": {"kept": 1}}]

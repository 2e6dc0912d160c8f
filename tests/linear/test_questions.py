"""Long questions: one word of thousands of letters costs no more than many words do."""

import pytest

from memotheca.memory.claims.distil import shorten, without_repeats
from memotheca.memory.claims.summary import summarise
from memotheca.model.errors import Failure, Refusal
from memotheca.server.resources import read_resource
from tests.conftest import Agent, Writer
from tests.linear.growth import MOST, growth_of, memory_growth_of, stopped_after


@pytest.mark.parametrize("unit", ["x", "ACGT", "é", "aA", "a-", "中", "if ", "@a"])
def test_a_long_word_is_asked_for_in_proportion(agent: Agent, unit: str) -> None:
    agent.store("deployment", "blue and green")

    def ask(text: str) -> None:
        agent.call("query", content=text)

    def make(size: int) -> str:
        return unit * (size // len(unit))

    with stopped_after(20.0):
        ask(make(100))
    assert growth_of(ask, make, 1000) < MOST
    assert memory_growth_of(ask, make, 1000) < MOST


def test_a_search_of_notes_has_an_upper_length(writer: Writer) -> None:
    error = writer.reply("search", query="ACGT" * 1025)
    assert error.failed
    assert "4,096" in str(error.blocks)
    assert not writer.reply("search", query="ACGT" * 1024).failed


@pytest.mark.parametrize(
    "uri", ["knowledge://entries?content=", "knowledge://notes?content=", "knowledge://entries?limit="]
)
def test_an_argument_of_a_resource_has_an_upper_length(agent: Agent, uri: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_resource(agent.kernel, uri + "7" * 5000)
    assert refused.value.failure is Failure.INVALID


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("store", {"topic": "a", "content": "b"}),
        ("update", {"id": "e-1"}),
        ("relate", {"subject": "a", "predicate": "b", "object": "c"}),
    ],
)
@pytest.mark.parametrize("field", ["source", "actor", "tags"])
def test_names_have_an_upper_length(agent: Agent, tool: str, given: dict[str, str], field: str) -> None:
    agent.store("a", "b")
    if (tool, field) == ("relate", "tags"):
        return
    for length, is_refused in ((1001, True), (1000, False)):
        value = "x" * length
        reply = agent.reply(tool, **given, **{field: [value] if field == "tags" else value})
        assert reply.failed is is_refused
        assert not is_refused or field in str(reply.structured)


@pytest.mark.parametrize(
    "sentence",
    [
        "The thing{0} is value{0}.",
        "The same long sentence about how many things there are in the hall stands here with {0}.",
        "Nothing is on shelf {0} of the hall of the other house.",
    ],
)
def test_many_sentences_are_chosen_from_in_proportion(sentence: str) -> None:
    def choose(text: str) -> None:
        assert shorten(text, {"what": 1.0}, budget=10**9, cost=len)
        assert without_repeats(pieces_of(text)) == [0]

    def pieces_of(text: str) -> list[str]:
        return [text, text]

    def make(size: int) -> str:
        return " ".join(sentence.format(number) for number in range(size))

    assert growth_of(choose, make, 1000) < MOST


def test_many_sentences_are_summed_up_within_bounds() -> None:
    def sum_up(text: str) -> None:
        summarise([("a", text), ("b", text.replace("thing", "other"))])

    def make(size: int) -> str:
        return " ".join(f"The thing{n} is value{n}." for n in range(size))

    with stopped_after(20.0):
        sum_up(make(1))
        said, _ = summarise([("a", make(5000)), ("b", "Nothing else is known.")])
    assert "thing0" in said
    assert growth_of(sum_up, make, 400) < MOST

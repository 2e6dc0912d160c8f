"""Focus: the pulse feels whether what was asked was found, and asks for a question where nothing was."""

from typing import Any

import pytest

from memotheca.memory.session.focus import fit_of
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.vectors.embedders import DEFAULT
from memotheca.vectors.profile import DEFAULT_VOICE
from tests.conftest import Time
from tests.memories.librarian import Librarian

READS = [("search_graph", {}), ("inject_context", {"max_tokens": 200})]


def pulse(librarian: Librarian, tool: str, **arguments: Any) -> dict[str, Any]:
    structured = librarian.reply(tool, **arguments).structured
    assert structured is not None
    return structured["pulse"]


@pytest.mark.parametrize(("tool", "more"), READS)
def test_a_focus_that_is_empty_for_five_seconds_suggests_to_ask(
    librarian: Librarian, time: Time, tool: str, more: dict[str, Any]
) -> None:
    librarian.remember("Ada takes her tea black.")
    assert pulse(librarian, tool, query="zeppelins", **more)["suggested"] == "continue"
    time.advance(5)
    assert pulse(librarian, "get_memetic_status")["suggested"] == "epistemic_action"
    assert pulse(librarian, tool, query="tea", **more)["suggested"] != "epistemic_action"
    time.advance(5)
    assert pulse(librarian, "get_memetic_status")["suggested"] != "epistemic_action"


def test_what_is_stored_comes_into_focus(librarian: Librarian, time: Time) -> None:
    librarian.found("zeppelins")
    time.advance(5)
    assert pulse(librarian, "utl_status")["suggested"] == "epistemic_action"
    librarian.remember("Zeppelins are filled with helium.")
    time.advance(5)
    assert pulse(librarian, "utl_status")["suggested"] != "epistemic_action"


def test_the_focus_is_that_of_a_session(librarian: Librarian, time: Time) -> None:
    librarian.session = "one"
    librarian.found("zeppelins")
    time.advance(5)
    librarian.session = "other"
    assert pulse(librarian, "utl_status")["suggested"] == "continue"


@pytest.mark.parametrize(("tool", "more"), READS)
def test_questions_in_vain_raise_entropy_beyond_its_border_and_answers_lower_it(
    librarian: Librarian, tool: str, more: dict[str, Any]
) -> None:
    librarian.remember("Ada takes her tea black.")
    begun = pulse(librarian, "utl_status")["entropy"]
    vain = [pulse(librarian, tool, query=query, **more)["entropy"] for query in ("zeppelins", "quasars", "oboes")]
    assert begun < vain[0] < vain[1] < vain[2]
    assert vain[2] > 0.7
    answered = [pulse(librarian, tool, query="Ada takes her tea black", **more)["entropy"] for _ in range(2)]
    assert answered[1] < answered[0] < vain[2]


def test_a_context_that_disagrees_with_itself_lowers_coherence(librarian: Librarian) -> None:
    librarian.remember("Ada lives in Paris.")
    librarian.remember("Bo has a red bicycle.")
    before = pulse(librarian, "utl_status")["coherence"]
    agreeing = pulse(librarian, "inject_context", query="Ada lives; Bo has a bicycle", max_tokens=400)["coherence"]
    assert agreeing > before
    librarian.session = "another"
    librarian.remember("The request timeout is 30 seconds.")
    librarian.remember("The request timeout is 90 seconds.")
    before = pulse(librarian, "utl_status")["coherence"]
    assert pulse(librarian, "inject_context", query="request timeout", max_tokens=400)["coherence"] < before


def test_the_nearer_the_better_it_fits() -> None:
    fits = [fit_of(cosine / 10, DEFAULT_VOICE) for cosine in range(11)]
    assert fits == sorted(fits)
    assert (fits[2], fits[7]) == (0, 1)


def test_how_good_the_best_is_does_not_depend_on_the_others(librarian: Librarian) -> None:
    choose_embedder(librarian.kernel.store, librarian.kernel.collection, DEFAULT)
    librarian.remember("Ada takes her tea black, without sugar.")
    near = librarian.call("search_graph", query="How does Ada take her tea?")
    far = librarian.call("search_graph", query="Which year had a good sugar cane harvest?")
    assert near["results"][0]["score"] == far["results"][0]["score"] == 1
    assert near["best_fit"] > 0.7
    assert far["best_fit"] < 0.5


def test_words_alone_do_not_say_how_good_the_best_is(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.")
    assert librarian.call("search_graph", query="tea")["best_fit"] is None
    assert librarian.call("search_graph", query="zeppelins")["best_fit"] is None

"""The knobs of a session: each acts on searches and contexts, within bounds, says so, and fades."""

from typing import Any

import pytest

from tests.conftest import Time
from tests.memories.librarian import Librarian

QUERY = "Ada takes black tea every day"
READS = [("search_graph", {"top_k": 100}), ("inject_context", {"max_tokens": 2000})]


def turn(librarian: Librarian, modulator: str, by: float) -> dict[str, Any]:
    return librarian.call("adjust_neuromodulator", modulator=modulator, delta=by)


def done(librarian: Librarian, tool: str = "get_neuromodulation_state") -> dict[str, Any]:
    told = librarian.call(tool)
    return told["last_query"] if "last_query" in told else told["effects"]["last_search"]


def ids(librarian: Librarian, tool: str, more: dict[str, Any], query: str = QUERY) -> list[str]:
    told = librarian.call(tool, query=query, **more)
    return [each["id"] for each in (told["results"] if "results" in told else told["nodes_retrieved"])]


def fill(librarian: Librarian) -> str:
    best = librarian.remember("Ada takes her tea black, black tea, every day.")
    librarian.remember("Ada takes black coffee every day at noon.")
    librarian.remember("Black tea is what Bo takes on Sunday.")
    librarian.remember("Cy takes the bus every day.")
    librarian.remember("Dee has a black hat and every colour of glove.")
    librarian.remember("The tea is in the tin above the stove.")
    for number in range(8):
        librarian.remember(f"Note {number}: the day is long and there is a lot of other work to be done.")
    return best


@pytest.mark.parametrize(("tool", "more"), READS)
def test_dopamine_cuts_off_the_tail_of_a_search_and_of_a_context(
    librarian: Librarian, tool: str, more: dict[str, Any]
) -> None:
    best = fill(librarian)
    calm = ids(librarian, tool, more)
    usual = done(librarian)
    assert usual["results"] == usual["usual_results"]
    turn(librarian, "dopamine", 2)
    sharp = ids(librarian, tool, more)
    assert best in sharp
    assert set(sharp) < set(calm)
    for state in ("get_neuromodulation_state", "get_neuromodulation"):
        told = done(librarian, state)
        assert told["results"] < told["usual_results"] == usual["usual_results"]


def test_little_dopamine_lets_more_of_the_tail_into_a_context(librarian: Librarian) -> None:
    fill(librarian)
    calm = ids(librarian, "inject_context", {"max_tokens": 2000})
    turn(librarian, "dopamine", -2)
    assert set(ids(librarian, "inject_context", {"max_tokens": 2000})) > set(calm)
    assert done(librarian)["results"] > done(librarian)["usual_results"]


@pytest.mark.parametrize(("tool", "more"), READS)
def test_noradrenaline_widens_a_search_and_a_context(librarian: Librarian, tool: str, more: dict[str, Any]) -> None:
    for number in range(60):
        librarian.remember(f"Ada takes tea number {number}, black, every day.")
    ids(librarian, tool, more)
    assert done(librarian)["candidates"] == done(librarian)["usual_candidates"]
    considered = librarian.call("inject_context", query="black tea", session_id="one")["nodes_considered"]
    turn(librarian, "noradrenaline", 1)
    ids(librarian, tool, more)
    assert done(librarian)["candidates"] == pytest.approx(2 * done(librarian)["usual_candidates"], rel=0.01)
    librarian.call("adjust_neuromodulator", modulator="noradrenaline", delta=1, session_id="two")
    assert librarian.call("inject_context", query="black tea", session_id="two")["nodes_considered"] > considered


def repeat(librarian: Librarian, twin: float, other: float) -> tuple[str, str, str]:
    """The best, what repeats it, and what says as much in another way; the two are so important."""
    first = librarian.remember("Ada takes black tea every day at the office.", importance=1.0)
    again = librarian.remember("Every day at the office Ada takes quite black tea.", importance=twin)
    apart = librarian.remember("Black tea, every day: Ada takes it from the tin above the stove.", importance=other)
    for number in range(12):
        librarian.remember(f"Penguin number {number} huddles against wind {number * 7}.")
    return first, again, apart


@pytest.mark.parametrize(("tool", "more"), READS)
def test_serotonin_moves_what_repeats_behind_what_does_not(
    librarian: Librarian, tool: str, more: dict[str, Any]
) -> None:
    first, twin, other = repeat(librarian, 0.5, 0.0)
    assert librarian.found(QUERY) == [first, twin, other]
    assert done(librarian)["moved"] == 0
    turn(librarian, "serotonin", 0.5)
    told = librarian.call("search_graph", query=QUERY)["results"]
    assert [each["id"] for each in told] == [first, other, twin]
    assert [each["score"] for each in told] == sorted((each["score"] for each in told), reverse=True)
    ids(librarian, tool, more)
    assert done(librarian)["moved"] == done(librarian, "get_neuromodulation")["moved"] == 2


def test_below_rest_what_resembles_the_first_comes_sooner(librarian: Librarian) -> None:
    first, twin, other = repeat(librarian, 0.2, 0.5)
    assert librarian.found(QUERY) == [first, other, twin]
    turn(librarian, "serotonin", -0.5)
    assert librarian.found(QUERY) == [first, twin, other]


@pytest.mark.parametrize(("tool", "more"), READS)
def test_what_is_usual_is_what_would_be_without_them(librarian: Librarian, tool: str, more: dict[str, Any]) -> None:
    fill(librarian)
    ids(librarian, tool, more)
    calm = done(librarian)
    turn(librarian, "dopamine", 1.8)
    ids(librarian, tool, more)
    told = done(librarian)
    assert (told["usual_results"], told["usual_candidates"]) == (calm["results"], calm["candidates"])
    librarian.remember("Ada takes her tea black every single day.")
    deep = {**more, "priority": "high"} if tool == "inject_context" else {**more, "filters": {"johari_quadrants": QUAD}}
    ids(librarian, tool, deep)
    then = done(librarian)
    assert then["usual_results"] == calm["results"] + 1
    assert then["usual_candidates"] > calm["usual_candidates"]


QUAD = ["Open", "Blind", "Hidden", "Unknown"]


def test_knobs_stay_within_bounds_and_say_so(librarian: Librarian) -> None:
    told = turn(librarian, "dopamine", 9)
    assert (told["old_level"], told["new_level"], told["delta_applied"], told["clamped"]) == (3, 5, 2, True)
    assert told["range"] == {"min": 1, "baseline": 3, "max": 5}
    assert set(told["also_moved"]) == {"serotonin", "noradrenaline"}
    assert not turn(librarian, "serotonin", -0.1)["clamped"]


def test_acetylcholine_is_read_only(librarian: Librarian) -> None:
    reply = librarian.reply("adjust_neuromodulator", modulator="acetylcholine", delta=0.0005)
    assert reply.failed
    error = (reply.structured or {})["error"]
    assert error["code"] == -32002
    assert "read-only" in error["message"]
    assert error["data"]["allowed"] == ["dopamine", "serotonin", "noradrenaline"]
    other = librarian.reply("adjust_neuromodulator", modulator="caffeine", delta=1)
    assert (other.structured or {})["error"]["code"] == -32002


def test_knobs_fade_with_questions_and_with_minutes_and_not_by_looking_at_them(
    librarian: Librarian, time: Time
) -> None:
    librarian.remember("Ada takes her tea black.")
    turn(librarian, "noradrenaline", 1)

    def level() -> float:
        return librarian.call("get_neuromodulation_state")["noradrenaline"]["level"]

    assert level() == pytest.approx(level(), abs=0.01)
    for _ in range(5):
        librarian.found("tea")
    assert level() == pytest.approx(1.5, abs=0.1)
    time.advance(7 * 60)
    assert level() == pytest.approx(1.25, abs=0.1)


def test_knobs_are_those_of_a_session_and_bring_nothing_into_its_focus(librarian: Librarian, time: Time) -> None:
    librarian.found("zeppelins")
    time.advance(6)
    told = librarian.reply("adjust_neuromodulator", modulator="dopamine", delta=1).structured or {}
    assert told["pulse"]["suggested"] == "epistemic_action"
    other = librarian.call("get_neuromodulation_state", session_id="another")
    assert other["dopamine"]["level"] == 3
    assert other["dopamine"]["last_change"] is None
    assert other["meaning"].startswith("All knobs are at rest")
    own = librarian.call("get_neuromodulation_state")
    assert own["dopamine"]["last_change"] is not None
    assert "dopamine" in own["meaning"]

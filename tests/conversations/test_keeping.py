"""A conversation is kept once however often it comes, found and quoted by its turns, and taken back like anything."""

import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.admin.erasure import erase
from memotheca.admin.transfer import export_collection, import_lines
from memotheca.conversations.keep import KeepConversation, keep_conversation, unknown_turns
from memotheca.conversations.turns import KeptTurn, Utterance, turns_of
from memotheca.model.clock import from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.search import Question, find_entries
from tests.conftest import build_fresh

TALK = KeepConversation(
    client="claude-code",
    session="3f2a",
    title="Heating",
    project="house",
    turns=(
        Utterance(
            speaker="user", text="The boiler makes a noise at night.", at=from_iso("2026-01-05T20:00:00Z"), id="m1"
        ),
        Utterance(
            speaker="assistant", text="Is it a knocking or a whistling?", at=from_iso("2026-01-05T20:00:09Z"), id="m2"
        ),
        Utterance(
            speaker="user", text="Knocking. The installer is Mr Okafor.", at=from_iso("2026-01-05T20:01:00Z"), id="m3"
        ),
    ),
)


def keep(agent, request=TALK):
    return keep_conversation(agent.kernel, request, actor="hook")


def found(agent, question, **more):
    return agent.call("query", content=question, kinds=["conversation"], **more)["items"]


def longer(request, *turns):
    return replace(request, turns=(*request.turns, *turns))


def test_what_was_said_is_found_and_quoted_by_its_turn(agent):
    kept = keep(agent)
    assert (kept.handle, kept.added, kept.known) == ("c-1", 3, 0)
    (item,) = found(agent, "who installs boilers, Okafor?")
    best = item["passages"][0]
    assert item["kind"] == "conversation"
    assert item["topic"] == "Heating"
    assert (best["turn"], best["speaker"], best["at"]) == (3, "user", "2026-01-05T20:01:00Z")
    assert best["cite"] == "c-1#3"
    assert "Okafor" in item["content"]


def test_it_is_no_entry_unless_asked_for_but_the_answer_says_that_it_is_there(agent):
    keep(agent)
    answer = agent.call("query", content="boiler noise")
    assert answer["items"] == []
    assert answer["elsewhere"] == {"conversation": 1}
    assert agent.call("query", content="boiler noise", kinds=["all"])["items"][0]["handle"] == "c-1"


def test_kept_again_it_adds_only_what_is_new(agent):
    keep(agent)
    before = agent.call("history")["items"]
    again = keep(agent)
    assert (again.handle, again.added, again.known) == ("c-1", 0, 3)
    assert agent.call("history")["items"] == before
    more = keep(agent, longer(TALK, Utterance(speaker="assistant", text="Call him on Monday.", id="m4")))
    assert (more.handle, more.added, more.known) == ("c-1", 1, 3)
    (item,) = found(agent, "call Monday")
    assert item["passages"][0]["cite"] == "c-1#4"


def test_a_client_that_tells_only_what_is_new_is_understood(agent):
    plain = replace(TALK, turns=tuple(replace(turn, id="") for turn in TALK.turns))
    keep(agent, plain)
    later = (Utterance(speaker="assistant", text="Fine."), Utterance(speaker="user", text="Thanks."))
    assert keep(agent, replace(plain, turns=(plain.turns[-1], *later))).added == 2
    assert keep(agent, longer(plain, *later)).added == 0
    assert keep(agent, replace(plain, turns=later)).added == 0


def test_turns_with_the_same_id_are_one(agent):
    doubled = replace(TALK, turns=(*TALK.turns, *TALK.turns))
    assert keep(agent, doubled).added == 3


def test_a_turn_has_a_handle_of_its_own(agent):
    keep(agent)
    for handle in ("c-1#2", "talk:c-1#2", "talk:c-1", "c-1", "claude-code/3f2a"):
        agent.call("relate", subject="Ada", predicate="saw", object=handle)
    assert agent.error("update", id="c-1", content="Nothing was said.")["code"]


def test_keeping_is_undone_step_by_step(agent):
    keep(agent)
    keep(agent, longer(TALK, Utterance(speaker="assistant", text="Call him on Monday.", id="m4")))
    agent.call("undo")
    assert len(turns_of(entry_of(agent))) == 3
    agent.call("undo")
    assert found(agent, "boiler") == []


def entry_of(agent, handle="c-1") -> Entry:
    with agent.kernel.read() as snapshot:
        entry = snapshot.entry(snapshot.find_alias("talk", handle))
    assert entry is not None
    return entry


def test_one_that_was_taken_back_stays_so_unless_it_is_to_be_revived(agent):
    keep(agent)
    agent.call("delete", id="c-1")
    assert keep(agent).was_deleted
    assert found(agent, "boiler") == []
    assert keep(agent, replace(TALK, revives=True)).handle == "c-2"
    assert found(agent, "boiler")[0]["handle"] == "c-2"


def test_erased_it_is_nowhere(agent):
    keep(agent)
    keep(agent, longer(TALK, Utterance(speaker="assistant", text="Call him on Monday.", id="m4")))
    assert erase(agent.kernel, "c-1", actor="tester").versions == 2
    assert found(agent, "Okafor") == []
    out = io.StringIO()
    export_collection(agent.kernel, out, lambda *_: None)
    assert "Okafor" not in out.getvalue()


def test_it_is_in_history_and_moves_house(agent, tmp_path, time):
    keep(agent)
    assert agent.call("history", entity_type="conversation")["items"][0]["op"] == "CREATE"
    out = io.StringIO()
    export_collection(agent.kernel, out, lambda *_: None)
    other = build_fresh(tmp_path / "other", time).kernel
    import_lines(other, out.getvalue().splitlines(), actor="tester", report=lambda *_: None)
    page = find_entries(other, Question(content="boiler", kinds=("conversation",)), limit=1)
    assert page.hits[0].excerpts[0].place["speaker"] == "user"
    assert keep_conversation(other, TALK, actor="hook").added == 0
    other.store.close()


def test_no_secret_is_stored(agent):
    secret = "ghp_" + "a1B2" * 9
    kept = keep(
        agent, longer(TALK, Utterance(speaker="user", text=f"Use {secret}, my password is: hunter22!", id="m4"))
    )
    assert kept.redactions == {"api_key": 1, "password": 1}
    assert secret not in json.dumps(found(agent, "password"))
    assert "hunter22" not in entry_of(agent).body
    assert keep(agent, replace(TALK, session="other", title=f"About {secret}")).redactions == {"api_key": 1}
    assert secret not in entry_of(agent, "c-2").title


def test_what_was_stored_from_a_turn_is_linked_to_it_once(agent):
    fact = agent.store("heating", "The installer is Mr Okafor.")
    told = replace(TALK, turns=(*TALK.turns[:2], replace(TALK.turns[2], stored=(fact, "e-99"))))
    assert keep(agent, told).linked == 1
    assert keep(agent, told).linked == 0
    with agent.kernel.read() as snapshot:
        (edge,) = snapshot.edges_of(entry_of(agent).id)
    assert (edge.predicate, edge.attributes) == ("said_in", {"turn": 3, "cite": "c-1#3"})
    agent.call("delete", id="c-1")


def test_odd_turns_are_kept_as_well_as_they_can_be(agent):
    odd = replace(
        TALK,
        title="",
        turns=(
            Utterance(speaker="", text="half \ud800 a pair\r\nand a\x00 zero", at=1 << 62),
            Utterance(speaker="a\nb" * 200, text="x"),
            Utterance(speaker="user", text=" \n\t"),
        ),
    )
    kept = keep(agent, odd)
    assert kept.added == 2
    first, second = turns_of(entry_of(agent))
    assert (first.speaker, first.text, first.at) == ("unknown", "half  a pair\nand a zero", None)
    assert "\n" not in second.speaker
    assert entry_of(agent).title == "half a pair and a zero"


@pytest.mark.parametrize("field", ["client", "session"])
def test_one_that_could_not_be_known_again_is_refused(agent, field):
    with pytest.raises(Refusal) as refused:
        keep(agent, replace(TALK, **{field: " "}))
    assert (refused.value.failure, refused.value.field) == (Failure.INVALID, field)


def test_nothing_said_is_nothing_kept(agent):
    assert keep(agent, replace(TALK, turns=())).version is None
    assert agent.call("history")["items"] == []


def test_a_long_turn_is_several_passages_of_one_place(agent):
    words = " ".join(f"word{number}" for number in range(2000))
    keep(agent, replace(TALK, turns=(Utterance(speaker="tool", text=words), *TALK.turns)))
    (item,) = found(agent, "word3 word1999")
    assert {passage["turn"] for passage in item["passages"][:2]} == {1}


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(0, 12), st.lists(st.sampled_from("xyz"), max_size=4))
@settings(max_examples=200, deadline=None)
def test_what_goes_on_where_something_ended_adds_just_that(said, overlap, more):
    held = [KeptTurn(number, "user", text, None, "", 0, 0) for number, text in enumerate(said, 1)]
    told = [Utterance(speaker="user", text=text) for text in (*said[len(said) - min(overlap, len(said)) :], *more)]
    new = [turn.text for turn in unknown_turns(held, told)]
    assert new[len(new) - len(more) :] == more
    whole = [Utterance(speaker="user", text=text) for text in (*said, *more)]
    assert [turn.text for turn in unknown_turns(held, whole)] == more

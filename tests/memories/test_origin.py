"""When what is remembered happened or holds, and who said it: stated, kept, told and taken back."""

from pathlib import Path
from typing import Any

import pytest

from memotheca.memory.claims.when import happened_at, source_of, told_by, told_when
from memotheca.model.clock import DAY, SECOND, from_iso
from memotheca.model.knowledge import Entry
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian

POT = "The copper pot is Ada's."


def store(librarian: Librarian, content: str = POT, **more: Any) -> dict[str, Any]:
    return librarian.call("store_memory", content=content, rationale=WHY, **more)


def entry(librarian: Librarian, id: str) -> Entry:
    with librarian.kernel.read() as snapshot:
        found = snapshot.entry(id)
    assert isinstance(found, Entry)
    return found


def test_stated_times_are_kept_with_how_they_are_known(librarian: Librarian) -> None:
    told = store(librarian, occurred_at="2026-07-07T02:05:00Z", valid_from="2026-07-08", valid_to="2026-09-30")
    assert told["times"] == {
        "occurred_at": {"at": "2026-07-07T02:05:00Z", "precision": "minute", "known": "stated"},
        "valid_from": {"at": "2026-07-08T00:00:00Z", "precision": "day", "known": "stated"},
        "valid_to": {"at": "2026-09-30T23:59:59.999999Z", "precision": "day", "known": "stated"},
    }
    opened = librarian.call("hydrate_citation", citation_tag=told["citation"])
    assert opened["times"] == told["times"]


def test_what_is_stated_nowhere_is_not_known(librarian: Librarian) -> None:
    told = store(librarian)
    assert (told["times"], told["source"], "source_known" in told) == ({}, None, False)


@pytest.mark.parametrize("field", ["occurred_at", "valid_from", "valid_to"])
def test_what_is_no_time_is_refused_by_name_and_nothing_is_stored(librarian: Librarian, field: str) -> None:
    error = librarian.error("store_memory", content=POT, rationale=WHY, **{field: "some day in May"})
    assert (error["code"], error["data"]["field"]) == (-32002, field)
    assert not librarian.found("copper pot")
    id = store(librarian)["node_id"]
    assert librarian.error("annotate_node", node_id=id, **{field: "2026-13-01"})["data"]["field"] == field


def test_an_end_before_the_beginning_is_refused(librarian: Librarian) -> None:
    error = librarian.error("store_memory", content=POT, rationale=WHY, valid_from="2026-05-02", valid_to="2026-05-01")
    assert error["data"]["field"] == "valid_to"
    id = store(librarian, valid_from="2026-05-02")["node_id"]
    assert librarian.error("annotate_node", node_id=id, valid_to="2026-05-01")["data"]["field"] == "valid_to"


def test_annotating_states_times_and_source_and_takes_them_back(librarian: Librarian) -> None:
    id = store(librarian)["node_id"]
    noted = librarian.call("annotate_node", node_id=id, valid_to="2026-05-01", source="colleague")
    assert (noted["changed_fields"], noted["embedding_unchanged"]) == (["valid_to", "source"], True)
    assert noted["annotations"]["valid_to"]["known"] == "stated"
    assert (noted["annotations"]["source"], told_by(entry(librarian, id))) == ("colleague", "(colleague)")
    more = librarian.call("annotate_node", node_id=id, annotations={"tags": ["pots"]}, occurred_at="2026-04-01")
    assert set(more["annotations"]) == {"tags", "valid_to", "occurred_at", "source"}
    gone = librarian.call("annotate_node", node_id=id, valid_to=None, source=None)
    assert (set(gone["annotations"]), told_by(entry(librarian, id))) == ({"tags", "occurred_at"}, "")
    assert librarian.error("annotate_node", node_id=id)["code"] == -32002


def test_an_annotated_note_has_it_in_its_head(librarian: Librarian) -> None:
    librarian.given(pot="The copper pot.")
    id = librarian.call("search_graph", query="copper pot")["results"][0]["id"]
    librarian.call("annotate_node", node_id=id, valid_to="2026-05-01", source="web")
    assert "valid_to: " in (Path(librarian.vault) / "pot.md").read_text()
    kept = entry(librarian, id)
    assert (told_when(kept), source_of(kept)) == ("until 1 May 2026", "web")


def test_what_is_over_is_told_as_such_and_can_be_undone(librarian: Librarian, time: Time) -> None:
    id = store(librarian, "The shop sells copper pots.")["node_id"]
    librarian.call("annotate_node", node_id=id, valid_to="2020-05-01")
    assert "until 1 May 2020" in librarian.call("inject_context", query="copper pots")["context"]
    librarian.call("undo")
    assert "Superseded" not in librarian.call("inject_context", query="copper pots")["context"]


def test_a_session_keeps_the_source_it_named_last(librarian: Librarian) -> None:
    librarian.session = "kitchen"
    assert store(librarian, "The lid fits.")["source"] is None
    assert store(librarian, "Pots shine.", source="colleague")["source_known"] == "stated"
    inherited = store(librarian, "Pans do not.")
    assert (inherited["source"], inherited["source_known"]) == ("colleague", "session")
    assert store(librarian, "Bowls break.", metadata={"source": "web"})["source"] == "web"
    librarian.session = "cellar"
    assert store(librarian, "Wine keeps.")["source"] is None
    librarian.session = ""
    store(librarian, "Jars are full.", source="user")
    assert store(librarian, "Jars are empty.")["source"] is None


def test_sources_that_differ_leave_a_merged_memory_without_one(librarian: Librarian) -> None:
    said = {"rationale": "Somebody saw the copper pot."}
    one, other = (
        librarian.call("store_memory", content=f"{POT} {more}", source=source, valid_from="2026-01-02", **said)[
            "node_id"
        ]
        for more, source in (("It shines.", "user"), ("It gleams.", "web"))
    )
    done = librarian.call(
        "merge_concepts", source_node_ids=[one, other], target_name="pot", merge_strategy="concatenate", rationale=WHY
    )
    merged = entry(librarian, done["merged_node_id"])
    assert (source_of(merged), told_when(merged)) == (None, "since 2 Jan 2026")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"occurred_at": "2020-07-07T02:05:00Z"}, "7 Jul 2020"),
        ({"valid_from": "2020-09-01"}, "since 1 Sep 2020"),
        ({"valid_from": "2100-09-01"}, "from 1 Sep 2100"),
        ({"valid_to": "2100-09-30"}, "until 30 Sep 2100"),
        ({"valid_from": "2020-09-01", "valid_to": "2020-09-30"}, "1 Sep 2020 to 30 Sep 2020"),
        ({"valid_from": "2020-09-01", "valid_to": "2020-09-01"}, "1 Sep 2020"),
    ],
)
def test_times_are_told_in_words(librarian: Librarian, said: dict[str, str], words: str) -> None:
    kept = entry(librarian, store(librarian, **said)["node_id"])
    assert told_when(kept) == words
    assert happened_at(kept) == (
        from_iso(next(iter(said.values()))) if "valid_to" not in next(iter(said)) else kept.created_at
    )


def test_without_a_time_the_day_of_storing_is_told(librarian: Librarian, time: Time) -> None:
    kept = entry(librarian, store(librarian)["node_id"])
    time.advance(40 * DAY // SECOND)
    assert told_when(kept) == librarian.call("search_graph", query="copper pot")["results"][0]["when"]
    assert happened_at(kept) == kept.created_at


@pytest.mark.parametrize(("source", "words"), [("user", ""), ("tool", "(tool)"), ("web", "(web)")])
def test_the_source_is_told_where_it_is_not_the_user(librarian: Librarian, source: str, words: str) -> None:
    told = store(librarian, source=source)
    assert told_by(entry(librarian, told["node_id"])) == words
    assert librarian.call("search_graph", query="copper pot")["results"][0]["source"] == source
    assert librarian.error("store_memory", content="x", rationale=WHY, source="rumour")["data"]["allowed"]

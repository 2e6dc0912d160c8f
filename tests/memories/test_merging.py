"""Merging: one node of several, by whichever words, all or nothing, and back again."""

from typing import Any

import pytest

from memotheca.memory.curation import merged_text
from memotheca.memory.curation.merge import sources_of
from memotheca.memory.session.state import activity_of
from memotheca.toolkit.ask import ModelQuestion, Unanswered
from tests.memories.librarian import WHY, Librarian


def merged(librarian: Librarian, *ids: str, **more: Any) -> dict[str, Any]:
    said = {"target_name": "Both", "rationale": "They say the same thing.", **more}
    return librarian.call("merge_concepts", source_node_ids=list(ids), **said)


def content(librarian: Librarian, id: str) -> str:
    with librarian.kernel.read() as snapshot:
        entry = snapshot.entry(id)
        assert entry is not None
        return entry.body


@pytest.fixture
def pair(librarian: Librarian) -> tuple[str, str]:
    return (
        librarian.remember("The cache is flushed at two.", importance=0.3, tags=["ops"]),
        librarian.remember("The cache is flushed at two. Ada wrote the job.", importance=0.6, tags=["people"]),
    )


def test_two_similar_nodes_become_one(librarian: Librarian, pair: tuple[str, str]) -> None:
    done = merged(librarian, *pair)
    assert librarian.found("cache flushed") == [done["merged_node_id"]]
    assert (done["nodes_merged"], done["priors_compatible"], done["kept_apart"]) == (2, True, [])
    assert done["min_prior_similarity"] >= 0.7


def test_the_merged_node_has_the_best_of_both(librarian: Librarian, pair: tuple[str, str]) -> None:
    id = merged(librarian, *pair)["merged_node_id"]
    with librarian.kernel.read() as snapshot:
        entry, first = snapshot.entry(id), snapshot.versions(pair[0])[0].thing
        looks = activity_of(librarian.kernel).looks(snapshot.session, librarian.kernel.collection, [id, *pair])
    assert entry is not None
    assert (entry.title, entry.tags, entry.attributes["importance"]) == ("Both", ("ops", "people"), 0.6)
    assert first is not None
    assert entry.created_at == first.created_at
    assert looks[id][0] == looks[pair[0]][0] + looks[pair[1]][0] + 1


def test_without_a_model_the_summary_is_made_of_their_sentences(librarian: Librarian, pair: tuple[str, str]) -> None:
    done = merged(librarian, *pair)
    said = content(librarian, done["merged_node_id"])
    assert done["summary_method"] == "extractive"
    assert said.count("The cache is flushed at two.") == 1
    assert "Ada wrote the job." in said
    assert done["disputed"] == 0


def test_a_long_summary_leaves_out_as_much_in_chinese_as_in_english(librarian: Librarian) -> None:
    numerals, subjects = (
        "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341",
        "\u6c34\u706b\u6728\u91d1\u571f\u5c71\u6d77\u98ce\u96e8\u96ea",
    )
    ids = [
        librarian.remember("".join(f"{subject}{3 * numeral}{4 * subject}{5 * numeral}\u3002" for numeral in numerals))
        for subject in subjects
    ]
    done = merged(librarian, *ids, force_merge=True)
    kept = content(librarian, done["merged_node_id"]).count("\u3002")
    assert 0 < kept < len(numerals) * len(subjects)


def test_contradictions_stay_side_by_side(librarian: Librarian) -> None:
    one = librarian.remember("The request timeout is 30 seconds.")
    other = librarian.remember("The request timeout is 90 seconds.")
    done = merged(librarian, one, other)
    said = content(librarian, done["merged_node_id"])
    assert done["disputed"] == 1
    assert "30 seconds" in said
    assert "90 seconds" in said


def test_the_clients_own_model_is_asked_before_anything_is_written(librarian: Librarian, pair: tuple[str, str]) -> None:
    with librarian.kernel.read() as snapshot:
        before = snapshot.tx
        asked = ModelQuestion(text=merged_text.question(sources_of(snapshot, pair), "Both"), system=merged_text.SYSTEM)
    with librarian.answering(asked, "Ada's job flushes the cache at two."):
        with pytest.raises(Unanswered):
            merged(librarian, *pair, target_name="Something else")
        with librarian.kernel.read() as snapshot:
            assert snapshot.tx == before
        done = merged(librarian, *pair)
    said = content(librarian, done["merged_node_id"])
    assert (done["summary_method"], done["summary_model"]) == ("sampling", "clever")
    assert said == "Ada's job flushes the cache at two."


def test_a_summary_cites_nothing_that_is_gone(librarian: Librarian, pair: tuple[str, str]) -> None:
    with librarian.kernel.read() as snapshot:
        text = merged_text.question(sources_of(snapshot, pair), "Both")
    asked = ModelQuestion(text=text, system=merged_text.SYSTEM)
    with librarian.answering(asked, f"Ada's job flushes the cache [node_{pair[0][-8:]}] at two [node_{pair[1][-8:]}]."):
        done = merged(librarian, *pair)
    assert content(librarian, done["merged_node_id"]) == "Ada's job flushes the cache at two."
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    extracted = content(librarian, merged(librarian, *pair)["merged_node_id"])
    assert "[node_" not in extracted
    assert "Ada wrote the job." in extracted


def test_the_highest_is_kept_as_it_is(librarian: Librarian, pair: tuple[str, str]) -> None:
    done = merged(librarian, *pair, merge_strategy="keep_highest")
    assert content(librarian, done["merged_node_id"]) == "The cache is flushed at two. Ada wrote the job."
    assert done["summary_method"] == "none"


def test_all_are_joined_by_a_rule(librarian: Librarian, pair: tuple[str, str]) -> None:
    done = merged(librarian, *pair, merge_strategy="concatenate")
    said = content(librarian, done["merged_node_id"])
    assert said == "The cache is flushed at two.\n\n---\n\nThe cache is flushed at two. Ada wrote the job."


def test_edges_lead_to_the_merged_node(librarian: Librarian, pair: tuple[str, str]) -> None:
    cause = librarian.remember("An old clock.")
    librarian.link(cause, pair[0])
    librarian.link(cause, pair[1])
    id = merged(librarian, *pair)["merged_node_id"]
    with librarian.kernel.read() as snapshot:
        causal = [edge for edge in snapshot.edges_of(id) if edge.type == "Causal"]
    assert [(edge.source, edge.target) for edge in causal] == [(cause, id)]


def test_incompatible_priors_are_refused_or_forced(librarian: Librarian) -> None:
    one = librarian.remember("The API answers in XML in version 1.", domain="Code")
    other = librarian.remember("The API answers in JSON in version 2.", domain="Legal")
    ids = {"source_node_ids": [one, other], "target_name": "API", "rationale": WHY}
    error = librarian.error("merge_concepts", **ids)
    assert (error["code"], error["data"]["name"]) == (-32010, "PRIORS_INCOMPATIBLE")
    assert error["data"]["similarities"][0]["similarity"] < 0.7
    assert set(librarian.found("API answers")) == {one, other}
    done = librarian.call("merge_concepts", **ids, force_merge=True)
    assert (done["priors_compatible"], done["relational_edge_created"], len(done["kept_apart"])) == (False, True, 1)
    assert set(librarian.found("API answers")) == {done["merged_node_id"], *done["kept_apart"]}


def test_a_merge_is_taken_back(librarian: Librarian, pair: tuple[str, str]) -> None:
    done = merged(librarian, *pair)
    assert librarian.error("boost_importance", node_id=pair[0], delta=0.1, rationale=WHY)["code"] == -32014
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert set(librarian.found("cache flushed")) == set(pair)
    assert (
        librarian.error("annotate_node", node_id=done["merged_node_id"], annotations={"tags": ["x"]})["code"] == -32014
    )


def test_merging_notes_writes_a_new_note_and_back(librarian: Librarian) -> None:
    librarian.given(
        **{"in/tea": "Steep it for three minutes.", "in/more-tea": "Warm the pot first.", "index": "See [[tea]]."}
    )
    before = librarian.files()
    with librarian.kernel.read() as snapshot:
        ids = [snapshot.find_alias("note", path) for path in ("in/tea.md", "in/more-tea.md")]
    done = merged(librarian, *map(str, ids), target_name="Tea", merge_strategy="concatenate")
    files = librarian.files()
    assert done["kind"] == "note"
    assert b"Warm the pot first." in files["in/tea.md"]
    assert "in/more-tea.md" not in files
    assert files[".trash/in/more-tea.md"] == before["in/more-tea.md"]
    assert librarian.ask("get_node", id="in/tea.md")["title"] == "Tea"
    librarian.call("restore_from_hash", reversal_hash=done["reversal_hash"])
    assert librarian.files() == before
    librarian.sync()
    assert librarian.ask("get_node", id="in/tea.md")["content"].startswith("Steep")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"source_node_ids": ["x"], "target_name": "t", "rationale": WHY}, -32002),
        ({"source_node_ids": ["x", "y"], "target_name": "t"}, -32009),
        ({"source_node_ids": ["x", "y"], "target_name": "t", "rationale": WHY}, -32012),
        ({"source_node_ids": ["x", "y"], "target_name": "", "rationale": WHY}, -32002),
        ({"source_node_ids": ["x", "y"], "target_name": "t", "rationale": WHY, "merge_strategy": "newest"}, -32002),
    ],
)
def test_what_is_wrong_is_told_by_number(librarian: Librarian, said: dict[str, Any], code: int) -> None:
    assert librarian.error("merge_concepts", **said)["code"] == code


def test_the_same_node_twice_is_no_merge(librarian: Librarian, pair: tuple[str, str]) -> None:
    said = {"source_node_ids": [pair[0], pair[0]], "target_name": "t", "rationale": WHY}
    assert librarian.error("merge_concepts", **said)["code"] == -32002


@pytest.mark.parametrize("relation", ["causal", "hierarchical"])
def test_what_would_lead_back_to_itself_is_not_merged(librarian: Librarian, relation: str) -> None:
    first, between, last = (librarian.remember(text) for text in ("The lock.", "A queue.", "The same lock."))
    librarian.link(first, between, relation)
    librarian.link(between, last, relation)
    error = librarian.error("merge_concepts", source_node_ids=[last, first], target_name="lock", rationale=WHY)
    assert (error["code"], error["data"]["name"]) == (-32013, "CIRCULAR_DEPENDENCY")
    assert error["data"]["cycle"] == [first, between, last]
    assert set(librarian.found("lock")) >= {first, last}


def test_a_direct_link_between_them_falls_away_and_an_older_circle_is_no_reason(librarian: Librarian) -> None:
    first, other, twin = (librarian.remember(text) for text in ("The lock.", "A queue.", "The same lock."))
    librarian.link(first, twin)
    librarian.link(first, other)
    librarian.link(other, first)
    librarian.link(first, other, "relational")
    librarian.link(other, twin, "relational")
    done = merged(librarian, first, twin)
    ends = [each["id"] for each in librarian.call("get_neighborhood", node_id=done["merged_node_id"])["neighbors"]]
    assert ends == [other]


def test_what_a_text_only_hints_at_closes_no_circle(librarian: Librarian) -> None:
    job = librarian.remember("The nightly job runs.", name="nightly job")
    said = {"link_to": [job], "metadata": {"relation": "causal"}}
    stored = librarian.call("store_memory", content="Deploys fail because of the nightly job.", rationale=WHY, **said)
    causal = [edge for edge in stored["edges"] if edge["type"] == "Causal"]
    assert len(causal) == 1
    alone = librarian.call("store_memory", content="Backups fail because of the nightly job.", rationale=WHY)
    path = librarian.call("find_causal_path", source_id=job, target_id=alone["node_id"])
    assert (path["path_found"], path["cycle_detected"]) == (True, False)

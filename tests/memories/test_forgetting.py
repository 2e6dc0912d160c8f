"""Forgetting, restoring, annotating and boosting, on memories, notes and documents."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from memotheca.admin.erasure import erase
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import DAY, SECOND
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian

SECRET = "xyzzymarker"


def forget(librarian: Librarian, id: str, **more: Any) -> dict[str, Any]:
    said = {"reason": "obsolete", "rationale": "It no longer holds.", **more}
    return librarian.call("forget_concept", node_id=id, **said)


def note(librarian: Librarian, path: str) -> str:
    with librarian.kernel.read() as snapshot:
        return str(snapshot.find_alias("note", path))


@pytest.fixture
def document(librarian: Librarian) -> str:
    page = f"data:text/html;name=tea.html,<h1>Tea</h1><p>Steep it, {SECRET}.</p><h2>Pot</h2><p>Warm it.</p>"
    return librarian.call("knowledge-add", file_path=page, **{"async": False})["document_id"]


def test_a_forgotten_node_is_a_tombstone_and_not_found(librarian: Librarian) -> None:
    tea = librarian.remember("Ada takes her tea black.")
    gone = forget(librarian, tea)
    assert (gone["deleted"], gone["soft_deleted"], gone["node_id"]) == (True, True, tea)
    assert librarian.found("tea") == []
    assert librarian.error("forget_concept", node_id=tea, reason="obsolete", rationale=WHY)["code"] == -32014


def test_as_many_edges_go_as_there_were(librarian: Librarian) -> None:
    tea, cup = librarian.remember("Ada takes her tea black."), librarian.remember("The cup is blue.")
    with librarian.kernel.read() as snapshot:
        before = len(snapshot.edges_of(tea))
    librarian.link(tea, cup)
    assert forget(librarian, tea)["edges_removed"] == before + 1


def test_the_deadline_is_thirty_days_away(librarian: Librarian, time: Time) -> None:
    tea = librarian.remember("Ada takes her tea black.")
    hash = forget(librarian, tea)["reversal_hash"]
    time.advance(29 * DAY // SECOND)
    assert librarian.call("restore_from_hash", reversal_hash=hash)["restored_nodes"] == [tea]
    hash = forget(librarian, tea)["reversal_hash"]
    time.advance(31 * DAY // SECOND)
    error = librarian.error("restore_from_hash", reversal_hash=hash)
    assert (error["code"], error["data"]["name"]) == (-32011, "RECOVERY_WINDOW_EXPIRED")
    assert error["data"]["deleted_at"].startswith("2026-03-11")


@pytest.mark.parametrize("hash", ["", "  "])
def test_no_hash_is_a_wrong_argument_and_not_something_unknown(librarian: Librarian, hash: str) -> None:
    error = librarian.error("restore_from_hash", reversal_hash=hash)
    assert (error["code"], error["data"]["field"]) == (-32002, "reversal_hash")


def test_after_thirty_days_the_refusal_names_what_still_brings_it_back(librarian: Librarian, time: Time) -> None:
    tea = librarian.remember("Ada takes her tea black.")
    gone = forget(librarian, tea)
    time.advance(31 * DAY // SECOND)
    error = librarian.error("restore_from_hash", reversal_hash=gone["reversal_hash"])
    assert (error["data"]["tx_id"], error["data"]["erased"]) == (gone["tx_id"], False)
    assert "memotheca erase" in error["message"]
    assert "good" not in error["message"]
    librarian.reply("undo", tx_id=error["data"]["tx_id"])
    assert librarian.found("tea") == [tea]


def test_what_was_erased_since_is_not_said_to_be_thirty_days_old(librarian: Librarian) -> None:
    tea = librarian.remember("Ada takes her tea black.")
    hash = forget(librarian, tea)["reversal_hash"]
    erase(librarian.kernel, tea, actor="test")
    error = librarian.error("restore_from_hash", reversal_hash=hash)
    assert (error["code"], error["data"]["name"]) == (-32011, "RECOVERY_WINDOW_EXPIRED")
    assert "erased" in error["message"]
    assert "30 days" not in error["message"]


def test_a_forgotten_note_goes_to_the_trash_and_comes_back(librarian: Librarian) -> None:
    librarian.given(tea="---\ntags: [drink]\n---\nSteep it.", index="See [[tea]].")
    before = librarian.files()
    gone = forget(librarian, note(librarian, "tea.md"))
    assert librarian.files() == {"index.md": before["index.md"], ".trash/tea.md": before["tea.md"]}
    librarian.sync()
    assert librarian.found("steep") == []
    librarian.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
    assert librarian.files() == before
    assert librarian.ask("get_node", id="tea.md")["tags"] == ["drink"]


def test_a_note_that_somebody_changed_meanwhile_is_not_forgotten(librarian: Librarian) -> None:
    librarian.given(tea="Steep it.")
    id = note(librarian, "tea.md")
    librarian.save("tea.md", "Do not steep it.")
    error = librarian.error("forget_concept", node_id=id, reason="obsolete", rationale=WHY)
    assert (error["code"], error["data"]["retryable"]) == (-32110, True)
    assert librarian.files() == {"tea.md": b"Do not steep it."}
    forget(librarian, id)
    assert librarian.files() == {".trash/tea.md": b"Do not steep it."}


def test_a_forgotten_document_goes_with_its_sections(librarian: Librarian, document: str) -> None:
    assert librarian.found("steep")
    gone = forget(librarian, document)
    assert len(librarian.call("knowledge-show")["documents"]) == 0
    assert librarian.found("steep warm pot") == []
    back = librarian.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
    assert len(back["restored_nodes"]) == 3
    assert len(librarian.call("knowledge-show")["documents"]) == 1
    assert librarian.found("steep")


def test_a_section_goes_only_with_its_document(librarian: Librarian, document: str) -> None:
    with librarian.kernel.read() as snapshot:
        section = snapshot.entries(("section",))[0].id
    error = librarian.error("forget_concept", node_id=section, reason="obsolete", rationale=WHY)
    assert error["data"]["name"] == "UNSUPPORTED"


@pytest.mark.only_sqlite(reason="it looks into the files")
@pytest.mark.parametrize("kind", ["memory", "note", "document"])
def test_what_the_user_wants_gone_is_gone_from_every_file(librarian: Librarian, tmp_path: Path, kind: str) -> None:
    if kind == "memory":
        id = librarian.remember(f"Ada takes her tea with {SECRET}.", name=f"about {SECRET}", tags=[SECRET])
        librarian.call("annotate_node", node_id=id, annotations={"notes": f"said {SECRET}"})
        librarian.call("search_graph", query=SECRET)
        again = forget(librarian, id, rationale=f"because {SECRET} is old")
        librarian.call("restore_from_hash", reversal_hash=again["reversal_hash"])
    elif kind == "note":
        librarian.given(tea=f"Steep it, {SECRET}.")
        id = note(librarian, "tea.md")
        librarian.call("restore_from_hash", reversal_hash=forget(librarian, id)["reversal_hash"])
    else:
        page = f"data:text/html;name=tea.html,<h1>Tea</h1><p>Steep it, {SECRET}.</p>"
        id = librarian.call("knowledge-add", file_path=page, **{"async": False})["document_id"]
    activity_of(librarian.kernel).flush(librarian.kernel.store)
    assert librarian.held(SECRET)
    error = librarian.error("forget_concept", node_id=id, soft_delete=False, reason="obsolete", rationale=WHY)
    assert (error["code"], error["data"]["allowed"]) == (-32002, ["user_requested"])
    gone = forget(librarian, id, soft_delete=False, reason="user_requested", rationale=f"No more {SECRET}, please.")
    assert (gone["soft_deleted"], gone["reversal_hash"], gone["restore_deadline"]) == (False, None, None)
    activity_of(librarian.kernel).flush(librarian.kernel.store)
    assert librarian.held(SECRET) == []
    assert librarian.found(SECRET) == []


def test_annotations_are_added_and_the_vectors_stay(librarian: Librarian) -> None:
    tea = librarian.remember("Ada takes her tea black.", tags=["people"])
    other = librarian.remember("Tea is grown in Assam.", name="Assam tea")
    said = {"tags": ["drinks"], "confidence": 0.4, "notes": "ask her", "related_concepts": ["Assam tea", "nothing"]}
    noted = librarian.call("annotate_node", node_id=tea, annotations=said)
    assert noted["embedding_unchanged"] is True
    assert noted["annotations"]["tags"] == ["people", "drinks"]
    assert noted["changed_fields"] == ["tags", "confidence", "notes", "related_concepts"]
    assert [each["node_id"] for each in noted["related_resolved"]] == [other, None]
    again = librarian.call("annotate_node", node_id=tea, annotations={"confidence": 0.4, "notes": "she said so"})
    assert again["changed_fields"] == ["notes"]
    assert [each["text"] for each in again["annotations"]["notes"]] == ["ask her", "she said so"]
    assert librarian.error("annotate_node", node_id=tea, annotations={})["code"] == -32002
    assert librarian.error("annotate_node", node_id=tea, annotations={"domain": "Tea"})["data"]["allowed"][0] == "Code"


def test_annotating_a_note_writes_its_frontmatter(librarian: Librarian) -> None:
    librarian.given(tea="---\ntags: [drink] # mine\nnotes: own words\n---\nSteep it.")
    said = {"tags": ["hot"], "confidence": 0.4, "notes": "ask her", "domain": "General"}
    noted = librarian.call("annotate_node", node_id=note(librarian, "tea.md"), annotations=said)
    text = librarian.files()["tea.md"].decode()
    assert noted["embedding_unchanged"] is True
    assert text.endswith("---\nSteep it.")
    assert "tags: [drink, hot] # mine" in text
    assert "confidence: 0.4" in text
    assert "domain: General" in text
    assert "own words" in text
    assert "ask her" in text
    librarian.sync()
    assert librarian.ask("get_node", id="tea.md")["tags"] == ["drink", "hot"]


def test_annotating_a_document_says_it_among_its_metadata(librarian: Librarian, document: str) -> None:
    librarian.call("annotate_node", node_id=document, annotations={"domain": "Research", "tags": ["hot"]})
    filters = {"metadata": {"domain": "Research"}}
    assert librarian.call("knowledge-search", query="steep", filters=filters)["results"]
    assert librarian.call("knowledge-search", query="steep", filters={"tags": ["hot"]})["results"]


def test_importance_moves_by_what_was_said_and_nothing_else_does(librarian: Librarian) -> None:
    tea, cup = librarian.remember("Ada takes her tea black.", importance=0.8), librarian.remember("The cup is blue.")
    boosted = librarian.call("boost_importance", node_id=tea, delta=0.5, rationale=WHY)
    assert (boosted["previous_importance"], boosted["new_importance"], boosted["clamped"]) == (0.8, 1.0, True)
    lowered = librarian.call("boost_importance", node_id=tea, delta=-0.25, rationale=WHY)
    assert (lowered["previous_importance"], lowered["new_importance"], lowered["clamped"]) == (1.0, 0.75, False)
    assert librarian.call("boost_importance", node_id=cup, delta=0, rationale=WHY)["new_importance"] == 0.5
    assert librarian.error("boost_importance", node_id=tea, delta=0.6, rationale=WHY)["code"] == -32002


STRANGERS = (
    "Penguins huddle.",
    "The lock is held.",
    "Ada likes tea.",
    "Prices rose.",
    "Paris is old.",
    "Salt melts ice.",
)


def hub(librarian: Librarian) -> tuple[str, list[str]]:
    """A node between six that have nothing to do with each other."""
    around = [librarian.remember(text) for text in STRANGERS]
    middle = librarian.remember("Everything is connected.", importance=0.8)
    for id in around:
        librarian.link(middle, id, "relational")
    return middle, around


def test_what_glues_strangers_together_cannot_be_made_all_important(librarian: Librarian) -> None:
    middle, around = hub(librarian)
    error = librarian.error("boost_importance", node_id=middle, delta=0.15, rationale=WHY)
    assert (error["code"], error["data"]["name"]) == (-32015, "SEMANTIC_CANCER_DETECTED")
    assert error["data"]["neighbor_entropy"] > 0.8
    assert librarian.call("boost_importance", node_id=middle, delta=0.05, rationale=WHY)["new_importance"] == 0.85
    for one, other in itertools.pairwise(around):
        librarian.link(one, other, "relational")
    done = librarian.call("boost_importance", node_id=middle, delta=0.1, rationale=WHY)
    assert done["cancer_check"]["neighbor_entropy"] < 0.8


def test_the_entropy_of_neighbours_moves_with_them_and_not_with_others(librarian: Librarian) -> None:
    middle, around = hub(librarian)

    def entropy() -> float:
        said = {"node_id": middle, "delta": 0, "rationale": WHY}
        return librarian.call("boost_importance", **said)["cancer_check"]["neighbor_entropy"]

    before = entropy()
    librarian.remember("Something else entirely.")
    assert entropy() == before
    librarian.link(around[0], around[1], "relational")
    librarian.link(around[0], around[2], "relational")
    librarian.link(around[0], around[3], "relational")
    assert entropy() < before


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("forget_concept", {"node_id": "x", "reason": "bored", "rationale": WHY}, -32002),
        ("forget_concept", {"node_id": "x", "reason": "obsolete"}, -32009),
        ("forget_concept", {"node_id": "x", "reason": "obsolete", "rationale": "short"}, -32002),
        ("forget_concept", {"node_id": "x", "reason": "obsolete", "rationale": WHY}, -32012),
        ("restore_from_hash", {"reversal_hash": "f" * 64}, -32012),
        ("restore_from_hash", {}, -32002),
        ("annotate_node", {"node_id": "x", "annotations": {"tags": ["t"]}}, -32012),
        ("boost_importance", {"node_id": "x", "delta": 0.1}, -32009),
        ("boost_importance", {"node_id": "x", "delta": 0.1, "rationale": WHY}, -32012),
    ],
)
def test_errors_have_their_numbers(librarian: Librarian, tool: str, arguments: dict[str, Any], code: int) -> None:
    assert librarian.error(tool, **arguments)["code"] == code


def test_what_was_buried_again_and_again_is_one_tombstone_and_hides_no_other(librarian: Librarian) -> None:
    librarian.call("delete", id=librarian.call("store", topic="first", content="Buried once.")["id"])
    second = librarian.call("store", topic="second", content="Buried often.")["id"]
    for _ in range(3):
        librarian.call("delete", id=second)
        librarian.call("undo")
    librarian.call("delete", id=second)
    answer = librarian.call("search_tombstones", limit=2)
    assert sorted(each["name"] for each in answer["tombstones"]) == ["first", "second"]
    assert answer["total"] == 2
    short = librarian.reply("search_tombstones", limit=1)
    assert short.blocks[0]["text"].startswith("1 of 2 deleted and still kept.")


def test_what_is_forgotten_comes_back_though_what_it_was_linked_to_is_erased(librarian: Librarian) -> None:
    kept = librarian.remember("The request timeout is 30 seconds.")
    erased = librarian.remember("The request timeout is 90 seconds.", contradicts=[kept])
    gone = librarian.call("forget_concept", node_id=kept, reason="obsolete", rationale=WHY)
    librarian.call("forget_concept", node_id=erased, reason="user_requested", rationale=WHY, soft_delete=False)
    restored = librarian.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
    assert restored["restored_nodes"] == [kept]
    assert librarian.found("request timeout") == [kept]

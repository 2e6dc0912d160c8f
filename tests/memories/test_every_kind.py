"""Every tool that is given a node takes a memory, a note, an entry, a document and a section of one."""

from pathlib import Path
from typing import Any

import pytest

from tests.memories.librarian import WHY, Librarian

KINDS = ("memory", "note", "entry", "document", "section")
PAGE = (
    "data:text/html;name=tea.html,<h1>Tea</h1><p>Steep the porcelain pot.</p>"
    "<h2>Pot</h2><p>Warm the porcelain pot.</p><h2>Cup</h2><p>Fill it.</p>"
)


@pytest.fixture
def ids(librarian: Librarian) -> dict[str, str]:
    """One of each kind, beside others that came in together with it."""
    librarian.given(
        kettle="The porcelain pot is filled from the kettle.", other="Something else.", third="A third note."
    )
    found = {"memory": librarian.remember("Ada broke the porcelain pot.", name="Ada and the pot")}
    librarian.store("pots", "The porcelain pot was bought in May.")
    librarian.call("knowledge-add", file_path=PAGE, **{"async": False})
    with librarian.kernel.read() as snapshot:
        for kind in ("entry", "document"):
            found[kind] = snapshot.entries((kind,))[0].id
        found["note"] = str(snapshot.find_alias("note", "kettle.md"))
        found["section"] = next(
            version.id for version in snapshot.entries(("section",)) if getattr(version.thing, "title", "") == "Pot"
        )
    return found


def cited(librarian: Librarian, id: str) -> str:
    return librarian.call("get_neighborhood", node_id=id)["focal_node"]["citation"]


@pytest.mark.parametrize("kind", KINDS)
def test_its_citation_leads_to_it_and_to_nothing_else(librarian: Librarian, ids: dict[str, str], kind: str) -> None:
    opened = librarian.call("hydrate_citation", citation_tag=cited(librarian, ids[kind]), include_neighbors=True)
    assert (opened["node_id"], opened["kind"]) == (ids[kind], kind)
    assert "porcelain pot" in opened["raw_content"]
    assert opened["tokens_used"] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_found_looked_at_and_judged(librarian: Librarian, ids: dict[str, str], kind: str) -> None:
    id = ids[kind]
    assert len(librarian.call("get_johari_classification", node_id=id)["quadrants"]) == 13
    assert librarian.call("entailment_query", node_id=id)["cone"]["radius"] is not None
    lineage = librarian.call("get_node_lineage", node_id=id)
    assert (lineage["is_alive"], lineage["lineage"][0]["change_type"]) == (True, "created")
    assert librarian.call("get_system_logs", node_id=id, level="debug")["explanation_for_user"]
    found = librarian.call("test_recall_accuracy", query="porcelain pot", expected_node_ids=[id])
    assert found["recall"] == (1.0 if kind != "section" else 0.0)
    if kind != "section":
        assert id in librarian.found("porcelain pot")
        assert cited(librarian, id) in librarian.call("inject_context", query="porcelain pot")["context"]


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_annotated_weighed_and_be_a_cause(librarian: Librarian, ids: dict[str, str], kind: str) -> None:
    id = ids[kind]
    noted = librarian.call("annotate_node", node_id=id, annotations={"tags": ["crockery"], "confidence": 0.3})
    assert noted["changed_fields"] == ["tags", "confidence"]
    assert librarian.call("boost_importance", node_id=id, delta=0.2, rationale=WHY)["new_importance"] == 0.7
    said = {"link_to": [id], "metadata": {"relation": "causes"}}
    cause = librarian.remember("The shelf is crooked.", name="shelf", **said)
    librarian.link(id, ids["memory"] if kind != "memory" else ids["note"])
    path = librarian.call("find_causal_path", source_id=cause, target_id=id)
    assert (path["path_found"], path["hop_count"]) == (True, 1)
    effects = librarian.call("query_causal", action=id)["effects"]
    assert [each["hops"] for each in effects] == [1]
    assert librarian.call("query_causal", action="shelf", outcome=id)["effect"]["probability"] == 0.9
    assert "shelf" in [each["name"] for each in librarian.call("get_neighborhood", node_id=id)["neighbors"]]


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_forgotten_merged_and_brought_back(librarian: Librarian, ids: dict[str, str], kind: str) -> None:
    other = librarian.remember("Ada broke a pot.", name="broken pot")
    merge: dict[str, Any] = {"target_name": "pots", "rationale": WHY, "force_merge": True}
    forget = {"node_id": ids[kind], "reason": "obsolete", "rationale": WHY}
    before = librarian.files()
    if kind == "section":
        assert librarian.error("forget_concept", **forget)["data"]["name"] == "UNSUPPORTED"
        error = librarian.error("merge_concepts", source_node_ids=[ids[kind], other], **merge)
        assert error["data"]["name"] == "UNSUPPORTED"
        return
    steps = (("forget_concept", forget), ("merge_concepts", {"source_node_ids": [ids[kind], other], **merge}))
    for tool, said in steps:
        gone = librarian.call(tool, **said)
        assert ids[kind] not in librarian.found("porcelain pot")
        tombstones = librarian.call("search_tombstones", query="pot")["tombstones"]
        assert ids[kind] in [each["node_id"] for each in tombstones]
        assert librarian.error("forget_concept", **forget)["code"] == -32014
        librarian.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
        assert ids[kind] in librarian.found("porcelain pot")
        kept = {path: text for path, text in librarian.files().items() if not path.startswith(".trash/")}
        assert kept == before


def test_what_is_said_of_a_section_stays_when_its_document_is_added_again(librarian: Librarian, tmp_path: Path) -> None:
    file = tmp_path / "cups.md"

    def add(text: str) -> str:
        file.write_text(text)
        librarian.call("knowledge-add", file_path=str(file), **{"async": False})
        with librarian.kernel.read() as snapshot:
            return next(version.id for version in snapshot.entries(("section",)) if "Cup" in str(version.thing))

    section = add("# Cups\n\nMany.\n\n## Cup\n\nFill it.\n")
    librarian.call("boost_importance", node_id=section, delta=0.2, rationale=WHY)
    assert add("# Cups\n\nVery many.\n\n## Cup\n\nFill it to the brim.\n") == section
    opened = librarian.call("hydrate_citation", citation_tag=cited(librarian, section))
    assert (opened["importance"], "to the brim" in opened["raw_content"]) == (0.7, True)


def test_a_section_is_recent_with_its_own_words(librarian: Librarian, ids: dict[str, str]) -> None:
    librarian.call("hydrate_citation", citation_tag=cited(librarian, ids["section"]))
    first = librarian.call("get_recent_context", limit=1)["nodes"][0]
    assert (first["id"], "Warm the porcelain pot." in first["snippet"]) == (ids["section"], True)


def test_a_section_is_no_repetition_of_its_own_document(librarian: Librarian, ids: dict[str, str]) -> None:
    for id in (ids["document"], ids["section"]):
        librarian.call("hydrate_citation", citation_tag=cited(librarian, id))
    found = librarian.call("critique_context", context_window=50)["findings"]
    assert [finding for finding in found if ids["section"] in finding["node_ids"]] == []

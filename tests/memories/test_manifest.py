"""The manifest: a page that a person edits, previewed before it is applied, and never another file."""

from pathlib import Path
from typing import Any

import pytest

from memotheca.toolkit.ask import Dialogue, Response, confirmation, key_of
from tests.memories.librarian import Librarian

TEXTS = ("Ada likes chess.", "Prices rose.", "Paris is old.", "Penguins huddle.", "The lock is held.", "It rains.")


def reload(librarian: Librarian, **said: Any) -> dict[str, Any]:
    return librarian.call("reload_manifest", **said)


@pytest.fixture
def ids(librarian: Librarian) -> list[str]:
    found = [librarian.remember(text) for text in TEXTS]
    reload(librarian)
    return found


@pytest.fixture
def page(librarian: Librarian) -> Path:
    return librarian.vault.parent / "data" / "manifest.md"


def edit(page: Path, before: str, after: str) -> None:
    text = page.read_text("utf-8")
    assert before in text
    page.write_text(text.replace(before, after), "utf-8")


def bullet(id: str, text: str) -> str:
    return f"- {text} [node_{id[-8:]}]\n"


def test_it_lists_what_is_remembered(librarian: Librarian, ids: list[str], page: Path) -> None:
    said = page.read_text("utf-8")
    assert all(bullet(id, text) in said for id, text in zip(ids, TEXTS, strict=True))
    more = librarian.remember("Something new.")
    assert reload(librarian)["changes_detected"] == []
    assert bullet(more, "Something new.") in page.read_text("utf-8")


def test_a_bullet_that_is_gone_is_previewed_and_then_forgotten(
    librarian: Librarian, ids: list[str], page: Path
) -> None:
    edit(page, bullet(ids[0], TEXTS[0]), "")
    first = reload(librarian)
    assert (first["preview"], first["applied"]) == (True, [])
    assert first["changes_detected"] == [
        {"action": "delete", "target_concepts": [TEXTS[0]], "resolved_node_ids": [ids[0]]}
    ]
    assert librarian.found("chess") == [ids[0]]
    done = reload(librarian)
    assert done["preview"] is False
    assert librarian.found("chess") == []
    librarian.call("restore_from_hash", reversal_hash=done["applied"][0]["reversal_hash"])
    assert librarian.found("chess") == [ids[0]]


def test_what_was_stored_since_is_not_taken_for_removed(librarian: Librarian, ids: list[str], page: Path) -> None:
    more = librarian.remember("Something new.")
    edit(page, bullet(ids[0], TEXTS[0]), "")
    changes = reload(librarian, preview=False)["applied"]
    assert [change["resolved_node_ids"] for change in changes] == [[ids[0]]]
    assert librarian.found("something new") == [more]


def test_merges_and_notes_are_carried_out_and_struck_out(librarian: Librarian, ids: list[str], page: Path) -> None:
    edit(page, "## Pending Actions\n", f"## Pending Actions\n- [MERGE: [node_{ids[1][-8:]}], [node_{ids[2][-8:]}]]\n")
    edit(page, "## Notes\n", f"## Notes\nMine.\n[NOTE: node_{ids[3][-8:]}] they are cold\n[NOTE: nobody] lost\n")
    edit(page, f"[NOTE: node_{ids[3][-8:]}]", f"[NOTE: [node_{ids[3][-8:]}]]")
    done = reload(librarian, preview=False)
    assert [change["action"] for change in done["applied"]] == ["merge", "annotate"]
    assert done["unresolved"] == ["nobody"]
    assert [change["target_concepts"] for change in done["skipped"]] == [["nobody"]]
    assert len(librarian.found("prices Paris")) == 1
    said = page.read_text("utf-8")
    assert "Mine." in said
    assert "they are cold" not in said
    assert "[NOTE: nobody] lost" in said
    assert "\n- [MERGE" not in said


def test_more_than_a_fifth_needs_to_be_confirmed(librarian: Librarian, ids: list[str], page: Path) -> None:
    edit(page, bullet(ids[0], TEXTS[0]), "")
    edit(page, bullet(ids[1], TEXTS[1]), "")
    error = librarian.error("reload_manifest", preview=False)
    assert error["data"]["name"] == "CONFIRMATION_REQUIRED"
    assert (error["data"]["removals"], error["data"]["concepts"]) == (2, 6)
    assert librarian.found("chess") == [ids[0]]
    assert len(reload(librarian, preview=False, confirm=True)["applied"]) == 2


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_who_can_be_asked_is_asked(librarian: Librarian, ids: list[str], page: Path, answer: bool) -> None:
    edit(page, bullet(ids[0], TEXTS[0]), "")
    question = "Apply the edits of the manifest? Forget 1 of 6 concepts, merge 0 times, add 0 notes."
    response = Response("accepted", {"confirm": answer})
    librarian.conversation = Dialogue(frozenset({"person"}), {key_of(confirmation(question)): response})
    assert bool(reload(librarian)["applied"]) is answer
    assert bool(reload(librarian, preview=False)["applied"]) is False


def test_no_other_file_is_read_or_written(librarian: Librarian, tmp_path: Path, page: Path) -> None:
    librarian.remember("Ada likes chess.")
    outside = tmp_path / "secret.md"
    outside.write_text("## Notes\n[NOTE: x] y\n")
    for path in (str(outside), "../secret.md", "/etc/passwd", "~/manifest.md", "memotheca.db", str(tmp_path)):
        assert librarian.error("reload_manifest", path=path)["code"] == -32002
    page.symlink_to(outside)
    assert librarian.error("reload_manifest")["code"] == -32002
    assert outside.read_text() == "## Notes\n[NOTE: x] y\n"
    page.unlink()
    assert reload(librarian, path="~/.context-graph/manifest.md")["concepts"] == 1
    assert reload(librarian, path=str(page))["concepts"] == 1


def test_what_is_deleted_for_good_leaves_the_page_too(librarian: Librarian, page: Path) -> None:
    id = librarian.remember("Ada likes xyzzymarker.")
    reload(librarian)
    assert "xyzzymarker" in page.read_text("utf-8")
    said = {"node_id": id, "soft_delete": False, "reason": "user_requested", "rationale": "She asked for it."}
    librarian.call("forget_concept", **said)
    assert librarian.held("xyzzymarker") == []

"""A secret is kept nowhere, whatever it is said in: no parameter of a tool that writes leads past the scrubbing."""

from typing import Any

import pytest

from memotheca.memory.session.state import activity_of
from tests.memories.librarian import WHY, Librarian

SECRET = "hunter2!xyzzy"
TOLD = f"The password: {SECRET} opens it."
MERGE = {"source_node_ids": ["tea", "cup"], "target_name": "Both", "rationale": WHY, "merge_strategy": "concatenate"}
STORE = {"content": "Tea is hot.", "rationale": WHY}
CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("store_memory", STORE, {"content": TOLD}),
    ("store_memory", {"rationale": WHY}, {"data_uri": f"data:,{TOLD.replace(' ', '%20')}"}),
    ("store_memory", STORE, {"rationale": TOLD}),
    ("store_memory", STORE, {"name": TOLD}),
    ("store_memory", STORE, {"tags": [TOLD]}),
    ("store_memory", STORE, {"metadata": {"note": TOLD}}),
    ("store_memory", STORE, {"metadata": {"password": SECRET}}),
    ("store_memory", STORE, {"metadata": {"deep": [{"login": {"password": SECRET}}]}}),
    ("merge_concepts", MERGE, {"target_name": TOLD}),
    ("merge_concepts", MERGE, {"rationale": TOLD}),
    ("forget_concept", {"node_id": "tea", "reason": "obsolete", "rationale": WHY}, {"rationale": TOLD}),
    ("boost_importance", {"node_id": "tea", "delta": 0.1, "rationale": WHY}, {"rationale": TOLD}),
    ("annotate_node", {"node_id": "tea"}, {"annotations": {"notes": TOLD}}),
    ("annotate_node", {"node_id": "tea"}, {"annotations": {"tags": [TOLD], "related_concepts": [TOLD]}}),
]


@pytest.mark.parametrize(("tool", "said", "secret"), CALLS, ids=lambda value: value if isinstance(value, str) else "")
def test_it_is_in_no_file_and_in_no_answer(
    librarian: Librarian, tool: str, said: dict[str, Any], secret: dict[str, Any]
) -> None:
    librarian.remember("Ada takes her tea black.", name="tea")
    librarian.remember("The cup is blue.", name="cup")
    reply = librarian.reply(tool, **{**said, **secret})
    assert not reply.failed
    assert SECRET not in str(reply.structured)
    activity_of(librarian.kernel).flush(librarian.kernel.store)
    assert librarian.held(SECRET) == []
    if tool == "store_memory":
        assert reply.structured is not None
        assert reply.structured["redactions"] == [{"type": "password", "count": 1}]


def test_what_is_no_secret_stays(librarian: Librarian) -> None:
    metadata = {"source": "lunch", "pages": [1, 2], "deep": {"who": "Ada", "sure": True, "none": None}}
    id = librarian.remember("Tea is hot.", tags=["drinks"], metadata=metadata)
    with librarian.kernel.read() as snapshot:
        entry = snapshot.entry(id)
    assert entry is not None
    assert (entry.attributes["metadata"], entry.tags) == (metadata, ("drinks",))

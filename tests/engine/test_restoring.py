"""What was forgotten or merged comes back exactly: content, vectors, edges and importance."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memotheca import settings as options
from memotheca.app import App, build
from memotheca.memory.curation.annotate import Annotation, annotate
from memotheca.memory.curation.boost import boost
from memotheca.memory.curation.merge import MergeRequest, forget, merge, sources_of
from memotheca.memory.curation.remember import NewMemory, store_memory
from memotheca.memory.curation.restore import restore
from memotheca.memory.curation.tombstones import list_tombstones
from memotheca.model.clock import DAY, SECOND
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.vectors.embedders import DEFAULT
from tests.conftest import Time

TEXTS = (
    "The cache went stale because the clock was wrong.",
    "A stale cache leads to wrong prices.",
    "Ada takes her tea black.",
    "Bob reviews every change on Monday.",
    "The nightly job holds the migration lock.",
)


DEEDS = st.tuples(st.sampled_from(["forget", "merge"]), st.integers(0, 4), st.integers(0, 4))


def open_app(folder: Path, time: Time, embedder: str = "none") -> App:
    app = build(options.load({"data": str(folder), "toolsets": "all"}, {}), clock=time)
    choose_embedder(app.kernel.store, app.kernel.collection, embedder)
    return app


def remember(app: App, content: str, *links: str) -> str:
    draft = NewMemory(content=content, rationale="Worth keeping for later.", metadata={}, link_to=links)
    return store_memory(app.kernel, draft, actor="tester").version.id


def seen(app: App, *ids: str) -> list[Entry]:
    with app.kernel.read() as snapshot:
        return sources_of(snapshot, ids)


def picture(app: App) -> dict[str, Any]:
    """Everything that lives, with what is derived from it."""
    with app.kernel.read() as snapshot:
        session = snapshot.session
        entries = {version.id: version.thing for version in snapshot.entries(("memory",))}
        edges = {edge.id: edge for id in entries for edge in snapshot.edges_of(id)}
        prints = dict(
            session.rows("SELECT entry_id, value FROM fingerprint WHERE collection = 'default' AND value IS NOT NULL")
        )
        vectors = session.rows(
            "SELECT c.entry_id, c.start, v.model, v.value FROM chunk c JOIN vector v ON v.collection = c.collection "
            "AND v.chunk_seq = c.seq WHERE c.died_tx IS NULL ORDER BY c.entry_id, c.start, v.seq"
        )
    return {"entries": entries, "edges": edges, "prints": prints, "vectors": vectors}


@settings(max_examples=10, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    st.lists(st.tuples(st.sampled_from(["forget", "merge"]), st.integers(0, 4), st.integers(0, 4)), max_size=6),
    st.randoms(),
)
def test_after_everything_is_restored_in_any_order_nothing_has_changed(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, int, int]], random: Any
) -> None:
    app = open_app(tmp_path_factory.mktemp("data"), Time())
    ids = [remember(app, TEXTS[0])]
    for text in TEXTS[1:]:
        ids.append(remember(app, text, ids[-1], ids[0]))
    before = picture(app)
    hashes: list[str] = []
    for deed, one, other in deeds:
        if one == other or not {ids[one], ids[other]} <= picture(app)["entries"].keys():
            continue
        if deed == "forget":
            hashes.append(forget(app.kernel, ids[one], reason="obsolete", rationale="old", actor="t").reversal_hash)
        else:
            asked = MergeRequest(
                sources=seen(app, ids[one], ids[other]),
                name="both",
                content="merged",
                rationale="They say the same.",
                force=True,
            )
            merged = merge(app.kernel, asked, actor="t")
            hashes.append(merged.reversal_hash)
            ids[one] = merged.version.id
    random.shuffle(hashes)
    for each in hashes:
        restore(app.kernel, each, actor="t")
        assert restore(app.kernel, each, actor="t").was_restored
    assert picture(app) == before
    app.kernel.store.close()


def test_vectors_and_importance_come_back_as_they_were(tmp_path: Path, time: Time) -> None:
    app = open_app(tmp_path / "data", time, DEFAULT)
    one, other = remember(app, TEXTS[0]), remember(app, TEXTS[1])
    boost(app.kernel, one, 0.3, "It matters a lot.", actor="t")
    before = picture(app)
    assert before["vectors"]
    gone = forget(app.kernel, one, reason="obsolete", rationale="old", actor="t")
    assert picture(app) != before
    restore(app.kernel, gone.reversal_hash, actor="t")
    assert picture(app) == before
    asked = MergeRequest(sources=seen(app, one, other), name="x", content="One text.", rationale="the same thing")
    merged = merge(app.kernel, asked, actor="t")
    restore(app.kernel, merged.reversal_hash, actor="t")
    assert picture(app) == before
    app.kernel.store.close()


def test_annotating_leaves_vectors_and_fingerprint_alone(tmp_path: Path, time: Time) -> None:
    app = open_app(tmp_path / "data", time, DEFAULT)
    one = remember(app, TEXTS[0])
    before = picture(app)
    said = Annotation(tags=("ops",), domain="Code", confidence=0.4, notes="seen")
    annotate(app.kernel, one, said, actor="t")
    after = picture(app)
    assert (after["vectors"], after["prints"]) == (before["vectors"], before["prints"])
    assert after["entries"][one].tags == ("ops",)
    app.kernel.store.close()


def test_after_thirty_days_nothing_comes_back(tmp_path: Path, time: Time) -> None:
    app = open_app(tmp_path / "data", time)
    gone = forget(app.kernel, remember(app, TEXTS[0]), reason="obsolete", rationale="old", actor="t")
    with app.kernel.read() as snapshot:
        assert [stone.reversal_hash for stone in list_tombstones(snapshot, time())] == [gone.reversal_hash]
    time.advance(30 * DAY // SECOND)
    with pytest.raises(Refusal) as refused:
        restore(app.kernel, gone.reversal_hash, actor="t")
    assert refused.value.failure is Failure.EXPIRED
    with app.kernel.read() as snapshot:
        assert not list_tombstones(snapshot, time())
    app.kernel.store.close()


def test_an_edge_made_after_a_merging_goes_on_at_the_source_it_is_most_like(tmp_path: Path, time: Time) -> None:
    app = open_app(tmp_path / "data", time)
    one, other = remember(app, TEXTS[0]), remember(app, TEXTS[2])
    asked = MergeRequest(sources=seen(app, one, other), name="x", content="Both.", rationale="the same thing")
    merged = merge(app.kernel, asked, actor="t")
    late = remember(app, "Tea is black when Ada takes it.", merged.version.id)
    restored = restore(app.kernel, merged.reversal_hash, actor="t")
    assert restored.rewired
    with app.kernel.read() as snapshot:
        assert other in {edge.target for edge in snapshot.edges_from(late)}
    app.kernel.store.close()

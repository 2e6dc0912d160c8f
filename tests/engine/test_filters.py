"""Filters are applied inside the search: right where they leave almost nothing, and where they leave almost all."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memotheca.admin.corpus import import_corpus
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import SECOND, to_iso
from memotheca.search.chosen_embedder import embedder_of
from memotheca.search.index.score import EXACT_BELOW, RESCORED
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction
from tests.engine.desk import BEGAN, Desk, brute_force

MANY = 300
FAKE = "openai:fake@http://nowhere"


@pytest.fixture(scope="module", params=["none", FAKE])
def desk(database, request, tmp_path_factory):
    """Three hundred entries, one in a hundred of which is rare in every way; half of them sealed."""
    desk = Desk(tmp_path_factory.mktemp("data"), request.param)
    rng = random.Random(7)
    for number in range(MANY):
        rare = number % 100 == 50
        more: dict[str, Any] = {"seconds_to_live": 1} if rare else {}
        desk.put(
            " ".join(["tea", *rng.choices(["river", "error", "rate", "stone"], k=6)]),
            tags=["rare" if rare else "common", "all"],
            knowledge_type="evidence" if rare else "hypothesis",
            source="somewhere",
            valid_from=to_iso(BEGAN - (3 if rare else 1) * 86400 * SECOND),
            **more,
        )
        if number == MANY // 2:
            desk.seal()
    yield desk
    desk.close()


def expected(desk: Desk, text: str, keep) -> list[tuple[str, float]]:
    """Scores over everything, then only what passes; the best hundred, ties by their order."""
    passing = {entry.id for entry in desk.entries() if keep(entry)}
    kept = [(id, value) for (id, _), value in brute_force(text, desk.entries()).items() if id in passing]
    return sorted(kept, key=lambda each: (-round(each[1], 5), each[0]))[:100]


FILTERS = [
    ({"tags": ("rare",)}, lambda entry: "rare" in entry.tags),
    ({"tags": ("common",)}, lambda entry: "common" in entry.tags),
    ({"tags": ("all", "RARE")}, lambda entry: "rare" in entry.tags),
    ({"knowledge_type": "evidence"}, lambda entry: "rare" in entry.tags),
    ({"knowledge_type": "hypothesis"}, lambda entry: "common" in entry.tags),
    ({"kinds": ("entity",)}, lambda entry: False),
    ({"kinds": ("entry", "entity")}, lambda entry: True),
    ({"as_of": to_iso(BEGAN - 2 * 86400 * SECOND)}, lambda entry: "rare" in entry.tags),
    ({"as_of": to_iso(BEGAN)}, lambda entry: True),
    ({"as_of": to_iso(BEGAN - 9 * 86400 * SECOND)}, lambda entry: False),
]


@pytest.mark.parametrize(("said", "keep"), FILTERS, ids=[str(said) for said, _ in FILTERS])
def test_a_filter_leaves_just_what_passes_with_the_scores_of_the_whole(desk, monkeypatch, said, keep):
    monkeypatch.setattr(desk.store, "clock", lambda: BEGAN)  # Nothing has expired yet.
    for text in ("tea", "river error", "stone rate river"):
        hits = desk.ask(text, **said, limit=1000).hits
        found = {hit.version.id: hit.lexical for hit in hits}
        wanted = expected(desk, text, keep)
        best = wanted[0][1] if wanted else 1.0
        assert {id: found.get(id) for id, _ in wanted} == pytest.approx({id: value / best for id, value in wanted})
        assert {entry.id for entry in desk.entries() if keep(entry)} >= set(found)


def test_what_has_expired_is_not_found_though_nothing_was_written(desk, monkeypatch):
    rare = {entry.id for entry in desk.entries() if "rare" in entry.tags}
    monkeypatch.setattr(desk.store, "clock", lambda: BEGAN)
    assert set(desk.ids("tea", tags=("rare",))) == rare
    monkeypatch.setattr(desk.store, "clock", lambda: BEGAN + 10**6 * SECOND)
    assert desk.ids("tea", tags=("rare",)) == []
    assert len(desk.ids("tea", tags=("common",), limit=1000)) >= 100


def put_many(kernel: Kernel, count: int) -> None:
    rng = random.Random(3)
    lines = [{"_id": str(n), "text": " ".join(f"w{rng.randrange(400)}" for _ in range(4))} for n in range(count)]
    import_corpus(kernel, lines, actor="test", report=lambda done, total, message: None)


def tag(transaction: Transaction, handles: list[str]) -> None:
    for handle in handles:
        id = transaction.find_alias("handle", handle)
        entry = transaction.entry(id or "")
        assert entry is not None
        transaction.put(replace(entry, tags=("chosen",)), LATER)


@pytest.mark.only_sqlite(reason="minutes; what is looked at is the index, which is alike")
def test_few_allowed_among_many_are_ranked_by_their_exact_cosines(tmp_path):
    """The best thousand by sign bits would not hold them: the filter has to come first."""
    desk = Desk(tmp_path, FAKE)
    put_many(desk.kernel, EXACT_BELOW + RESCORED)
    desk.kernel.write(lambda transaction: tag(transaction, [str(n) for n in range(0, 3000, 150)]), actor="test")
    desk.embed()
    desk.seal()
    with desk.kernel.read() as snapshot:
        fake = embedder_of(desk.kernel, snapshot.session)
    assert fake is not None
    question = "w1 w2 w3 unseen"
    vector = fake.embed_question(question)
    entries = [entry for entry in desk.entries() if entry.tags]
    cosines = {
        entry.id: float(fake.embed_question(f"{entry.title} {entry.body}").astype(np.float16) @ vector)
        for entry in entries
    }
    page = desk.ask(question, tags=("chosen",))
    assert {hit.version.id: hit.cosine for hit in page.hits} == pytest.approx(
        {id: cosines[id] for id in (hit.version.id for hit in page.hits)}, abs=2e-3
    )
    near = {id for id, cosine in cosines.items() if cosine >= 0.31}
    assert near <= {hit.version.id for hit in page.hits}
    wide = desk.ask("w7 w8", limit=1000).hits
    nearest = max(
        desk.entries(), key=lambda entry: float(fake.embed_question(f" {entry.body}") @ fake.embed_question("w7 w8"))
    )
    assert nearest.id in [hit.version.id for hit in wide[:5]]
    desk.close()

"""Any filter, or several at once: what is found is what passes, be it one in a hundred or all but one."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.entries.entries import blank_entry
from memotheca.model.clock import SECOND, to_iso
from memotheca.model.errors import Refusal
from memotheca.model.kinds import CONVERSATION, DOCUMENT, SECTION
from memotheca.model.kinds import KINDS as ALL_KINDS
from memotheca.model.knowledge import Entry, Validity
from memotheca.search.filters import FILTERED_ATTRIBUTES
from memotheca.search.prepared import LATER
from memotheca.search.search import Question, find_entries
from memotheca.storage.store import Transaction
from tests.engine.desk import BEGAN, Desk

MANY = 200
DAY = 86400 * SECOND
# A document has a shape of its own, and its sections are found by it; a conversation is found by its turns.
KINDS = tuple(kind for kind in ALL_KINDS if kind not in (DOCUMENT, SECTION, CONVERSATION))
FAKE = "openai:fake@http://nowhere"


def put_all(transaction: Transaction) -> None:
    transaction.describe("IMPORT")
    rng = random.Random(11)
    for number in range(MANY):
        when = BEGAN + number * DAY
        entry = blank_entry(transaction, f"note {number}", " ".join(["tea", *rng.choices(["river", "stone"], k=3)]))
        transaction.put(
            replace(
                entry,
                kind=KINDS[number % len(KINDS)],
                tags=("all", f"every{number % 2}", *(["one"] if number == 50 else ["others"])),
                attributes={
                    "importance": number / MANY,
                    **{name: f"{name}{number % 3}" for name in FILTERED_ATTRIBUTES},
                },
                validity=Validity(when, when + 50 * DAY),
                created_at=when,
                updated_at=when + 5 * DAY,
            ),
            LATER,
        )


@pytest.fixture(scope="module", params=["none", FAKE])
def desk(database, request, tmp_path_factory):
    desk = Desk(tmp_path_factory.mktemp("data"), request.param)
    desk.kernel.write(put_all, actor="test")
    desk.embed()
    desk.seal()
    yield desk
    desk.close()


Filtering = tuple[dict[str, Any], Callable[[Entry], bool]]
days = st.integers(-1, MANY).map(lambda day: BEGAN + day * DAY)


def bounded(name: str, column: str, *, after: bool) -> st.SearchStrategy[Filtering]:
    def make(when: int) -> Filtering:
        def keep(entry: Entry) -> bool:
            moment = getattr(entry, column)
            return moment >= when if after else moment <= when

        return {name: to_iso(when)}, keep

    return days.map(make)


def tagged(tag: str) -> Filtering:
    return {"tags": (tag,)}, lambda entry: tag in entry.tags


def important(least: float) -> Filtering:
    return {"least_importance": least}, lambda entry: entry.attributes["importance"] >= least


def attributed(name: str, value: str) -> Filtering:
    return {"attributes": ((name, value),)}, lambda entry: entry.attributes[name] == value


def of_kinds(kinds: tuple[str, ...]) -> Filtering:
    return {"kinds": kinds}, lambda entry: entry.kind in kinds


def valid(when: int) -> Filtering:
    return {"as_of": to_iso(when)}, lambda entry: entry.validity.covers(when)


one_filter = st.one_of(
    st.sampled_from(["one", "others", "every0", "every1", "all", "nobody"]).map(tagged),
    st.floats(0, 1).map(important),
    st.sampled_from(FILTERED_ATTRIBUTES).flatmap(
        lambda name: st.integers(0, 3).map(lambda n: attributed(name, f"{name}{n}"))
    ),
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=7, unique=True).map(lambda found: of_kinds(tuple(found))),
    days.map(valid),
    bounded("created_after", "created_at", after=True),
    bounded("created_before", "created_at", after=False),
    bounded("updated_after", "updated_at", after=True),
    bounded("updated_before", "updated_at", after=False),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(one_filter, min_size=1, max_size=3), st.sampled_from([None, "tea", "river stone tea"]))
def test_filters_leave_just_what_passes_all_of_them(desk, filters, content):
    said: dict[str, Any] = {"kinds": KINDS}
    keeping: dict[str, Callable[[Entry], bool]] = {}
    for more, keep in filters:
        said |= more
        keeping |= dict.fromkeys(more, keep)
    page = find_entries(desk.kernel, Question(content=content, **said), limit=MANY)
    wanted = {entry.id for entry in desk.entries() if all(keep(entry) for keep in keeping.values())}
    found = [hit.version.id for hit in page.hits]
    assert len(found) == len(set(found))
    # With words, the best hundred by each voice are candidates; every text here has one of the words.
    if content is None or len(wanted) <= 100:
        assert set(found) == wanted
    else:
        assert set(found) <= wanted
        assert len(found) >= 100


def test_what_cannot_be_filtered_by_is_refused_rather_than_found_nowhere(desk):
    with pytest.raises(Refusal, match="colour"):
        desk.ask("tea", attributes=(("colour", "red"),))
    with pytest.raises(Refusal):
        desk.ask("tea", created_after="yesterday")

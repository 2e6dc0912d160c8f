"""Thirteen notions of nearness: each sees its own kind of likeness, from the entry's own text and time alone."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memotheca.memory.spaces import all_spaces, hyperdimensional
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.causal import clauses
from memotheca.memory.spaces.expansion import Associations
from memotheca.memory.spaces.fingerprint import pack, represent, unpack, words_of, words_of_all
from memotheca.memory.spaces.graph_walk import walk
from memotheca.memory.spaces.space import Array, Hung, Members, Space
from memotheca.memory.spaces.space_table import COUNT, IDS
from memotheca.memory.spaces.sparse import Columns, count, count_words
from memotheca.model.clock import DAY, HOUR
from memotheca.model.knowledge import Entry, fold
from memotheca.text.caches import LruCache
from memotheca.text.names_in_text import find
from memotheca.text.terms import number_of
from memotheca.text.words import UNSPACED, identifiers, words

BEGAN = 1_770_000_000_000_000


def entry(text: str, moment: int = BEGAN, **attributes: object) -> Entry:
    return Entry(
        id=text[:30], kind="memory", title="", body=text, attributes=attributes, created_at=moment, updated_at=moment
    )


def hung(text: str, moment: int = BEGAN, joined: dict[str, list[str]] | None = None, **attributes: object) -> Hung:
    made = entry(text, moment, **attributes)
    return Hung(id=made.id, print=represent(made), words=words_of(made), walk=walk(made.id, joined or {}))


def prefers(space: str, probe: Hung, near: Hung, far: Hung) -> bool:
    values = Gallery([near, far]).nearness(IDS.index(space), probe)
    return bool(values[0] > values[1])


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=400), st.integers(0, 2**60))
def test_a_fingerprint_survives_being_packed(text: str, moment: int) -> None:
    packed = pack(represent(entry(text, moment)))
    assert pack(unpack(packed)) == packed


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=8), max_size=3))
def test_annotations_do_not_change_a_fingerprint(text: str, tags: list[str]) -> None:
    plain = entry(text)
    annotated = entry(text, importance=0.9, domain="Code", annotations={"notes": "new"})
    assert pack(represent(plain)) == pack(represent(annotated))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=120), min_size=1, max_size=6))
def test_nearness_lies_between_nothing_and_one_in_every_space(texts: list[str]) -> None:
    gallery = Gallery([hung(text, BEGAN + place * HOUR) for place, text in enumerate(texts)])
    for space in range(COUNT):
        values = gallery.matrix(space)
        assert values.shape == (len(texts), len(texts))
        assert np.all((values >= 0) & (values <= 1 + 1e-6))


def test_like_things_are_near_in_the_space_that_sees_the_likeness() -> None:
    cause = hung("The cache went stale because the clock of the host was wrong.")
    assert prefers("E2", hung("a"), hung("b", BEGAN + HOUR), hung("c", BEGAN + 90 * DAY))
    assert prefers("E3", hung("a"), hung("b", BEGAN + 7 * DAY), hung("c", BEGAN + 7 * DAY + 12 * HOUR))
    assert prefers("E5", cause, hung("A stale cache leads to wrong prices."), hung("Prices are printed in blue."))
    assert prefers("E6", hung("green tea leaves"), hung("leaves of green tea"), hung("black coffee beans"))
    assert prefers("E7", hung("call getUserName()"), hung("get_user_name fails"), hung("the name of a user"))
    assert prefers("E9", hung("authentification"), hung("authentication"), hung("orthogonality"))
    assert prefers("E10", hung("Who owns this?"), hung("Where is it?"), hung("It is there."))
    assert prefers("E11", hung("We met Ada Lovelace"), hung("Today Ada Lovelace wrote"), hung("We met nobody"))
    assert prefers("E12", hung("deploys nightly"), hung("nightly deploy"), hung("morning review"))


def test_order_holds_within_a_session_only() -> None:
    probe = hung("a", session_id="one", session_position=3)
    near = hung("b", session_id="one", session_position=4)
    assert prefers("E4", probe, near, hung("c", session_id="one", session_position=30))
    assert prefers("E4", probe, near, hung("d", session_id="two", session_position=4))


def test_those_with_common_neighbours_are_near_in_the_graph() -> None:
    joined = {"a": ["hub"], "b": ["hub"], "c": ["other"], "hub": ["a", "b"], "other": ["c"]}
    assert prefers("E8", hung("a", joined=joined), hung("b", joined=joined), hung("c", joined=joined))


def test_words_that_keep_company_bring_texts_together() -> None:
    company = [
        "kafka broker lag",
        "kafka broker restart",
        "kafka broker disk",
        "tea and milk",
        "milk and sugar",
        "rain",
    ]
    gallery = Gallery([hung(text) for text in company])
    expanded = gallery.nearness(IDS.index("E13"), hung("broker"))
    assert expanded[0] > gallery.nearness(IDS.index("E6"), hung("broker"))[0]
    assert expanded[3] == 0


@pytest.mark.parametrize(
    ("sentence", "cause", "effect"),
    [
        ("Writes fail because the disk is full.", "the disk is full", "Writes fail"),
        ("A full disk causes failed writes.", "A full disk", "failed writes"),
        ("Since the disk is full, writes fail.", "the disk is full", "writes fail"),
        ("Load rose, so we scaled up.", "Load rose", "we scaled up"),
        ("Wrong prices resulted from a stale cache.", "a stale cache", "Wrong prices"),
    ],
)
def test_a_sentence_says_what_brings_about_what(sentence: str, cause: str, effect: str) -> None:
    assert clauses(sentence) == [(cause, effect)]


def test_names_are_found_and_openings_are_not() -> None:
    assert find("Ada takes tea. Deploy the service to Kubernetes.") == ["Ada", "Kubernetes"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(alphabet="abc ?.", max_size=60), min_size=2, max_size=5, unique=True))
def test_two_entries_are_as_near_by_themselves_as_among_the_others(texts: list[str]) -> None:
    joined = {text[:30]: [texts[0][:30]] for text in texts}
    members = [hung(text, BEGAN + place * HOUR, joined) for place, text in enumerate(texts)]
    gallery = Gallery(members)
    pairs = list(permutations(range(len(members)), 2))
    for space, values in enumerate(gallery.between(*([members[pair[end]] for pair in pairs] for end in (0, 1)))):
        matrix = gallery.matrix(space)
        assert values.tolist() == pytest.approx([float(matrix[pair]) for pair in pairs], abs=1e-4), IDS[space]


def test_pairs_are_as_near_together_as_each_alone() -> None:
    texts = ["red wine and black coffee", "black coffee beans", "", "the wine is red, the coffee black"]
    members = [hung(text, BEGAN + place * HOUR) for place, text in enumerate(texts)]
    gallery = Gallery(members)
    pairs = [(members[one], members[other]) for one in range(4) for other in range(4)] * 2
    at_once = gallery.between([one for one, _ in pairs], [other for _, other in pairs])
    alone = np.concatenate([gallery.between([one], [other]) for one, other in pairs], axis=1)
    assert at_once.ravel().tolist() == pytest.approx(alone.ravel().tolist())


SPOKEN = st.text(alphabet="abc ABC_-.\u00e4\u00df\u6f22\u5b57the1", max_size=300)


@settings(max_examples=60, deadline=None)
@given(st.lists(SPOKEN, max_size=6), st.integers(1, 5))
def test_many_texts_counted_at_once_are_counted_as_each_alone(texts: list[str], limit: int) -> None:
    for counted, text in zip(count_words(texts, limit), texts, strict=True):
        alone = count("w", words(text), limit)
        assert (counted.numbers.tolist(), counted.counts.tolist()) == (alone.numbers.tolist(), alone.counts.tolist())
        assert (counted.numbers.dtype, counted.counts.dtype) == (np.uint32, np.uint8)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="abcdefgh ", max_size=40), min_size=1, max_size=12))
def test_members_expanded_at_once_are_expanded_as_each_alone(texts: list[str]) -> None:
    counted = count_words(texts)
    associations = Associations(Columns(counted))
    numbers, rows, weights = associations.expand_members()
    assert np.all(np.diff(numbers.astype(np.int64)) >= 0)
    for row, member in enumerate(counted):
        alone, _, own = associations.expand_all([member])
        assert numbers[rows == row].tolist() == alone.tolist()
        assert weights[rows == row].tolist() == own.tolist()


def test_company_is_measured_by_mutual_information() -> None:
    texts = ["kafka broker lag", "kafka broker restart", "kafka disk", "tea milk", "milk sugar tea", "rain"]
    associations = Associations(Columns(count_words(texts)))
    place = {term: associations.terms.tolist().index(number_of("w", term) & 0xFFFFFFFF) for term in ("kafka", "broker")}
    met = math.log(2 / (3 * 2 / 6)) / -math.log(2 / 6)
    assert associations.associates[place["kafka"], 0] == place["broker"]
    assert associations.strengths[place["kafka"], 0] == pytest.approx(0.3 + 0.2 * met, rel=1e-5)
    assert np.count_nonzero(associations.strengths[place["kafka"]]) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_words_are_the_same_whether_or_not_they_were_met_lately(texts: list[str]) -> None:
    entries = [entry(text) for text in texts]
    for _ in range(2):
        for found, text in zip(words_of_all(entries), texts, strict=True):
            alone = count("w", words(text))
            assert (found.numbers.tolist(), found.counts.tolist()) == (alone.numbers.tolist(), alone.counts.tolist())


def test_no_more_is_kept_than_there_is_room_for() -> None:
    kept: LruCache[bytes, int] = LruCache(2)
    kept.put(b"a", 1)
    kept.put(b"b", 2)
    assert kept.get(b"a") == 1
    kept.put(b"c", 3)
    assert (kept.get(b"a"), kept.get(b"b"), kept.get(b"c")) == (1, None, 3)


def test_without_joins_nothing_is_near_in_the_graph() -> None:
    joined = {"a": ["hub"], "b": ["hub"], "hub": ["a", "b"]}
    gallery = Gallery([hung("a", joined=joined), hung("b", joined=joined)])
    assert gallery.nearness(IDS.index("E8"), hung("c")).tolist() == [0, 0]


def test_what_is_said_very_often_still_has_a_likeness() -> None:
    often, seldom = represent(entry("ab" * 70_000)), represent(entry("ab" * 70))
    assert often.parts["E9"] == seldom.parts["E9"]


# The rule in one pattern; on long texts it would take time out of proportion.
COMPOUNDS = re.compile(rf"[^\W{UNSPACED}]+(?:[._:/\\@#+-]+[^\W{UNSPACED}]+)+|[^\W_{UNSPACED}]+(?:_+[^\W_{UNSPACED}]+)+")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab1_-./:@#+ \t\n\u00e4\u6f22\u2003", max_size=60))
def test_compound_names_are_found_wherever_they_stand(text: str) -> None:
    assert identifiers(text) == COMPOUNDS.findall(fold(text))


@given(st.text(alphabet="abc \u00e4\u6f22", max_size=200), st.integers(1, 9))
def test_a_bit_is_set_where_most_grams_set_it(text: str, times: int) -> None:
    spaced = f" {' '.join(fold(text * times).split())} "
    counted = Counter(spaced[place : place + 3] for place in range(len(spaced) - 2))
    votes = np.zeros(hyperdimensional.BITS, np.int64)
    for gram, often in counted.most_common(hyperdimensional.GRAMS):
        bits = np.frombuffer(hyperdimensional._gram(gram).to_bytes(hyperdimensional.BYTES, "little"), np.uint8)
        votes += often * np.unpackbits(bits, bitorder="little")
    expected = np.packbits(votes * 2 > counted.total(), bitorder="little").tobytes()
    found = hyperdimensional.HyperdimensionalSpace.represent(text * times)
    assert len(counted) > hyperdimensional.GRAMS or found == expected


def test_stored_fingerprints_are_read_as_they_were_written() -> None:
    text = "Deploys fail because `get_user()` returned 404 for Ada. Who owns this?"
    packed = pack(represent(entry(text, session_id="one", session_position=3)))
    assert blake2b(packed, digest_size=8).hexdigest() == "59735bc24d12692e"


class LengthSpace(Space):
    """Nearness of texts that have as many words."""

    id, name, purpose, representation = "E14", "Length", "a test", "how many different words"

    def nearness(self, probes: Sequence[Hung]) -> Array:
        sizes = np.array([len(member.words.numbers) for member in self.members.hung])
        return np.array([1 / (1 + np.abs(sizes - len(probe.words.numbers))) for probe in probes])

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        return np.array(
            [self.__class__(Members([other])).nearness([one])[0, 0] for one, other in zip(ones, others, strict=True)]
        )


def test_a_space_that_is_listed_is_compared_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_spaces, "SPACES", (*all_spaces.SPACES, LengthSpace))
    gallery = Gallery([hung("green tea"), hung("black coffee beans")])
    assert gallery.nearness(COUNT, hung("red wine")).tolist() == [1, 0.5]
    between = gallery.between([hung("red wine")], [hung("black coffee beans")])
    assert (between.shape, between[COUNT].tolist()) == ((COUNT + 1, 1), [0.5])

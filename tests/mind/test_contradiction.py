"""Contradictions are found by what is said, and what only looks like one is left alone."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.memory.claims.contradiction import ParsedSentence, cannot_be_alike, contradict_texts
from memotheca.memory.claims.opposites import PREFIXES, denials, opposites_between
from memotheca.memory.claims.priors import Priors, assume, differing, similarity
from memotheca.memory.claims.quantities import without_quantities
from memotheca.memory.tuning.thresholds import PRIORS
from memotheca.model.knowledge import Entry
from memotheca.text.words import stem


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The pool has 8 lanes.", "The pool has 12 lanes.", "factual"),
        ("Erik lives in Malmo.", "Erik lives in Turku.", "factual"),
        ("The hearing is on 2026-02-01.", "The hearing is on 2026-03-01.", "factual"),
        ("The hearing is on 3 May 2026.", "The hearing is on May 4th, 2026.", "factual"),
        ("The rope is two metres long.", "The rope is 350 cm long.", "factual"),
        ("The talk starts at 3 pm.", "The talk starts at 16:30.", "factual"),
        ("The sale made $2 million.", "The sale made $3.5 million.", "factual"),
        ("The author is Dr. Chen.", "The author is Dr. Alvarez.", "factual"),
        ("Logging is enabled.", "Logging is disabled.", "logical"),
        ("The roof leaks.", "The roof does not leak.", "logical"),
        ("Heat causes cracks.", "Cracks cause heat.", "causal"),
        ("In 2010 the mayor was Ines.", "In 2020 the mayor was Jorge.", "temporal"),
    ],
)
def test_a_clash_is_found_with_its_kind_whichever_comes_first(one: str, other: str, kind: str) -> None:
    for clash in (contradict_texts(one, other), contradict_texts(other, one)):
        assert clash is not None
        assert clash.type == kind
        assert clash.score >= 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Erik lives in Malmo.", "Erik works in Turku."),
        ("Erik speaks Finnish.", "Erik speaks Danish."),
        ("Logging is enabled.", "Logging is not disabled."),
        ("The roof leaks.", "The cellar does not leak."),
        ("Room A has 8 seats.", "Room B has 12 seats."),
        ("Tea is warm.", "Tea is warm."),
        ("The hearing is on 2026-05-03.", "The hearing is in May 2026."),
        ("The rope is two metres long.", "The rope is 200 cm long."),
        ("The talk starts at 3 pm.", "The talk starts at 15:00."),
        ("The hike takes an hour and a half.", "The hike takes 90 minutes."),
        ("The left gate is open.", "The right gate is closed."),
        ("Omar likes olives.", "Petra does not like olives."),
        ("The plan was drawn by Dr. Chen.", "The plan was checked by Dr. Alvarez."),
    ],
)
def test_what_only_looks_like_a_clash_is_none(one: str, other: str) -> None:
    assert contradict_texts(one, other) is None


def memory(text: str, **attributes: object) -> Priors:
    return assume(Entry(id="", kind="memory", title="", body=text, attributes=attributes, created_at=0, updated_at=0))


def test_priors_are_those_of_domain_and_version_not_of_wording() -> None:
    plain = memory("Use the cache.", domain="Code", rationale="it is fast")
    worded = memory("Use the cache.", domain="Code", rationale="we measured it")
    assert similarity(plain, worded) >= PRIORS["priors"]
    assert similarity(plain, memory("Use the cache.", domain="Medical", rationale="it is fast")) < PRIORS["priors"]
    old, new = memory("In v1 it is on.", domain="Code"), memory("In v2 it is on.", domain="Code")
    assert similarity(old, new) < PRIORS["priors"]
    assert len(old.vector()) == 128


ASIDES = (
    "no longer|used to|never|doesn't|did not|since 17 March 2026|in 1998|at 10:30 pm|five million|two dozen|$30|40 %|"
    "12 kilometres|66 minutes|an hour and a half|previously|at first|these days|last year|as of May|20 Gbit/s|in v2.1|"
    "Millionen|two spectrophotometric|3 Communications|1,5 Millionen|before|the|of|and"
).split("|")
THINGS = "server lamp river Ada Oslo backups moved replaced nightly Körper 研究 café e-mail database_name".split()


@pytest.mark.parametrize("seed", range(300))
def test_the_quick_look_never_says_no_where_the_whole_look_says_yes(seed: int) -> None:
    chance = random.Random(seed)
    one, other = (
        ParsedSentence(" ".join(chance.choice((ASIDES, THINGS))[chance.randrange(14)] for _ in range(8)))
        for _ in range(2)
    )
    for said in (one, other):
        assert said.is_odd or (said.content <= said.stems and said.least <= len(said.content))
    shared = len(one.content & other.content)
    differing = len(one.content) + len(other.content) - 2 * shared - 4
    if cannot_be_alike(one, other):
        assert differing > 0
        assert shared < 0.6 * (shared + differing)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("two spectrophotometric bands", " spectrophotometric  bands"),
        ("five Millionen", " millionen "),
        ("5 millions", " "),
        ("3 communications", " communications "),
    ],
)
def test_a_word_beside_a_number_is_taken_whole_or_left(text: str, rest: str) -> None:
    assert without_quantities(text.lower()).split() == rest.split()


STEMS = [
    stem(word) for word in "stable complete regular legal agree sense elis ling fing code port on off open".split()
]


@given(st.lists(st.sampled_from(STEMS), max_size=5), st.lists(st.sampled_from(STEMS), max_size=5), st.data())
def test_opposites_are_those_of_looking_at_every_word(one: list[str], other: list[str], data: st.DataObject) -> None:
    """Also where a stem leaves nothing or next to nothing of the word behind a prefix."""
    other += [stem(data.draw(st.sampled_from(PREFIXES)) + word) for word in one]
    expected = {(word, denied) for word in one for denied in denials(word) & set(other)}
    expected |= {(denied, word) for word in other for denied in denials(word) & set(one)}
    assert opposites_between(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Ada lives in Paris.", "Ada lives in Oslo.", "the same is said to be Paris and Oslo"),
        ("Zoë lives in São Paulo.", "Zoë lives in Zürich.", "the same is said to be São Paulo and Zürich"),
        ("The latency increased.", "The latency decreased.", "increased and decreased exclude each other"),
    ],
)
def test_why_two_clash_is_said_in_the_words_they_are_written_in(one: str, other: str, why: str) -> None:
    found = contradict_texts(one, other)
    assert found is not None
    assert found.explanation == why


def test_it_is_told_in_which_assumptions_two_differ() -> None:
    def memory(body: str, **attributes: str) -> Entry:
        return Entry(id=body, kind="Memory", title="", body=body, attributes=attributes, created_at=1, updated_at=1)

    why = "Seen in the log of the night."
    one = assume(memory("Retries are three.", rationale=why, domain="Code"))
    assert differing(one, one) == []
    assert differing(one, assume(memory("Retries are three.", rationale=why))) == []
    assert differing(one, assume(memory("Retries are three.", rationale=why, domain="Legal"))) == ["domain"]
    assert differing(one, assume(memory("In staging retries are three.", rationale="Said so", domain="Code"))) == [
        "qualifier",
        "rationale",
    ]


def test_a_full_stop_inside_a_statement_does_not_tear_it_apart() -> None:
    found = contradict_texts("Meeting No. 5 is on Monday.", "Meeting No. 5 is on Tuesday.")
    assert found is not None
    assert found.one == "Meeting No. 5 is on Monday."


@pytest.mark.parametrize("mark", ["1.", "1)", "- 1."])
def test_the_number_of_an_item_is_no_part_of_what_it_says(mark: str) -> None:
    second = mark.replace("1", "2")
    assert contradict_texts(f"{mark} The tank holds 5 litres.", f"{second} The tank holds 5 litres.") is None

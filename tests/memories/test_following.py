"""What is counted once and then followed: it says what counting everything anew would say."""

import random

from hypothesis import given
from hypothesis import strategies as st

from memotheca.memory.care.homeostasis import read_ledger
from memotheca.memory.care.suspects import SuspectWatch
from memotheca.memory.graph.cancer import Examined
from memotheca.memory.standing.sample import SAMPLE, SampleWindow, checkpoint
from memotheca.model.kinds import MEMORY
from memotheca.search.census import take_census
from memotheca.storage.counts import count_heads
from memotheca.storage.lookups import read_standing
from tests.memories.librarian import Librarian

WHY = "Nobody needs it any more."


def check(librarian: Librarian) -> None:
    """Compare what was followed with what is there."""
    with librarian.kernel.read() as snapshot:
        census, counted = take_census(librarian.kernel, snapshot), count_heads(snapshot)
        assert +census.entries == +counted["entry"]
        assert +census.edges == +counted["edge"]
        ledger = read_ledger(librarian.kernel, snapshot)
        values = [0.5 if row[2] is None else float(row[2]) for row in read_standing(snapshot, (MEMORY,))]
        mean = sum(values) / len(values)
        assert ledger.count == len(values)
        assert ledger.mean is not None
        assert abs(ledger.mean - mean) < 1e-9
        assert ledger.variance is not None
        assert abs(ledger.variance - sum((value - mean) ** 2 for value in values) / len(values)) < 1e-8


def test_counts_follow_every_kind_of_change(librarian: Librarian) -> None:
    ids = [librarian.remember(f"Lamp {number} hangs in room {number * 7}.") for number in range(6)]
    check(librarian)
    librarian.link(ids[0], ids[1])
    librarian.call("boost_importance", node_id=ids[2], delta=0.3, rationale=WHY)
    check(librarian)
    gone = librarian.call("forget_concept", node_id=ids[1], reason="obsolete", rationale=WHY)
    check(librarian)
    librarian.call("restore_from_hash", reversal_hash=gone["reversal_hash"])
    check(librarian)
    librarian.call("merge_concepts", source_node_ids=ids[3:5], target_name="Two lamps", rationale=WHY, force_merge=True)
    check(librarian)


def test_counts_survive_an_erasure(librarian: Librarian) -> None:
    ids = [librarian.remember(f"Lamp {number} hangs in room {number * 7}.") for number in range(3)]
    check(librarian)
    librarian.call("forget_concept", node_id=ids[0], reason="user_requested", soft_delete=False, rationale=WHY)
    check(librarian)


def suspects(librarian: Librarian, projection: SuspectWatch) -> list[tuple[str, Examined]]:
    with librarian.kernel.read() as snapshot:
        return projection.find(snapshot, read_ledger(librarian.kernel, snapshot).important, 20)


def test_suspects_that_are_followed_are_those_that_looking_anew_would_find(librarian: Librarian) -> None:
    chance, followed, seen = random.Random(11), SuspectWatch(), set[int]()
    hubs = [librarian.remember(f"Hub {number} of the network.", importance=0.95) for number in range(3)]
    others = [librarian.remember(f"Lamp {number} hangs in room {number * 7}.") for number in range(14)]
    gone: list[str] = []
    for _ in range(60):
        turn = chance.random()
        if turn < 0.45:
            librarian.link(chance.choice(hubs), chance.choice(others), "semantic")
        elif turn < 0.65:
            one, other = chance.sample(others, 2)
            librarian.link(one, other, "semantic")
        elif turn < 0.75 and len(others) > 4:
            forgotten = others.pop(chance.randrange(len(others)))
            told = librarian.call("forget_concept", node_id=forgotten, reason="obsolete", rationale=WHY)
            gone.append(told["reversal_hash"])
        elif turn < 0.85 and gone:
            told = librarian.call("restore_from_hash", reversal_hash=gone.pop())
            others += [each["id"] if isinstance(each, dict) else each for each in told["restored_nodes"]]
        elif turn < 0.95:
            librarian.call("boost_importance", node_id=chance.choice(hubs), delta=-0.04, rationale=WHY)
        else:
            librarian.call(
                "annotate_node", node_id=chance.choice(hubs), annotations={"domain": chance.choice(("Code", "Legal"))}
            )
        found = suspects(librarian, followed)
        assert found == suspects(librarian, SuspectWatch())
        seen.add(len(found))
    assert len(seen) > 1


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=150), st.booleans())
def test_the_sample_is_the_one_that_drawing_anew_would_give(changes: list[tuple[int, bool]], at_once: bool) -> None:
    chance = random.Random(7)
    names = [f"{number:08d}-{chance.getrandbits(48):012x}" for number in range(61)]
    window, living = SampleWindow(), set[str]()
    for number, lives in changes:
        window.note(names[number], lives)
        (living.add if lives else living.discard)(names[number])
        if not at_once:
            window.sample()
    oldest = sorted(living)[: checkpoint(len(living))]
    drawn = sorted(oldest, key=lambda name: (name[-12:], name))[:SAMPLE]
    assert window.living == sorted(living)
    assert window.sample() == tuple(sorted(drawn))

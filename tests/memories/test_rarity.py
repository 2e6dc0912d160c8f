"""Words that say more than others, for whoever compares memories."""

from memotheca.memory.standing.rarity import rarity_of
from tests.conftest import Agent


def test_who_compares_beside_changes_no_weight(agent: Agent) -> None:
    """Calls run side by side: one that begins to count must not take from another what it has counted."""
    for number in range(8):
        agent.store(f"Topic {number}", "Tea is hot." if number else "Rain is wet.")
    with agent.kernel.read() as snapshot:
        rarity = rarity_of(agent.kernel, snapshot)
        weigh = rarity.learn(snapshot, 8, ["tea"])
        before = weigh.of("tea")
        rarity.learn(snapshot, 8, ["rain"])
        assert before < 1.0
        assert weigh.of("tea") == before

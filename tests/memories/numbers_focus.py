"""Numbers of the instruments by which a session is steered: its knobs, its focus, its health."""

from tests.memories.librarian import Librarian
from tests.memories.moving import Scene, called, question, stranger

SUBSYSTEMS = ("utl", "gwt", "dream", "storage")
MODULATORS = ("dopamine", "serotonin", "noradrenaline", "acetylcholine")
BOUNDS = ("range.min", "range.baseline", "range.max", "half_life.minutes", "half_life.questions")


def recalled_badly(librarian: Librarian) -> None:
    librarian.remember("Ada takes her tea black.", name="tea")
    for _ in range(5):
        librarian.call("test_recall_accuracy", query="zzz", expected_node_ids=["tea"])


def turned(modulator: str, by: float):
    return called("adjust_neuromodulator", modulator=modulator, delta=by)


STATE = "get_neuromodulation_state"
SCENES = (
    Scene(
        tool="get_health_status",
        plant=stranger,
        unrelated=question,
        moves={"subsystems.storage.node_count": "up"},
    ),
    Scene(
        tool=STATE,
        plant=turned("dopamine", 0.2),
        unrelated=question,
        moves={"dopamine.level": "up", "derived_parameters.beta": "up"},
    ),
    Scene(
        tool=STATE,
        plant=turned("serotonin", 0.5),
        unrelated=turned("dopamine", 0.2),
        moves={"serotonin.level": "up", "derived_parameters.active_spaces": "up"},
    ),
    Scene(
        tool="get_neuromodulation",
        plant=turned("serotonin", 0.5),
        unrelated=turned("dopamine", 0.2),
        moves={"effects.spaces": "up"},
    ),
    Scene(
        tool=STATE,
        plant=turned("noradrenaline", -0.3),
        unrelated=turned("dopamine", 0.2),
        moves={"noradrenaline.level": "down", "derived_parameters.temperature": "down"},
    ),
    Scene(
        tool=STATE,
        plant=recalled_badly,
        unrelated=question,
        moves={"acetylcholine.level": "up", "derived_parameters.learning_rate": "up"},
    ),
    Scene(
        tool="adjust_neuromodulator",
        ask={"modulator": "dopamine", "delta": 0.5},
        plant=turned("dopamine", 1.8),
        unrelated=question,
        moves={"old_level": "up", "new_level": "up", "delta_applied": "down", "also_moved.serotonin": "up"},
    ),
)

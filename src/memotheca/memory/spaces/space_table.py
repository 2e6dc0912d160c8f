"""The list of spaces: one line a space, in the order in which nearness is told and learned.

To add one, write its class in a file of its own and name it here. One that keeps something in the fingerprint also
needs a step in `storage/migrations.py` that marks what is derived as stale, since stored fingerprints lack it."""

from typing import Any

from memotheca.memory.spaces.causal import CausalSpace
from memotheca.memory.spaces.code import CodeSpace
from memotheca.memory.spaces.entities import EntitySpace
from memotheca.memory.spaces.expansion import ExpandedSpace
from memotheca.memory.spaces.form import FormSpace
from memotheca.memory.spaces.graph_walk import GraphSpace
from memotheca.memory.spaces.hyperdimensional import HyperdimensionalSpace
from memotheca.memory.spaces.keywords import KeywordSpace
from memotheca.memory.spaces.late_interaction import LateInteractionSpace
from memotheca.memory.spaces.semantic import SemanticSpace
from memotheca.memory.spaces.space import KeptSpace, Space
from memotheca.memory.spaces.temporal import PeriodicSpace, PositionalSpace, RecentSpace

SPACES: tuple[type[Space], ...] = (
    SemanticSpace,
    RecentSpace,
    PeriodicSpace,
    PositionalSpace,
    CausalSpace,
    KeywordSpace,
    CodeSpace,
    GraphSpace,
    HyperdimensionalSpace,
    FormSpace,
    EntitySpace,
    LateInteractionSpace,
    ExpandedSpace,
)
KEPT_SPACES: tuple[type[KeptSpace[Any]], ...] = tuple(space for space in SPACES if issubclass(space, KeptSpace))
IDS = tuple(space.id for space in SPACES)
COUNT = len(SPACES)

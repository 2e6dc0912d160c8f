"""Names: what a room of the memory proposes is something that a client can call."""

from memotheca.memory.verbs import Verb
from memotheca.tools.memories.names import TOOLS
from tests.memories.librarian import Librarian


def test_every_verb_but_a_persons_own_is_done_by_a_tool_of_the_family(librarian: Librarian) -> None:
    # To tune is what several tools do to the memory itself; nobody proposes it by that name.
    assert set(Verb) - set(TOOLS) == {Verb.RELEASE, Verb.TUNE}
    for name in TOOLS.values():
        listing = librarian.app.catalog.find(name)
        assert listing is not None
        # Every family's changes are taken back by the one tool.
        assert listing.contract == ("entries" if name == "undo" else "memories")

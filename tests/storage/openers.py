"""Starting processes that open data directories."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.durability.processes import Child, ask, hear

SCRIPT = Path(__file__).parent / "opener.py"


@contextmanager
def opener(data: Path | None = None, program: str = "this") -> Generator[Child]:
    """A process that is there, and has opened the directory if one is given."""
    with Child(SCRIPT) as child:
        assert hear(child) == "here"
        if data is not None:
            assert ask(child, f"open {data} {program}") == "opened"
        yield child
        if not child.pipes_closed:
            child.hang_up()
            assert child.finish() == 0, child.complaint

"""All numbers that decide behaviour stand with their sources in one table a room."""

import os
from pathlib import Path

import pytest

from memotheca.memory.tuning.thresholds import REGISTRY
from scripts.architecture import SOURCE
from scripts.constants import Number, numbers_of

DOCS = Path(__file__).parents[1] / "docs"
MEMORY = ("recall", "care", "curation", "standing", "claims", "safety", "session", "graph", "spaces", "tuning")
MEMORY_HEAD = """# The numbers of the memory

Every number of `src/memotheca/memory` that decides something, room by room, with its source: the *specification* of the
family, something *measured*, or *chosen* with its reason. Headings are those of [the memory model](memory-model.md).
Written by `make update` from the comments beside the numbers.
"""
OTHERS_HEAD = """# The numbers of the other rooms

Every number of `src/memotheca` that decides something, room by room, with its source: a *specification*, something
*measured*, or *chosen* with its reason. Those of the memory have [a page of their own](memory-numbers.md).
Written by `make update` from the comments beside the numbers.
"""


def numbers_in(room: Path) -> list[Number]:
    files = sorted(room.rglob("*.py")) if room.is_dir() else [room]
    return [number for path in files for number in numbers_of(path)]


def table(room: str, numbers: list[Number]) -> list[str]:
    rows = [f"| `{each.module}` | {each.name} | {each.value} | {each.source} |" for each in numbers]
    return [f"## {room}\n", "| module | number | value | source |\n|---|---|---|---|", *rows, ""] if rows else []


def thresholds() -> list[str]:
    """Every bar by which the memory decides something; they may move, the others may not."""
    rows = [
        f"| {name} | {each.prior:g} | {each.range[0]:g} to {each.range[1]:g} | {each.gates} | {each.source} |"
        for name, each in REGISTRY.items()
    ]
    return [
        "## Thresholds\n",
        "| name | first value | range | what it gates | source |\n|---|---|---|---|---|",
        *rows,
        "",
    ]


def pages() -> dict[str, str]:
    memory, others = [MEMORY_HEAD], [OTHERS_HEAD]
    for room in MEMORY:
        memory += table(room, numbers_in(SOURCE / "memory" / room))
    memory += thresholds()
    for room in sorted(SOURCE.iterdir()):
        if room.suffix in ("", ".py") and room.name != "memory":
            others += table(room.stem, numbers_in(room))
    return {"memory-numbers.md": "\n".join(memory), "numbers.md": "\n".join(others)}


@pytest.mark.parametrize("name", ["memory-numbers.md", "numbers.md"])
def test_the_golden_table_has_every_number_with_its_source(name: str) -> None:
    written = pages()[name]
    if os.environ.get("UPDATE_GOLDENS"):
        (DOCS / name).write_text(written, "utf-8")
    assert (DOCS / name).read_text("utf-8") == written

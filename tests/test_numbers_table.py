"""Every number that decides how a memory behaves has its source beside it; all of them stand in one table a room."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
MEMORY = ROOT / "src" / "memotheca" / "memory"
PAGE = ROOT / "docs" / "memory-numbers.md"
ROOMS = ("recall", "care", "curation", "standing", "claims", "safety", "session", "graph", "spaces")
# In these rooms every number has its source.
SOURCED = ("recall", "care", "curation", "standing", "claims", "safety", "session", "graph")
SOURCE = re.compile(r"(?i)\b(specification|measured|chosen)\b")
HEAD = """# The numbers of the memory

Every number of `src/memotheca/memory` that decides something, room by room, with its source: the *specification* of the
family, something *measured*, or *chosen* with its reason. Headings are those of [the memory model](memory-model.md).
Written by `make update` from the comments beside the numbers.
"""


class Number(NamedTuple):
    """A constant at the top of a module: where, its name, its value, and what its comment says of its source."""

    module: str
    line: int
    name: str
    value: str
    source: str


def is_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=held):
            return isinstance(held, int | float) and not isinstance(held, bool)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) or is_number(right)
        case ast.Tuple(elts=members):
            return bool(members) and all(map(is_number, members))
        case ast.Dict(values=members):
            return bool(members) and all(map(is_number, members))
        case _:
            return False


def comment_of(lines: list[str], node: ast.stmt) -> str:
    """What stands behind it, else the comment right above it."""
    _, mark, behind = lines[node.lineno - 1].partition("  # ")
    if mark:
        return behind
    above: list[str] = []
    at = node.lineno - 2
    while lines[at].startswith("# "):
        above.insert(0, lines[at].removeprefix("# "))
        at -= 1
    return " ".join(above)


def numbers_of(room: str) -> Iterator[Number]:
    for path in sorted((MEMORY / room).rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_number(node.value):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                value = " ".join(ast.unparse(node.value).split()).strip("()")
                comment = comment_of(text.splitlines(), node)
                name = ast.unparse(target).strip("()")
                yield Number(path.name, node.lineno, name, value, comment)


@pytest.mark.parametrize("room", SOURCED)
def test_every_number_of_a_room_has_its_source_beside_it(room: str) -> None:
    assert [each for each in numbers_of(room) if not SOURCE.search(each.source)] == []


def test_the_golden_table_has_every_number_with_its_source() -> None:
    page = [HEAD]
    for room in ROOMS:
        found = [each for each in numbers_of(room) if SOURCE.search(each.source)]
        if found:
            page += [f"## {room}\n", "| module | number | value | source |\n|---|---|---|---|"]
            page += [f"| `{each.module}` | {each.name} | {each.value} | {each.source} |" for each in found]
            page.append("")
    written = "\n".join(page)
    if os.environ.get("UPDATE_GOLDENS"):
        PAGE.write_text(written, "utf-8")
    assert PAGE.read_text("utf-8") == written

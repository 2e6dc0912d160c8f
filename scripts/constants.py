"""The numbers that stand at the top of modules, with what is said of where they come from."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

# What is said of a number that decides behaviour.
SOURCED = re.compile(r"(?i)\b(specification|measured|chosen)\b")


class Number(NamedTuple):
    """A constant at the top of a module: where, its name, its value, and what is said of its source."""

    module: str
    line: int
    name: str
    value: str
    source: str


def numbers_of(path: Path) -> Iterator[Number]:
    text = path.read_text("utf-8")
    lines = text.splitlines()
    assigned = {node.lineno: node for node in ast.parse(text).body if isinstance(node, ast.Assign | ast.AnnAssign)}
    for node in assigned.values():
        if node.value is not None and is_number(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            value = " ".join(ast.unparse(node.value).split()).strip("()")
            source = comment_of(lines, node, {each.end_lineno: each for each in assigned.values()})
            yield Number(path.name, node.lineno, ast.unparse(target).strip("()"), value, source)


def is_number(node: ast.expr) -> bool:
    """Whether a value is made of written numbers: one, some, a table of them, or a sum with one in it."""
    match node:
        case ast.Constant(value=held):
            return isinstance(held, int | float) and not isinstance(held, bool)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            strings = any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in (left, right))
            return not strings and (is_number(left) or is_number(right))
        case ast.Tuple(elts=members) | ast.Dict(values=members):
            return bool(members) and all(map(is_number, members))
        case _:
            return False


def comment_of(lines: list[str], node: ast.stmt, ending: Mapping[int | None, ast.stmt]) -> str:
    """What stands behind a number, else the comment above it, or above the block of assignments it stands in."""
    _, mark, behind = lines[node.lineno - 1].partition("  # ")
    if mark:
        return behind
    while (before := ending.get(node.lineno - 1)) is not None:
        node = before
    above: list[str] = []
    at = node.lineno - 2
    while lines[at].startswith("# "):
        above.insert(0, lines[at].removeprefix("# "))
        at -= 1
    return " ".join(above)

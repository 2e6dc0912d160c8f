"""What a benchmark answers with: lines of numbers, each with its target, as text, Markdown or JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """How thorough a run is, and where it may write."""

    quick: bool
    scratch: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A bound for one column of a line."""

    column: str
    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{self.column} {'≥' if self.at_least else '≤'} {self.bound:,g}"

    def is_met(self, numbers: Mapping[str, float]) -> bool:
        measured = numbers[self.column]
        return measured >= self.bound if self.at_least else measured <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that was measured; a column that it lacks stays empty."""

    label: str
    numbers: Mapping[str, float]
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.target.is_met(self.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Everything one benchmark found out."""

    name: str
    title: str
    lines: Sequence[Line]
    notes: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(column for line in self.lines for column in line.numbers))


def spell(number: float | None) -> str:
    """Three figures that matter, and no more."""
    if number is None or math.isnan(number):
        return ""
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}" if abs(number) >= 0.1 else f"{number:.3f}"


def _cells(table: Table) -> list[list[str]]:
    judged = any(line.target for line in table.lines)
    rows = [["", *table.columns, *(["target", "met"] if judged else [])]]
    for line in table.lines:
        verdict = ["", ""] if line.target is None else [str(line.target), "yes" if line.met else "NO"]
        numbers = [spell(line.numbers.get(column)) for column in table.columns]
        rows.append([line.label, *numbers, *(verdict if judged else [])])
    return rows


def to_text(table: Table) -> str:
    rows = _cells(table)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    written = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
    written.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([f"{table.name}: {table.title}", "", *written, *(f"  {note}" for note in table.notes), ""])


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]


def to_markdown(table: Table) -> str:
    head, *rows = _cells(table)
    ruler = ["---", *("---:" for _ in head[1:])]
    lines = ["| " + " | ".join(row) + " |" for row in (head, ruler, *rows)]
    notes = [f"- {note}" for note in table.notes]
    return "\n".join([f"### {table.name}: {table.title}", "", *lines, "", *notes, *([""] if notes else [])])


def to_json(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "notes": list(table.notes),
        "lines": [
            {
                "label": line.label,
                "numbers": {name: None if math.isnan(value) else value for name, value in line.numbers.items()},
                "target": None if line.target is None else str(line.target),
                "met": line.met,
            }
            for line in table.lines
        ],
    }

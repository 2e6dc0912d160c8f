"""What dreams look like on the wire."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, text, texts

WAKE_REASONS = (
    "cycle_complete",
    "external_query",
    "manual_abort",
    "time_over",
    "shutdown",
    "resource_pressure",
    "error",
)
PARTS = ("nrem", "rem")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderShape:
    lambda_s: float = number("How much novelty counts against fit.")
    newest: int = integer("So many of the newest come first.")
    most_shown: int = integer("And of what answers show most.")
    first: tuple[str, ...] = texts("What it began with.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NremShape:
    memories_replayed: int = integer("Entries that were looked at.")
    edges_strengthened: int = integer()
    edges_weakened: int = integer()
    edges_pruned: int = integer()
    links_found: int = integer("Links that a text names and that were missing.")
    duplicates_found: int = integer()
    updates_found: int = integer()
    disputes_found: int = integer()
    shortcut_candidates: int = integer()
    average_weight_delta: float = number("Of the edges that were moved.")
    order: OrderShape | None = one(OrderShape, default=None, nullable=True)
    duration_ms: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class RemShape:
    queries_generated: int = integer("Memories that were probed.")
    blind_spots_found: int = integer()
    average_semantic_leap: float | None = number(default=None, nullable=True)
    exploration_coverage: float | None = number("Share of all memories.", default=None, nullable=True)
    unique_nodes_visited: int = integer()
    duration_ms: int = integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotShape:
    nodes: tuple[str, ...] = texts()
    shared: str = text()
    semantic_leap: float | None = number(default=None, nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportShape:
    """What a dream did, and whether it helped."""

    dream_id: str = text()
    phase: str = text()
    phases_completed: tuple[str, ...] = texts(values=PARTS)
    dry_run: bool = flag()
    completed: bool = flag()
    wake_reason: str = choice(WAKE_REASONS)
    wake_latency_ms: float | None = number("From what woke it to its end.", default=None, nullable=True)
    duration_ms: int = integer()
    nrem: NremShape | None = one(NremShape, default=None, nullable=True)
    rem: RemShape | None = one(RemShape, default=None, nullable=True)
    shortcuts_created: int = integer()
    tasks_opened: int = integer("Those that were not on the list before.")
    slices: int = integer()
    slices_over_budget: int = integer("Of more than 20 ms.")
    longest_slice_ms: float = number()
    probes: int = integer("Questions that were asked before and after.")
    recall_before: float | None = number(default=None, nullable=True)
    recall_after: float | None = number(default=None, nullable=True)
    ways: int = integer("Walked paths that were measured.")
    path_length_before: float | None = number(default=None, nullable=True)
    path_length_after: float | None = number(default=None, nullable=True)
    reversal_hashes: tuple[str, ...] = texts("One for each transaction; dream_id takes all of them back.")
    error: str | None = text(default=None, nullable=True)


NAMES = tuple(ReportShape.__dataclass_fields__)


def shape_report(told: Mapping[str, Any]) -> ReportShape:
    """A report as the log has it."""
    said = {name: told[name] for name in NAMES if name in told}
    said |= {name: tuple(said[name]) for name in ("phases_completed", "reversal_hashes")}
    nrem, rem = told.get("nrem"), told.get("rem")
    said |= {"nrem": None if nrem is None else _shape_nrem(nrem), "rem": None if rem is None else RemShape(**rem)}
    return ReportShape(**said)


def _shape_nrem(told: Mapping[str, Any]) -> NremShape:
    """The log may be of a program that told no order yet."""
    said, order = dict(told), told.get("order")
    if order is not None:
        ordered: dict[str, Any] = {**order, "first": tuple(order["first"])}
        said["order"] = OrderShape(**ordered)
    return NremShape(**said)


def tell_help(report: ReportShape) -> str:
    """Whether a dream has helped, where that was measured."""
    said = ""
    if report.recall_before is not None and report.recall_after is not None:
        before, after = format(report.recall_before, ".0%"), format(report.recall_after, ".0%")
        said = f" Probe questions found {before} of what they should before, {after} after."
    if report.path_length_before is not None and report.path_length_after is not None:
        said += f" Paths took {report.path_length_before:g} steps before and {report.path_length_after:g} after."
    return said


def shape_spots(told: Mapping[str, Any]) -> tuple[SpotShape, ...]:
    return tuple(
        SpotShape(nodes=tuple(each["nodes"]), shared=each["shared"], semantic_leap=each["semantic_leap"])
        for each in told["blind_spots"]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamOutput:
    """The answer of whoever dreams or wants to."""

    triggered: bool = flag()
    dream_id: str | None = text(default=None, nullable=True)
    trigger_reason: str = text()
    wakes_on: tuple[str, ...] | Unset = texts("What ends it.", default=UNSET, values=WAKE_REASONS)
    ends_by: str | Unset = text(default=UNSET)
    phase_completed: str | None = text("Null while it dreams.", default=None, nullable=True)
    edges_strengthened: int | Unset = integer(default=UNSET)
    edges_pruned: int | Unset = integer(default=UNSET)
    new_edges_created: int | Unset = integer("Missing links; blind spots are only proposed.", default=UNSET)
    shortcuts_created: int | Unset = integer(default=UNSET)
    blind_spots_discovered: tuple[SpotShape, ...] | Unset = many(SpotShape, default=UNSET)
    duration_ms: int | Unset = integer(default=UNSET)
    was_interrupted: bool | Unset = flag(default=UNSET)
    report: ReportShape | Unset = one(ReportShape, default=UNSET)

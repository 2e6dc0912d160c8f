"""memotheca dream: let the memory tend itself, and see what it did and whether it helped."""

import argparse
from typing import Any

from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, app_of, print_json, progress
from memotheca.memory.dream.night import ALIASES, PHASES, DreamRequest, dream, new_run
from memotheca.memory.dream.sleeper import Sleep, sleeper_of
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted

EPILOG = """examples:
  memotheca dream                     tend what is stored, propose the rest
  memotheca dream --phase nrem        only tend
  memotheca dream --dry-run           only say what would be done

Everything it changes can be taken back: `memotheca undo`, or
`memotheca call restore_from_hash reversal_hash=dream_…`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--phase", choices=(*PHASES, *ALIASES), default="full", help="nrem tends, rem proposes")
    parser.add_argument("--dry-run", action="store_true", help="change nothing, and say what would be")
    parser.add_argument(
        "--minutes", type=int, choices=range(1, 11), default=5, metavar="N", help="at most, 1 to 10; 5 by default"
    )


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    slumber = sleeper_of(kernel).fall_asleep(kernel, new_run(), float(parsed.minutes), wakes_on_query=False)
    if slumber is None:
        raise Refusal(Failure.BUSY, "A dream goes on already, in a server or another command.")
    request = DreamRequest(
        phase=ALIASES.get(parsed.phase, parsed.phase),
        minutes=float(parsed.minutes),
        abort_on_query=False,
        dry_run=parsed.dry_run,
        actor=ACTOR,
    )
    reports: list[dict[str, Any]] = []
    with progress("dreaming", quiet=parsed.json) as report:

        def spend(sleep: Sleep) -> None:
            reports.append(dream(sleep, request, report))

        slumber.spend(spend)
    told = reports[0]
    if told["error"]:
        raise Refusal(Failure.INTERNAL, told["error"])
    if parsed.json:
        print_json(told)
    else:
        for line in describe(told):
            say(line)
    return 0


def describe(told: dict[str, Any]) -> list[str]:
    """A report in people's words."""
    would = "would have been " if told["dry_run"] else ""
    lines = [f"Dreamt for {told['duration_ms'] / 1000:.1f} s ({told['wake_reason'].replace('_', ' ')})."]
    if nrem := told["nrem"]:
        moved = nrem["edges_strengthened"] + nrem["edges_weakened"]
        lines.append(
            f"Looked at {counted(nrem['memories_replayed'], 'entry')}: {counted(moved, 'link')} {would}moved, "
            f"{nrem['edges_pruned']} {would}let go, {nrem['links_found']} {would}found, "
            f"{counted(told['shortcuts_created'], 'shortcut')} {would}made."
        )
    if rem := told["rem"]:
        lines.append(
            f"Probed {counted(rem['queries_generated'], 'memory')}: {counted(rem['blind_spots_found'], 'blind spot')}."
        )
    if told["tasks_opened"]:
        lines.append(f"{counted(told['tasks_opened'], 'task')} to decide: `memotheca memory --review`.")
    for name, title, form in (
        ("recall", "Of what questions should find they find", ".0%"),
        ("path_length", "Ways take", "g"),
    ):
        before, after = told[f"{name}_before"], told[f"{name}_after"]
        if before is not None and after is not None:
            unit = "" if name == "recall" else " steps"
            lines.append(f"{title} {before:{form}}{unit} before and {after:{form}}{unit} after.")
    if told["recall_before"] is None and told["path_length_before"] is None:
        lines.append("Whether it helped cannot be told: nothing was asked or walked before.")
    if told["reversal_hashes"]:
        lines.append(f"Take it back: `memotheca call restore_from_hash reversal_hash={told['dream_id']}`.")
    return lines

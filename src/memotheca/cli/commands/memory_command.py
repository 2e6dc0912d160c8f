"""memotheca memory: what a librarian should know, and a walk through what there is to decide."""

import argparse
from typing import Any

from memotheca.cli.commands.dream_command import describe
from memotheca.cli.layout import say
from memotheca.cli.librarian import release, review, state_of
from memotheca.cli.terminal import app_of, at_least, plain, print_json, styled
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import counted

OPTIONS = ("vault", "vault-ignore", "vault-gitignore")

EPILOG = """examples:
  memotheca memory                           health, tasks, topics, last dream
  memotheca memory --review                  decide about tasks and proposals
  memotheca memory --release node_4f2a91c0   let something out of quarantine
  memotheca memory --json | jq '.tombstones'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--review", action="store_true", help="walk through the tasks and decide about each")
    parser.add_argument("--release", metavar="NODE", help="let this memory out of quarantine; can be undone")
    parser.add_argument(
        "--limit", type=at_least(1), default=10, metavar="N", help="how much to show of each (default: 10)"
    )


def run(parsed: argparse.Namespace) -> int:
    if parsed.review and parsed.json:
        raise Refusal(Failure.INVALID, "A review asks questions; leave out --json.")
    kernel: Kernel = app_of(parsed).kernel
    if parsed.release is not None:
        return _release(kernel, parsed)
    if parsed.review:
        review(kernel)
        return 0
    state: dict[str, Any] = state_of(kernel, parsed.limit)
    if parsed.json:
        print_json(state)
    else:
        _print(state)
    return 0


def _release(kernel: Kernel, parsed: argparse.Namespace) -> int:
    released: dict[str, Any] = release(kernel, parsed.release)
    if parsed.json:
        print_json(released)
    else:
        say(f"{plain(_spell_node(released))} can be found again; memotheca undo puts it back into quarantine.")
    return 0


def _print(state: dict[str, Any]) -> None:
    health = state["health"]
    among = "1 thing that is kept" if health["entries"] == 1 else f"{health['entries']:,} things that are kept"
    print(f"{styled('memory', 'bold')}  {counted(health['memories'], 'memory')} among {among}, ", end="")
    print(counted(health["edges"], "edge"))
    mean = health["mean_importance"]
    print(f"  {health['unlinked']} without any edge, mean importance {'none' if mean is None else mean}")
    print(f"  {health['quarantined']} quarantined, {counted(health['without_vectors'], 'passage')} without vectors yet")
    _print_list("tasks", state["tasks"], _spell_task)
    _print_list("conflicts", state["conflicts"], _spell_conflict)
    _print_list("quarantine", state["quarantine"], _spell_held)
    _print_list("topics", state["topics"], _spell_topic)
    _print_dream(state["last_dream"])
    if state["thresholds"]:
        _print_list("thresholds that were moved", state["thresholds"], _spell_threshold)
    _print_list("recent", state["recent"], _spell_recent)
    _print_list("tombstones", state["tombstones"], _spell_tombstone)
    if state["quarantine"]:
        print("\nmemotheca memory --release NODE lets one out of quarantine.")
    if state["tasks"]:
        print("\nmemotheca memory --review walks through the tasks.")


def _spell_task(task: dict[str, Any]) -> str:
    names = " / ".join(map(_spell_node, task["target_nodes"]))
    return f"{task['priority']:6} {task['task_type']}: {names}: {task['reason']}"


def _spell_node(node: dict[str, Any]) -> str:
    return f"{node['name']} {node['citation']}"


def _spell_threshold(threshold: dict[str, Any]) -> str:
    learned = "by hand" if threshold["cause"] == "manual" else f"learned from {counted(threshold['labels'], 'label')}"
    told = f"{threshold['name']} {threshold['value']:g} (at first {threshold['prior']:g}) for {threshold['domain']}"
    return f"{told}, {learned}: {threshold['gates']}"


def _spell_topic(topic: dict[str, Any]) -> str:
    serving = ", serves the goal" if topic["serves_goal"] else ""
    trend = "" if topic["trend"] == "steady" else f", {topic['trend']}"
    return f"{topic['name']}: {counted(topic['memories'], 'memory')}{trend}{serving}"


def _print_dream(told: dict[str, Any] | None) -> None:
    if told is None:
        print(f"\n{styled('last dream', 'bold')}  none; memotheca dream lets it tend itself")
        return
    dry = ", a dry run" if told["dry_run"] else ""
    print(f"\n{styled('last dream', 'bold')}  {told['ended_at'][:16]}{dry}")
    for line in describe(told):
        say(line, lead="  ", hang="    ")


def _spell_recent(node: dict[str, Any]) -> str:
    return f"{node['kind']:7} {_spell_node(node)}"


def _spell_conflict(conflict: dict[str, Any]) -> str:
    return f"“{conflict['older']}” {conflict['citations'][0]} ⟷ “{conflict['newer']}” {conflict['citations'][1]}"


def _spell_held(held: dict[str, Any]) -> str:
    end = "" if held["until"] is None else f" until {held['until'][:16]}"
    return f"{_spell_node(held)}: {held['reason']}, held since {held['since'][:16]}{end}"


def _spell_tombstone(tombstone: dict[str, Any]) -> str:
    return f"{tombstone['name']}  {tombstone['days_left']:.1f} days left  {tombstone['reversal_hash']}"


def _print_list(title: str, rows: list[dict[str, Any]], spell: Any) -> None:
    print(f"\n{styled(title, 'bold')}" + ("" if rows else "  none"))
    for row in rows:
        say(plain(spell(row)), lead="  ", hang="    ")

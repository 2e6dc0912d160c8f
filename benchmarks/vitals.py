"""Which numbers move on real sessions: python benchmarks/vitals.py DIR … [--still].

Each DIR is what one assistant was told over months (see answers.py). Its memories are stored at their times in their
sessions, its questions asked five a session by `search_graph` and `inject_context` in turn, then those of the next DIR,
which this memory knows nothing about. Told are where entropy and coherence went, what the pulse suggested, and what was
advised on storing. `--still` plays the other tools besides, and lists the fields of all answers that never moved."""

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answers import Hand, Told, read_corpus
from memotheca.app import App, build
from memotheca.model.clock import SECOND, from_iso
from memotheca.settings import load as load_settings
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call

A_SESSION = 5  # questions
APART = 20 * SECOND  # between two calls
OFTEN = 12  # memories, after which the other tools are called
OPTIONAL = ("name", "importance", "domain", "tags", "source")
WHY = "Played by a benchmark."


@dataclass(slots=True)
class Play:
    """A corpus while it is played: what was stored, the pulse after each call, and all values of each field."""

    app: App
    clock: Hand
    stage: str = "stores"
    ids: dict[str, str] = field(default_factory=dict[str, str])
    fits: list[tuple[float, str, bool]] = field(default_factory=list[tuple[float, str, bool]])
    pulses: dict[str, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    advice: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    values: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seen: Counter[str] = field(default_factory=Counter[str])

    def run(self, tool: str, session: str, **arguments: Any) -> Reply:
        self.clock.now += APART
        call = Call[Any](kernel=self.app.kernel, actor="benchmark", session=session)
        reply = self.app.dispatcher.run(tool, arguments, call)
        if reply.structured is not None:
            self.note(tool, reply.structured)
        return reply

    def note(self, path: str, value: Any) -> None:
        """Keep every value that a field has had; members of a list are one field."""
        if isinstance(value, Mapping):
            for name, inner in value.items():
                self.note(f"{path}.{name}", inner)
        elif isinstance(value, list):
            self.values[f"{path}#"].add(str(len(value)))
            for inner in value:
                self.note(f"{path}[]", inner)
        else:
            self.seen[path] += 1
            self.values[path].add(str(value))


def store(play: Play, memory: Mapping[str, Any]) -> None:
    given = {name: memory[name] for name in OPTIONAL if memory.get(name) is not None}
    relation = memory.get("relation")
    if relation and relation["to"] in play.ids:
        given |= {"link_to": [play.ids[relation["to"]]], "metadata": {"relation": relation["word"]}}
    play.clock.now = max(play.clock.now, from_iso(memory["at"]))
    reply = play.run(
        "store_memory", memory["session"], content=memory["content"], rationale=memory["rationale"], **given
    )
    if reply.failed or reply.structured is None:
        return
    play.ids[memory["id"]] = reply.structured["node_id"]
    play.pulses["stores"].append(reply.structured["pulse"])
    play.advice.append(tuple(reply.structured["steering_reward"]["suggestions"]))


def ask(play: Play, stage: str, questions: Sequence[Mapping[str, Any]]) -> None:
    for place, question in enumerate(questions):
        tool = ("inject_context", "search_graph")[place % 2]
        reply = play.run(tool, f"{stage}-{place // A_SESSION}", query=question["text"])
        if reply.structured is None or reply.failed:
            continue
        play.pulses[stage].append(reply.structured["pulse"])
        if tool == "search_graph" and not question.get("previous"):
            wanted = {play.ids.get(id) for id in question["gold"]} if stage == "questions" else set[str | None]()
            found = [each["id"] for each in reply.structured["results"][:3]]
            play.fits.append((reply.structured["best_fit"] or 0.0, stage, not wanted.isdisjoint(found)))


def play_corpus(corpus: Told, foreign: Told | None, *, with_others: bool) -> Play:
    clock = Hand(from_iso(corpus.memories[0]["at"]))
    with tempfile.TemporaryDirectory() as folder:
        app = build(load_settings({"data": Path(folder), "toolsets": "all"}, {}), clock=clock)
        play = Play(app, clock)
        for place, memory in enumerate(corpus.memories):
            store(play, memory)
            if with_others and place % OFTEN == OFTEN - 1:
                call_others(play, corpus, place, memory["session"])
        ask(play, "questions", corpus.questions)
        if foreign is not None:
            ask(play, "questions about something else", foreign.questions)
        if with_others:
            call_others(play, corpus, len(corpus.memories) - 1, "at the end")
            curate(play)
        app.kernel.store.close()
    return play


def call_others(play: Play, corpus: Told, place: int, session: str) -> None:
    """Every tool that reads, about what was stored lately."""
    ids = list(play.ids.values())
    last, before = ids[-1], ids[place % len(ids) // 2]
    asked = corpus.questions[place % len(corpus.questions)]["text"]
    for tool, given in (
        ("search_graph", {"query": asked}),
        ("inject_context", {"query": asked, "verbosity_level": 2, "include_metadata": ["causal_links", "conflicts"]}),
        ("get_neighborhood", {"node_id": last, "depth": 2}),
        ("get_recent_context", {"limit": 5 + place % 7}),
        ("find_causal_path", {"source_id": before, "target_id": last, "direction": "bidirectional"}),
        ("query_causal", {"action": asked}),
        ("entailment_query", {"node_id": last, "embedding_space": ("E1", "E5", "E7")[place % 3]}),
        ("get_johari_classification", {"node_id": last}),
        ("get_johari_classification", {"node_id": before}),
        ("reflect_on_memory", {"goal": asked}),
        ("generate_search_plan", {"goal": asked}),
        ("critique_context", {"context_window": 20}),
        ("epistemic_action", {"force": place % 2 == 0}),
        ("hydrate_citation", {"citation_tag": f"[node_{last.replace('-', '')}]"}),
        ("get_node_lineage", {"node_id": before}),
        ("check_adversarial", {"content": asked}),
        ("test_recall_accuracy", {"query": asked, "expected_node_ids": [before, last]}),
        ("debug_compare_retrieval", {"query": asked, "spaces": ["E1", "E13"]}),
        ("temporary_scratchpad", {"action": "write", "key": f"k{place}", "value": asked}),
        ("temporary_scratchpad", {"action": "read"}),
        ("get_memetic_status", {}),
        ("get_graph_manifest", {}),
        ("get_system_instructions", {}),
        ("get_system_logs", {}),
        ("utl_status", {}),
        ("get_neuromodulation", {}),
        ("homeostatic_status", {}),
        ("search_tombstones", {}),
        ("reload_manifest", {}),
    ):
        play.run(tool, session, **given)


def curate(play: Play) -> None:
    """Every tool that changes something, three times."""
    ids = list(play.ids.values())
    for place in range(0, 30, 10):
        play.run("boost_importance", "curation", node_id=ids[place], delta=0.1 + place / 100, rationale=WHY)
        play.run("annotate_node", "curation", node_id=ids[place + 1], annotations={"notes": f"seen {place}"})
        merged = play.run(
            "merge_concepts",
            "curation",
            source_node_ids=ids[place + 2 : place + 4],
            target_name=f"merged {place}",
            rationale=WHY,
            force_merge=True,
        )
        given = {"node_id": ids[place + 4], "reason": "obsolete", "rationale": WHY}
        forgotten = play.run("forget_concept", "curation", **given)
        for reply in (merged, forgotten):
            if reply.structured is not None and not reply.failed:
                play.run("restore_from_hash", "curation", reversal_hash=reply.structured["reversal_hash"])
        play.run("search_tombstones", "curation")


def report(name: str, play: Play) -> None:
    for stage, pulses in play.pulses.items():
        told = "; ".join(f"{each} {_spread([pulse[each] for pulse in pulses])}" for each in ("entropy", "coherence"))
        print(f"{name}, {stage} ({len(pulses)}): {told}")
        suggested = Counter(pulse["suggested"] for pulse in pulses)
        print("   " + ", ".join(f"{tool} {times}" for tool, times in suggested.most_common()))
    for low, high in ((0.0, 0.0), (0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0)):
        some = [each for each in play.fits if low < each[0] <= high or (low == high == each[0])]
        known, right = [each for each in some if each[1] == "questions"], sum(each[2] for each in some)
        print(
            f"  best fit {low:.2f} to {high:.2f}: {len(known)} own ({right} answered), {len(some) - len(known)} foreign"
        )
    advised = Counter(each for advice in play.advice for each in advice)
    silent = sum(not advice for advice in play.advice)
    print(f"  advice on {len(play.advice)} stores: none {silent}, " + ", ".join(f"{a} {n}" for a, n in advised.items()))


def _spread(values: Sequence[float]) -> str:
    ranked = sorted(values)
    marks = [ranked[min(len(ranked) - 1, int(share * len(ranked)))] for share in (0.0, 0.1, 0.5, 0.9, 1.0)]
    return " ".join(f"{mark:.2f}" for mark in marks)


def report_still(plays: Sequence[Play]) -> None:
    """Fields that had one value only, with how often they were told."""
    values: dict[str, set[str]] = defaultdict(set)
    seen: Counter[str] = Counter()
    for play in plays:
        seen += play.seen
        for path, found in play.values.items():
            values[path] |= found
    for path, found in sorted(values.items()):
        if len(found) == 1 and ".pulse." not in path and ".error" not in path:
            print(f"  {path} ({seen[path]}): {next(iter(found))[:90]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--still", action="store_true", help="call the other tools too, and list what never moved")
    wanted = parser.parse_args()
    corpora = [read_corpus(folder) for folder in wanted.folders]
    plays: list[Play] = []
    for place, corpus in enumerate(corpora):
        foreign = corpora[(place + 1) % len(corpora)] if len(corpora) > 1 else None
        plays.append(play_corpus(corpus, foreign, with_others=wanted.still))
        report(corpus.name, plays[-1])
    if wanted.still:
        report_still(plays)
    return 0


if __name__ == "__main__":
    sys.exit(main())

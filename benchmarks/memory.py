"""What the memory tools cost with many memories: python benchmarks/memory.py [--sizes N,…] [--quick] [--scratch DIR]
[--only TOOL,…] [--json FILE] [--write-docs].

Every tool of the family is called through validation, dispatch, engine and contract, in turns, other arguments each
time. Texts and questions have made-up vectors that cost next to nothing (`remembering.py`); what the shipped model
costs stands in lines of its own. With `--scratch` the filled directories are kept and taken up again."""

import argparse
import cProfile
import json
import pstats
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from instruments import DOING, INSTRUMENTS, WORKING
from machine import describe, load
from memotheca.app import App, look_after, write_down
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.citations import citation_of
from memotheca.kernel.gc import calm_collector
from memotheca.memory.curation.remember import NewMemory, draw
from memotheca.memory.safety.speakers import hear
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.sample import Judged, hang, reference_of
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from memotheca.vectors.embedders import DEFAULT, understand
from memotheca.vectors.load import load_embedder
from remembering import NOUNS, WHY, WordSums, content, fill_memories, topic, topics_of
from report import Line, Table, Target, to_json, to_text
from section import write_section
from timing import Stopwatch, median, percentile

SIZES, QUICK_SIZES = (10_000, 100_000), (1_000,)
ROUNDS, QUICK_ROUNDS = 60, 12
WARM = 2
FRESH = 10_000_000  # numbers of texts that no directory was filled with
P95, CPU, GROWTH = "p95 ms", "CPU p50 ms", "times the smallest"
NEVER_ASKED = "session"

STATUS, NAVIGATION, CURATION, CONTEXT = 25.0, 50.0, 100.0, 60.0
NAVIGATING = ("get_neighborhood", "get_recent_context", "find_causal_path", "entailment_query")
CURATING = ("merge_concepts", "forget_concept", "annotate_node", "boost_importance", "restore_from_hash")
BEYOND = 10.0
STORING = "store_memory"


@dataclass(slots=True)
class Bench:
    """A filled directory, which of its memories a round is about, and what earlier calls left behind."""

    app: App
    size: int
    ids: Sequence[str]
    newest: int
    hashes: list[str] = field(default_factory=list[str])

    def id(self, turn: int, part: int = 0) -> str:
        """Another memory for each round and part, from the whole of time."""
        return self.ids[(turn * 7919 + part * 104_729) % len(self.ids)]

    def words(self, turn: int) -> str:
        about = topic((turn * 31) % topics_of(self.size))
        one, other = about.nouns[turn % NOUNS], about.nouns[(turn + 5) % NOUNS]
        return f"Why does the {one} of {about.system} wait for the {other}?"

    def text(self, turn: int) -> str:
        """A text that was never stored, not in an earlier run on the same directory either. The directions of its words
        are drawn beforehand: that is embedding."""
        said = content(FRESH * (self.newest + 1) + turn, topics_of(self.size))[1]
        WordSums().embed_question(said)
        return said

    def citation(self, turn: int) -> str:
        with self.app.kernel.read() as snapshot:
            entry = snapshot.entry(self.id(turn))
        assert isinstance(entry, Entry)
        return citation_of(entry)

    def prediction(self, turn: int) -> str:
        """What the memory said would help with a question that somebody has just asked, written down for every
        process."""
        found = self.run("search_graph", {"query": self.words(turn)}, turn).structured
        write_down(self.app)
        assert found is not None
        return found["prediction_id"]

    def run(self, name: str, arguments: Mapping[str, Any], turn: int) -> Reply:
        call = Call[Any](kernel=self.app.kernel, actor="benchmark", session=f"{NEVER_ASKED}-{turn}")
        reply = self.app.dispatcher.run(name, arguments, call)
        if reply.failed:
            raise RuntimeError(f"{name} was refused: {reply.structured}")
        return reply


Arguments = Callable[[Bench, int], dict[str, Any]]

# In this order within each round; what forgets comes before what brings back.
TOOLS: dict[str, Arguments] = {
    "store_memory": lambda bench, turn: {"content": bench.text(turn), "rationale": WHY, "tags": ["ops"]},
    "inject_context": lambda bench, turn: {"query": bench.words(turn), "max_tokens": (512, 1024, 2048)[turn % 3]},
    "get_memetic_status": lambda bench, turn: {},
    "get_graph_manifest": lambda bench, turn: {},
    "search_graph": lambda bench, turn: {"query": bench.words(turn)},
    "get_workspace_status": lambda bench, turn: {},
    "get_kuramoto_sync": lambda bench, turn: {},
    "get_consciousness_state": lambda bench, turn: {},
    "get_ego_state": lambda bench, turn: {},
    "get_neuromodulation_state": lambda bench, turn: {},
    "get_health_status": lambda bench, turn: {},
    "gwt/compute_delta_sc": lambda bench, turn: {"vertex_id": bench.id(turn)},
    "utl_status": lambda bench, turn: {},
    "query_causal": lambda bench, turn: {"action": bench.words(turn)},
    "get_neuromodulation": lambda bench, turn: {},
    "merge_concepts": lambda bench, turn: {
        "source_node_ids": [bench.id(turn, 1), bench.id(turn, 2)],
        "target_name": f"Merged in round {turn}",
        "rationale": WHY,
        "force_merge": True,
    },
    "forget_concept": lambda bench, turn: {"node_id": bench.id(turn, 3), "reason": "obsolete", "rationale": WHY},
    "annotate_node": lambda bench, turn: {"node_id": bench.id(turn, 4), "annotations": {"notes": f"Seen {turn}."}},
    "boost_importance": lambda bench, turn: {"node_id": bench.id(turn, 4), "delta": 0.01, "rationale": WHY},
    "restore_from_hash": lambda bench, turn: {"reversal_hash": bench.hashes.pop()},
    "get_neighborhood": lambda bench, turn: {"node_id": bench.id(turn), "depth": 1 + turn % 3},
    "get_recent_context": lambda bench, turn: {},
    "find_causal_path": lambda bench, turn: {"source_id": bench.id(turn), "target_id": bench.id(turn, 5)},
    "entailment_query": lambda bench, turn: {"node_id": bench.id(turn)},
    "reflect_on_memory": lambda bench, turn: {"goal": bench.words(turn)},
    "generate_search_plan": lambda bench, turn: {"goal": bench.words(turn)},
    "critique_context": lambda bench, turn: {},
    "hydrate_citation": lambda bench, turn: {"citation_tag": bench.citation(turn), "include_neighbors": True},
    "get_system_instructions": lambda bench, turn: {},
    "get_system_logs": lambda bench, turn: {},
    "get_node_lineage": lambda bench, turn: {"node_id": bench.id(turn)},
    "get_johari_classification": lambda bench, turn: {"node_id": bench.id(turn)},
    "epistemic_action": lambda bench, turn: {"force": True},
    "homeostatic_status": lambda bench, turn: {},
    "check_adversarial": lambda bench, turn: {"content": bench.text(turn)},
    "test_recall_accuracy": lambda bench, turn: {"query": bench.words(turn), "expected_node_ids": [bench.id(turn)]},
    "debug_compare_retrieval": lambda bench, turn: {"query": bench.words(turn), "spaces": ["E1", "E5", "E7", "E13"]},
    "search_tombstones": lambda bench, turn: {"query": bench.words(turn)},
    "reload_manifest": lambda bench, turn: {"preview": True},
    "temporary_scratchpad": lambda bench, turn: {"action": "write", "key": f"round {turn}", "value": "held"},
    **INSTRUMENTS,
}


def bound_of(tool: str) -> float:
    if tool == "inject_context":
        return CONTEXT
    return NAVIGATION if tool in NAVIGATING else CURATION if tool in (*CURATING, *DOING) else STATUS


def open_bench(folder: Path, size: int) -> tuple[Bench, float]:
    app, seconds = fill_memories(folder, size)
    with app.kernel.read() as snapshot:
        ids, newest = list(snapshot.newest(MEMORY)), snapshot.tx
    calm_collector()
    return Bench(app, size, ids, newest), seconds


def play(bench: Bench, rounds: int, wanted: Sequence[str]) -> dict[str, Stopwatch]:
    """Every tool once a round, with a round of upkeep between rounds, as a server has it."""
    watches = {name: Stopwatch() for name in wanted}
    for turn in range(-WARM, rounds):
        for name in wanted:
            arguments = TOOLS[name](bench, turn)
            watch = watches[name] if turn >= 0 else Stopwatch()
            reply = watch.time(partial(bench.run, name, arguments, turn))
            if name == "forget_concept":
                bench.hashes.append(reply.structured["reversal_hash"])
        look_after(bench.app, lambda: False)
    return watches


def wanted_tools(named: str | None) -> list[str]:
    chosen = named.split(",") if named else list(TOOLS)
    needs = {"restore_from_hash": "forget_concept"}
    return [name for name in TOOLS if name in chosen or name in [needs.get(each) for each in chosen]]


def store_plainly(bench: Bench, rounds: int) -> Stopwatch:
    """An entry with the same text: what storing costs anyway."""
    watch = Stopwatch()
    for turn in range(rounds):
        new = NewEntry(title="", body=bench.text(FRESH + turn))
        watch.time(partial(store_entry, bench.app.kernel, new, actor="benchmark"))
    return watch


def hang_and_judge(bench: Bench, rounds: int) -> Stopwatch:
    """What the thirteen spaces add: a new text represented in all of them, and its novelty and fit among the others."""
    kernel, watch = bench.app.kernel, Stopwatch()
    with kernel.read() as snapshot:
        reference = reference_of(kernel, snapshot)
        for turn in range(rounds):
            near = [bench.id(turn, part) for part in range(3)]
            vectors = {"": next(iter(meanings(snapshot, near).values()))}
            draft = NewMemory(content=bench.text(2 * FRESH + turn), rationale=WHY, metadata={}, session=NEVER_ASKED)
            entry = draw(draft, hear("", "user"), (kernel.now(), turn))

            def work(entry: Entry = entry, near: list[str] = near, vectors: dict[str, Any] = vectors) -> Judged:
                return reference.judge(hang(snapshot, [entry], joined={"": near}, vectors=vectors)[0])

            watch.time(work)
    return watch


def embed(bench: Bench, rounds: int) -> dict[str, Stopwatch]:
    """What the shipped model takes for one question and for one text."""
    embedder = load_embedder(understand(DEFAULT))
    assert embedder is not None
    watches = {"embedding a question": Stopwatch(), "embedding a text": Stopwatch()}
    for turn in range(rounds):
        watches["embedding a question"].time(partial(embedder.embed_question, bench.words(turn)))
        watches["embedding a text"].time(partial(embedder.embed_passage, "", bench.text(turn)))
    return watches


def line(label: str, watch: Stopwatch, *, target: Target | None = None, ratio: float | None = None) -> Line:
    numbers = {
        "p50 ms": median(watch.wall) * 1e3,
        P95: percentile(watch.wall, 0.95) * 1e3,
        CPU: median(watch.cpu) * 1e3,
        "CPU p95 ms": percentile(watch.cpu, 0.95) * 1e3,
    }
    if ratio is not None:
        numbers[GROWTH] = ratio
    return Line(label=label, numbers=numbers, target=target)


def storing_lines(bench: Bench, rounds: int, stored: Stopwatch | None) -> list[Line]:
    """What of storing a memory is the thirteen spaces, what an entry costs anyway, and what is beyond that."""
    bound = Target(column=CPU, bound=BEYOND)
    plainly = store_plainly(bench, rounds)
    lines = [
        line("thirteen spaces of a text", hang_and_judge(bench, rounds), target=bound),
        line("an entry with such a text", plainly),
    ]
    if stored is not None:
        beyond = {CPU: (median(stored.cpu) - median(plainly.cpu)) * 1e3}
        lines.append(Line(label="a memory beyond an entry", numbers=beyond, target=bound))
    return lines


def share_of(embedded: Stopwatch, stored: Stopwatch | None) -> list[str]:
    if stored is None:
        return []
    share = sum(embedded.cpu) / (sum(embedded.cpu) + sum(stored.cpu))
    return [f"Of what it takes to store a memory, its embedding included, {share:.0%} is the embedder's."]


def measure(scratch: Path, sizes: Sequence[int], rounds: int, wanted: Sequence[str]) -> list[Table]:
    tables: list[Table] = []
    smallest: dict[str, float] = {}
    for size in sizes:
        bench, seconds = open_bench(scratch / f"memories-{size}", size)
        watches = play(bench, rounds, wanted)
        lines: list[Line] = []
        for name, watch in watches.items():
            base = smallest.setdefault(name, median(watch.cpu))
            target = None if name in (STORING, *WORKING) else Target(column=P95, bound=bound_of(name))
            lines.append(line(name, watch, target=target, ratio=median(watch.cpu) / base if size != sizes[0] else None))
        embedding = embed(bench, rounds)
        lines += storing_lines(bench, rounds, watches.get(STORING))
        lines += [line(label, watch) for label, watch in embedding.items()]
        bench.app.kernel.store.close()
        notes = [
            f"Filled in {seconds:.0f} s; {rounds} rounds of every tool, {WARM} before them not counted.",
            "Made-up texts and vectors; embedding is not in the tools' lines but in the last two.",
            "A memory beyond an entry: what store_memory takes more than storing the same text as an entry. Besides",
            "the thirteen spaces it scrubs, checks for planted instructions, searches and compares what is near.",
            *share_of(embedding["embedding a text"], watches.get(STORING)),
            "times the smallest: the CPU of a call over that with the fewest memories. CPU is the calling thread's.",
        ]
        title = f"a call with {size:,} memories, in milliseconds"
        tables.append(Table(name="memory", title=title, lines=lines, notes=notes))
    return tables


def profile(bench: Bench, rounds: int, wanted: Sequence[str]) -> None:
    """Where the time goes, tool by tool."""
    play(bench, 1, wanted)
    for name in wanted:
        profiler = cProfile.Profile()
        for turn in range(rounds, 2 * rounds):
            arguments = TOOLS[name](bench, turn)
            reply = profiler.runcall(bench.run, name, arguments, turn)
            if name == "forget_concept" and reply.structured is not None:
                bench.hashes.append(reply.structured["reversal_hash"])
        print(f"== {name}")
        pstats.Stats(profiler).sort_stats("cumtime").print_stats("memotheca|execute|numpy", 45)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/memory.py", description=__doc__)
    parser.add_argument("--sizes", metavar="N,…", help="numbers of memories (default 10000,100000)")
    parser.add_argument("--quick", action="store_true", help="1,000 memories, fewer rounds")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where the filled directories are, and stay")
    parser.add_argument("--only", metavar="TOOL,…", help="these tools alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to a file, too")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parser.add_argument("--profile", action="store_true", help="say where the time goes instead")
    return parser.parse_args()


def main() -> int:
    parsed = parse()
    scratch = parsed.scratch or Path(tempfile.mkdtemp(prefix="memotheca-bench-"))
    usual = QUICK_SIZES if parsed.quick else SIZES
    sizes = [int(each) for each in parsed.sizes.split(",")] if parsed.sizes else list(usual)
    rounds, wanted = QUICK_ROUNDS if parsed.quick else ROUNDS, wanted_tools(parsed.only)
    if parsed.profile:
        for size in sizes:
            profile(open_bench(scratch / f"memories-{size}", size)[0], rounds, wanted)
        return 0
    machine = describe(scratch)
    tables = measure(scratch, sizes, rounds, wanted)
    for table in tables:
        print(to_text(table))
    machine["load at the end"] = load()
    if parsed.json is not None:
        told = {"machine": machine, "tables": [to_json(table) for table in tables]}
        parsed.json.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    if parsed.write_docs:
        write_section("memory", machine, tables)
    if parsed.scratch is None:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

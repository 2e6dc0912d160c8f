"""What finding a pattern costs in a catalogue of thousands: python benchmarks/patterns.py [--quick] [--write-docs]."""

import argparse
import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from filling import open_app, run_tool
from machine import describe, load
from memotheca.admin.upkeep import seal
from memotheca.app import App
from memotheca.model.kinds import PATTERN
from memotheca.model.knowledge import Entry
from memotheca.patterns.pattern_file import DIFFICULTIES, Pattern
from memotheca.patterns.pattern_store import Others, names_of, put_batch, to_fields
from memotheca.patterns.read_patterns import all_cards
from memotheca.search.derive import chunk_rows
from memotheca.search.prepared import Prepared
from memotheca.vectors.embedders import SHIPPED_IDENTITY
from memotheca.vectors.onnx_embedder import to_bytes, unit
from report import Line, Options, Table, Target, to_text
from section import write_section
from timing import Stopwatch, median, percentile

SIZE, QUICK_SIZE = 5_000, 500
BATCH = 500
P95 = "p95 ms"
CATALOGUE = "generated"

VERBS = "retry cache batch stream validate merge split route schedule compress encrypt index".split()
THINGS = "request record token message document query session event upload report invoice sensor".split()
MEANS = "queue window lease digest cursor ledger snapshot bucket journal quorum gateway mirror".split()


def pattern(number: int, chance: random.Random) -> Pattern:
    verb, thing, means = chance.choice(VERBS), chance.choice(THINGS), chance.choice(MEANS)
    said = [f"To {verb} each {thing}, keep a {means}." for _ in range(3)]
    said += [
        f"The {chance.choice(MEANS)} of variant {number} holds every {chance.choice(THINGS)} once." for _ in range(6)
    ]
    code = f"def {verb}_{thing}(value: int) -> int:\n    return value + {number}\n"
    return Pattern(
        slug=f"{verb}-{thing}-{number}",
        title=f"{verb.capitalize()} a {thing} with a {means} ({number})",
        category=f"area-{number % 24}",
        difficulty=DIFFICULTIES[number % 3],
        summary=said[0],
        description=" ".join(said[:4]),
        text=" ".join(said) + f"\n\n## Example\n\n```python\n{code}```\n",
        tags=(verb, thing, means),
        path=f"{verb}/{number}.md",
    )


def fill(app: App, size: int) -> list[Pattern]:
    """Patterns with vectors at random: searched through like real ones, and made in seconds."""
    chance = random.Random(7)
    numbers = np.random.default_rng(7)
    patterns = [pattern(number, chance) for number in range(size)]
    for start in range(0, size, BATCH):
        batch = patterns[start : start + BATCH]
        made: dict[bytes, list[bytes]] = {}
        for each in batch:
            entry = Entry(id="", kind=PATTERN, **to_fields(each, CATALOGUE), created_at=0, updated_at=0)
            for row in chunk_rows(entry):
                made[row.digest] = [to_bytes(unit(numbers.standard_normal(384)))]
        others = Others(names_of(patterns)) if start + BATCH >= size else None
        prepared = Prepared(SHIPPED_IDENTITY, made)
        act = partial(put_batch, catalogue=CATALOGUE, batch=batch, others=others, prepared=prepared)
        app.kernel.write(act, actor="benchmark")
    seal(app.kernel)
    return patterns


def questions(patterns: list[Pattern], count: int) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    chance = random.Random(11)
    chosen = [chance.choice(patterns) for _ in range(count)]
    search = "search_patterns"
    return {
        "words of one pattern": [(search, {"q": f"{each.title} variant"}) for each in chosen],
        "too broad, asked back": [(search, {"q": each.tags[0]}) for each in chosen],
        "narrowed by category": [(search, {"q": each.tags[1], "category": each.category}) for each in chosen],
        "a question in free text": [
            (search, {"q": f"how can I {each.tags[0]} a {each.tags[1]} without a {each.tags[2]}", "limit": 10})
            for each in chosen
        ],
        "get_pattern": [("get_pattern", {"id": each.slug}) for each in chosen],
        "get_pattern, unknown id": [("get_pattern", {"id": f"{each.slug}x"}) for each in chosen],
    }


def measure(options: Options) -> Table:
    size, count = (QUICK_SIZE, 5) if options.quick else (SIZE, 40)
    app = open_app(options.scratch / "patterns")
    asked = questions(fill(app, size), count)
    all_cards(app.kernel)
    watches = {manner: Stopwatch() for manner in asked}
    run_tool(app, "search_patterns", {"q": "warm up"})
    for place in range(count):
        for manner, calls in asked.items():
            tool, arguments = calls[place]
            watches[manner].time(lambda tool=tool, arguments=arguments: run_tool(app, tool, arguments))
    searches = [watch for manner, watch in watches.items() if not manner.startswith("get")]
    target = Target(column=P95, bound=25)
    lines = [_line(f"{size:,} patterns, every search", searches, target=target)]
    lines += [_line(f"  {manner}", [watch]) for manner, watch in watches.items()]
    app.kernel.store.close()
    return Table(
        name="patterns",
        title="one call of a patterns tool, in milliseconds",
        lines=lines,
        notes=[
            f"{count} calls of each manner, in turns, through validation, dispatch, engine and contract.",
            "Generated patterns of one passage each, in 24 categories, vectors at random; the question is embedded.",
            "The shipped catalogue is searched along with them. CPU is the calling thread's.",
        ],
    )


def _line(label: str, watches: list[Stopwatch], *, target: Target | None = None) -> Line:
    wall = [sample for watch in watches for sample in watch.wall]
    cpu = [sample for watch in watches for sample in watch.cpu]
    numbers = {
        "p50 ms": median(wall) * 1e3,
        P95: percentile(wall, 0.95) * 1e3,
        "CPU p50 ms": median(cpu) * 1e3,
        "CPU p95 ms": percentile(cpu, 0.95) * 1e3,
    }
    return Line(label=label, numbers=numbers, target=target)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/patterns.py", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="500 patterns, fewer calls")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-") as folder:
        machine = describe(Path(folder))
        table = measure(Options(parsed.quick, Path(folder)))
    print(to_text(table))
    machine["load at the end"] = load()
    if parsed.write_docs:
        write_section("patterns", machine, [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Whether the causes that a memory finds in texts are right: python benchmarks/causes.py DIR … [--list].

Each DIR is what one assistant was told over months: memories.jsonl and causes.jsonl (cause, effect, how it is known).
Memories go through `store_memory` at their times, without the relations that somebody stated; every Causal edge that
it makes by itself is right where causes.jsonl lists it, neither right nor wrong where that leads there by way of
others, and wrong otherwise."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answers import Hand, Played, Told, read_corpus, store
from memotheca.app import build
from memotheca.model.clock import from_iso
from memotheca.model.kinds import CAUSAL
from memotheca.settings import load as load_settings

TARGET = 0.8  # specification: below, they are not to be made

Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Causes:
    """What a corpus lists: direct causes, those of them that its texts state, and what it says is none."""

    direct: frozenset[Link]
    stated: frozenset[Link]
    none: frozenset[Link]

    def leads(self, link: Link) -> bool:
        """Whether the cause leads to the effect by way of others."""
        border, seen = {link[0]}, {link[0]}
        while border:
            border = {effect for cause, effect in self.direct if cause in border} - seen
            seen |= border
        return link[1] in seen


def read_causes(folder: Path) -> Causes:
    lines = [json.loads(line) for line in (folder / "causes.jsonl").open(encoding="utf-8")]
    said = [((each["cause"], each["effect"]), each["how"]) for each in lines]
    return Causes(
        frozenset(link for link, how in said if how != "none"),
        frozenset(link for link, how in said if how == "stated in text"),
        frozenset(link for link, how in said if how == "none"),
    )


def find_links(corpus: Told) -> list[Link]:
    """The Causal edges that storing made by itself."""
    clock = Hand(from_iso(corpus.memories[0]["at"]))
    with tempfile.TemporaryDirectory() as folder:
        app = build(load_settings({"data": Path(folder), "toolsets": "all"}, {}), clock=clock)
        played = Played(app, clock, corpus)
        listing = app.catalog.find("store_memory")
        assert listing is not None
        for memory in corpus.memories:
            bare = {name: value for name, value in memory.items() if name != "relation"}
            store(played, bare, listing.wire["inputSchema"]["properties"])
        with app.kernel.read() as snapshot:
            edges = [edge for id in played.ids.values() for edge in snapshot.edges_from(id) if edge.type == CAUSAL]
        app.kernel.store.close()
    names = {id: name for name, id in played.ids.items()}
    return sorted((names[edge.source], names[edge.target]) for edge in edges if edge.target in names)


def report(corpus: Told, causes: Causes, *, listing: bool) -> bool:
    found = find_links(corpus)
    right = [link for link in found if link in causes.direct]
    indirect = [link for link in found if link not in causes.direct and causes.leads(link)]
    wrong = [link for link in found if link not in causes.direct and not causes.leads(link)]
    precision = len(right) / (len(right) + len(wrong)) if found else 1.0
    stated = len(causes.stated.intersection(found))
    print(
        f"{corpus.name}: {len(found)} found, {len(right)} right, {len(indirect)} indirect, {len(wrong)} wrong; "
        f"precision {precision:.2f} (target {TARGET:.2f}{'' if precision >= TARGET else ', missed'}), "
        f"{stated} of {len(causes.stated)} that texts state, {len(right)} of {len(causes.direct)} in all"
    )
    if listing:
        contents = {each["id"]: each for each in corpus.memories}
        for link, verdict in [(link, verdict) for verdict, links in _verdicts(right, wrong) for link in links]:
            print(f"  {verdict}: " + " -> ".join(f"{id} {contents[id]['content'][:80]!r}" for id in link))
    return precision >= TARGET


def _verdicts(right: Sequence[Link], wrong: Sequence[Link]) -> list[tuple[str, Sequence[Link]]]:
    return [("right", right), ("WRONG", wrong)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="show every edge that was found")
    wanted = parser.parse_args()
    held = [report(read_corpus(each), read_causes(each), listing=wanted.list) for each in wanted.folders]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())

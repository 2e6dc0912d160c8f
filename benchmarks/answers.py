"""Whether a context holds what a question needs: python benchmarks/answers.py DIR … [--list] [--budgets N,…]
[--embedder NAME].

Each DIR is what one assistant was told over months: memories.jsonl (what, when, by whom, in which session) and
questions.jsonl (what is asked when, which memories answer it, which would mislead). Memories go through `store_memory`
at their times, questions through `inject_context` at theirs; one that follows another is asked after it in a session.
Everything is read from the reply's text, as an agent would: a memory is shown where its citation stands, outdated is
marked where its line says so, nothing is claimed where the reply begins by saying that nothing is known."""

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filling import choose
from memotheca.app import App, build
from memotheca.model.clock import from_iso
from memotheca.settings import load as load_settings
from memotheca.text.tokens import count_tokens
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from memotheca.vectors.embedders import DEFAULT, MODELS
from timing import percentile

BUDGETS = (512, 2048)
ALLOWED = 1.1  # of the budget, on the wire (specification)
DEPTH = 50
RESERVED = ("Nothing is known", "Nothing known mentions")
EARLIER = "Earlier"  # a heading: everything below it is older than something above
MARKS = ("Superseded", EARLIER, "Disputed", "Ended: ")
WHOLE = ("why", "list")
TARGETS = {
    "gold present": 0.95,
    "gold present, why and list": 0.80,
    "current before outdated": 0.95,
    "outdated never unmarked": 1.0,
    "disputed: both sides": 1.0,
    "unknown: nothing claimed": 0.90,
    "budget held": 1.0,
}


@dataclass(slots=True)
class Hand:
    """A clock that is set by hand."""

    now: int = 0

    def __call__(self) -> int:
        return self.now


@dataclass(frozen=True, slots=True)
class Told:
    """A corpus: its memories and its questions, in the order of time."""

    name: str
    memories: Sequence[Mapping[str, Any]]
    questions: Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class Played:
    """A corpus while it is played: what each memory is called by now, and every question by its id."""

    app: App
    clock: Hand
    corpus: Told
    citations: dict[str, str] = field(default_factory=dict[str, str])
    ids: dict[str, str] = field(default_factory=dict[str, str])

    def run(self, name: str, arguments: Mapping[str, Any], session: str) -> Reply:
        call = Call[Any](kernel=self.app.kernel, actor="benchmark", session=session)
        return self.app.dispatcher.run(name, arguments, call)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back for one question, in one way."""

    question: Mapping[str, Any]
    shown: Mapping[str, int]
    marked: frozenset[str]
    is_reserved: bool
    tokens: int
    text: str
    milliseconds: float = 0.0

    def has(self, gold: str) -> bool:
        alike = [gold, *self.question.get("also", {}).get(gold, ())]
        return any(each in self.shown for each in alike)

    @property
    def present(self) -> list[bool]:
        """For each memory that is needed, or group of equal ones, whether it is shown."""
        groups: list[list[str]] = self.question.get("one_of", [])
        single = [[gold] for gold in self.question["gold"] if not any(gold in group for group in groups)]
        return [any(self.has(gold) for gold in group) for group in (*single, *groups)]

    @property
    def is_answered(self) -> bool:
        return all(self.present)


def read_corpus(folder: Path) -> Told:
    def lines(name: str) -> list[Any]:
        return [json.loads(line) for line in (folder / name).open(encoding="utf-8")]

    return Told(
        folder.name,
        sorted(lines("memories.jsonl"), key=lambda each: from_iso(each["at"])),
        sorted(lines("questions.jsonl"), key=lambda each: from_iso(each["at"])),
    )


def store(played: Played, memory: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    optional = ("name", "importance", "domain", "tags", "source")
    given = {name: memory[name] for name in optional if memory.get(name) is not None and name in parameters}
    given |= {"content": memory["content"], "rationale": memory["rationale"], "session_id": memory["session"]}
    metadata: dict[str, Any] = {} if "source" in parameters else {"source": memory["source"]}
    relation = memory.get("relation")
    if relation and relation["to"] in played.ids:
        metadata["relation"] = relation["word"]
        given["link_to"] = [played.ids[relation["to"]]]
    played.clock.now = max(played.clock.now, from_iso(memory["at"]))
    reply = played.run("store_memory", {**given, "metadata": metadata}, memory["session"])
    if reply.failed or reply.structured is None:
        print(f"  {memory['id']} was refused: {reply.blocks[0]['text'][:160]}", file=sys.stderr)
        return
    played.ids[memory["id"]] = reply.structured["node_id"]
    played.citations[memory["id"]] = reply.structured["citation"]


def inject(played: Played, question: Mapping[str, Any], tokens: int | None) -> Asked:
    """Ask in a session of its own, after what came before it."""
    session = f"question-{question['id']}-{tokens}"
    known = {each["id"]: each for each in played.corpus.questions}
    before: list[Mapping[str, Any]] = [question]
    while before[0].get("previous"):
        before.insert(0, known[before[0]["previous"]])
    reply, spent = Reply(), 0.0
    for each in before:
        given = {"query": each["text"], **({} if tokens is None else {"max_tokens": tokens})}
        began = time.perf_counter()
        reply = played.run("inject_context", given, session)
        spent = (time.perf_counter() - began) * 1000
        if reply.failed:
            raise RuntimeError(f"{each['id']} was refused: {reply.blocks}")
    text = "\n".join(block["text"] for block in reply.blocks)
    context: str = (reply.structured or {})["context"]
    return _read(
        played, question, reply.blocks[0]["text"] if context in reply.blocks[0]["text"] else context, text, spent
    )


def _read(played: Played, question: Mapping[str, Any], context: str, wire: str, spent: float) -> Asked:
    named = {tag: id for id, tag in played.citations.items()}
    shown: dict[str, int] = {}
    marked: set[str] = set()
    place, is_earlier = 0, False
    for line in context.splitlines():
        is_earlier = is_earlier or (line.startswith(EARLIER) and line.endswith(":"))
        start = 0
        for tag in _tags(line):
            at = line.find(tag, start)
            stretch, start = line[start:at], at + len(tag)
            if tag in named:
                shown.setdefault(named[tag], place + at)
                if is_earlier or any(mark in stretch for mark in MARKS) or line.startswith(MARKS):
                    marked.add(named[tag])
        place += len(line) + 1
    return Asked(question, shown, frozenset(marked), context.startswith(RESERVED), count_tokens(wire), context, spent)


def _tags(line: str) -> list[str]:
    return [f"[{part.split(']')[0]}]" for part in line.split("[")[1:] if "]" in part]


def concatenate(played: Played, question: Mapping[str, Any], tokens: int) -> Asked:
    """The best entries of a search one after the other, as many as fit."""
    given = {"query": question["text"], "top_k": DEPTH, "include_content": True}
    found = (played.run("search_graph", given, f"search-{question['id']}").structured or {})["results"]
    told: list[str] = []
    for hit in found:
        line = f"{hit['name']}: {hit['content']} {hit['citation']}"
        if count_tokens("\n".join([*told, line])) > tokens:
            break
        told.append(line)
    text = "\n".join(told)
    return _read(played, question, text, text, 0.0)


def play(corpus: Told, budgets: Sequence[int | None], embedder: str) -> dict[tuple[str, int | None], list[Asked]]:
    """Every question in every way, each at its time."""
    clock = Hand(from_iso(corpus.memories[0]["at"]))
    found: dict[tuple[str, int | None], list[Asked]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        app = build(load_settings({"data": Path(folder), "toolsets": "all"}, {}), clock=clock)
        choose(app, embedder)
        played = Played(app, clock, corpus)
        listing = app.catalog.find("store_memory")
        assert listing is not None
        parameters = listing.wire["inputSchema"]["properties"]
        left = list(corpus.memories)
        for question in corpus.questions:
            while left and from_iso(left[0]["at"]) <= from_iso(question["at"]):
                store(played, left.pop(0), parameters)
            clock.now = max(clock.now, from_iso(question["at"]))
            for tokens in budgets:
                found["inject_context", tokens].append(inject(played, question, tokens))
                found["top-k", tokens].append(concatenate(played, question, tokens or BUDGETS[-1]))
        app.kernel.store.close()
    return found


def measure(asked: Sequence[Asked], budget: int | None) -> dict[str, tuple[float, int]]:
    """Each share with what it is a share of."""
    known = [each for each in asked if each.question["gold"]]
    whole = [each for each in known if each.question["kind"] in WHOLE]
    disputed = [each for each in known if each.question["kind"] == "disputed"]
    unknown = [each for each in asked if each.question["kind"] == "unknown"]
    parts = [part for each in known for part in each.present]
    dated = [each for each in known if each.question["kind"] == "changed" and each.question["outdated"]]
    outdated = [(each, id) for each in known for id in each.question["outdated"] if id in each.shown]
    held = [each.tokens <= ALLOWED * (budget or BUDGETS[-1]) for each in asked]
    return {
        "gold present": _share(parts),
        "answered": _share([each.is_answered for each in known]),
        "gold present, why and list": _share([each.is_answered for each in whole]),
        "current before outdated": _share([_is_current_first(each) for each in dated]),
        "outdated never unmarked": _share([id in each.marked for each, id in outdated]),
        "disputed: both sides": _share([each.is_answered for each in disputed]),
        "unknown: nothing claimed": _share([each.is_reserved or not each.shown for each in unknown]),
        "known, with a word said to be missing": _share([each.is_reserved or not each.shown for each in known]),
        "budget held": _share(held),
    }


def _share(claims: Sequence[bool]) -> tuple[float, int]:
    return (sum(claims) / len(claims) if claims else 1.0), len(claims)


def _is_current_first(asked: Asked) -> bool:
    """The answer is shown, and before anything that it has replaced."""
    question = asked.question
    gold = {id for each in question["gold"] for id in (each, *question.get("also", {}).get(each, ()))}
    current = [place for id, place in asked.shown.items() if id in gold]
    outdated = [place for id, place in asked.shown.items() if id in question["outdated"]]
    return bool(current) and (not outdated or min(current) < min(outdated))


def report(name: str, budget: int | None, ways: Mapping[str, Sequence[Asked]]) -> None:
    print(f"{name}, {budget or 'default'} tokens")
    for label, (share, of) in measure(ways["inject_context"], budget).items():
        target = TARGETS.get(label)
        verdict = "" if target is None else f"  (target {100 * target:.0f} %{'' if share >= target else ', missed'})"
        print(f"  {label:38} {100 * share:5.1f} %  of {of:3}{verdict}")
    for way, asked in ways.items():
        known = [each for each in asked if each.question["gold"]]
        answered = sum(each.is_answered for each in known)
        spent = sum(each.tokens for each in known)
        share, cost = 100 * answered / len(known), spent / max(1, answered)
        print(f"  {way:15} answered {share:5.1f} %, {cost:6.0f} tokens an answer")
    print(f"  p95 {percentile([each.milliseconds for each in ways['inject_context']], 0.95):.0f} ms a call", flush=True)


def show_missed(asked: Sequence[Asked]) -> None:
    for each in asked:
        question = each.question
        is_unknown = question["kind"] == "unknown"
        bare = [id for id in question["outdated"] if id in each.shown and id not in each.marked]
        is_claimed = is_unknown and not each.is_reserved and bool(each.shown)
        is_denied = not is_unknown and (each.is_reserved or not each.shown)
        is_late = question["kind"] == "changed" and not _is_current_first(each)
        if is_claimed or is_denied or is_late or bare or not each.is_answered:
            wrong = {"claimed": is_claimed, "denied": is_denied, "not current first": is_late, "unmarked": bool(bare)}
            said = ", ".join(name for name, holds in wrong.items() if holds) or "missing"
            lacking = [gold for gold in question["gold"] if not each.has(gold)]
            print(f"--- {question['id']} {question['kind']}: {question['text']} [{said}; lacks {lacking}; bare {bare}]")
            print("    " + each.text.replace("\n", "\n    "))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--budgets", default="512,default")
    parser.add_argument("--embedder", default=DEFAULT, choices=MODELS, help="which model embeds; it has to be there")
    parser.add_argument("--list", action="store_true", help="show the contexts that fall short, at the first budget")
    wanted = parser.parse_args()
    budgets = [None if each == "default" else int(each) for each in wanted.budgets.split(",")]
    for folder in wanted.folders:
        found = play(read_corpus(folder), budgets, wanted.embedder)
        for budget in budgets:
            report(folder.name, budget, {way: asked for (way, of), asked in found.items() if of == budget})
        if wanted.list:
            show_missed(found["inject_context", budgets[0]])
    return 0


if __name__ == "__main__":
    sys.exit(main())

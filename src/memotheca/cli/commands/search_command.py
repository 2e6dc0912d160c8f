"""memotheca search: find something in everything that is stored."""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, cast

from memotheca.cli.layout import say
from memotheca.cli.terminal import app_of, at_least, plain, print_json, styled
from memotheca.conversations.turns import cite
from memotheca.entries.triples import find_sentences
from memotheca.kernel.names import file_of, path_of, short_handle
from memotheca.model import kinds
from memotheca.model.kinds import KINDS
from memotheca.model.knowledge import Entry, counted, handle_of
from memotheca.search.excerpts import ExcerptQuery, describe
from memotheca.search.hits import PageBudget, weigh_excerpts
from memotheca.search.search import Question, find_entries

INDENT = " " * 5

EPILOG = """examples:
  memotheca search "how do we release without downtime"
  memotheca search "tea" --tag people --limit 3
  memotheca search "budget" --as-of 2025-01-01 --explain
  memotheca search "budget" --created-after 2025-01-01 --importance 0.7
  memotheca search "deployment" --budget 500 --json | jq '.items[].handle'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="+", help="what you want to know")
    parser.add_argument("--limit", type=at_least(1), default=10, metavar="N", help="how many (default: 10)")
    parser.add_argument(
        "--budget", type=at_least(1), metavar="TOKENS", help="cut titles and passages to this many tokens"
    )
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="only with this tag; can be repeated")
    parser.add_argument(
        "--kind",
        action="append",
        choices=KINDS,
        metavar="KIND",
        help=f"only of this kind; can be repeated: {', '.join(KINDS)}",
    )
    parser.add_argument("--type", metavar="TYPE", help="only of this knowledge_type")
    parser.add_argument("--where", action="append", default=[], metavar="NAME=VALUE", help="only with this attribute")
    for name in ("created", "updated"):
        parser.add_argument(f"--{name}-after", metavar="TIME", help=f"only what was {name} then or later")
        parser.add_argument(f"--{name}-before", metavar="TIME", help=f"only what was {name} then or earlier")
    parser.add_argument("--importance", type=float, metavar="LEAST", help="only what is at least so important (0 to 1)")
    parser.add_argument("--as-of", metavar="TIME", help="only what was valid then")
    parser.add_argument(
        "--as-of-tx", type=at_least(0), metavar="NUMBER", help="as everything was after this transaction"
    )
    parser.add_argument("--explain", action="store_true", help="show why each one matches, and the scores")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    parsed.question = " ".join(parsed.question)
    question = Question(
        content=parsed.question,
        tags=tuple(parsed.tag),
        kinds=tuple(parsed.kind or KINDS),
        knowledge_type=parsed.type,
        attributes=tuple((name, value) for name, _, value in (each.partition("=") for each in parsed.where)),
        created_after=parsed.created_after,
        created_before=parsed.created_before,
        updated_after=parsed.updated_after,
        updated_before=parsed.updated_before,
        least_importance=parsed.importance,
        as_of=parsed.as_of,
        as_of_tx_id=parsed.as_of_tx,
    )
    budget = PageBudget(parsed.budget, weigh_excerpts) if parsed.budget is not None else None
    began = time.perf_counter()
    page = find_entries(kernel, question, limit=parsed.limit, budget=budget)
    triples = _triples(kernel, parsed)
    took = (time.perf_counter() - began) * 1000
    with kernel.read() as snapshot:
        places = [_file(snapshot, cast(Entry, hit.version.thing)) for hit in page.hits]
    if parsed.json:
        items = [_shown(hit, place) for hit, place in zip(page.hits, places, strict=True)]
        told: dict[str, Any] = {"items": items, "mode": page.mode, "indexing": page.waiting}
        maybe = {"tokens": page.tokens, "read_as": page.read_as}
        told |= {name: value for name, value in maybe.items() if value is not None}
        told |= {"triples": [{"handle": each.handle, "sentence": each.sentence} for each in triples]}
        print_json({**told, "retrieval_ms": round(took, 1)})
        return 0
    if page.read_as:
        print(f"Read as: {page.read_as}", file=sys.stderr)
    sought = ExcerptQuery(page.read_as or parsed.question)
    for each in triples:
        say(f"{styled(plain(each.sentence), 'bold')}  {styled(each.handle, 'dim')}", lead="   · ", hang=INDENT)
    for number, (hit, place) in enumerate(zip(page.hits, places, strict=True), start=1):
        _print_hit(number, hit, place, sought=sought, explain=parsed.explain)
    late = (
        f"; {counted(page.waiting, 'passage')} without vectors yet, which a server makes, or memotheca reindex"
        if page.waiting
        else ""
    )
    print(f"{len(page.hits)} found in {took:.0f} ms ({page.mode}{late})", file=sys.stderr)
    return 0


def _triples(kernel: Any, parsed: argparse.Namespace) -> list[Any]:
    """Triples that answer the question, unless it is narrowed by what a triple has not."""
    narrowed = (parsed.tag, parsed.kind, parsed.type, parsed.where, parsed.importance, parsed.as_of, parsed.as_of_tx)
    times = (parsed.created_after, parsed.created_before, parsed.updated_after, parsed.updated_before)
    if any(each is not None and each != [] for each in (*narrowed, *times)):
        return []
    return find_sentences(kernel, parsed.question, limit=min(5, parsed.limit)).triples


@dataclass(frozen=True, slots=True)
class HitPlace:
    """In which file something stands, if in any; and by which handle it is found again."""

    filename: str
    path: str
    handle: str


def _file(snapshot: Any, entry: Entry) -> HitPlace:
    if entry.kind not in (kinds.DOCUMENT, kinds.SECTION, kinds.NOTE):
        return HitPlace("", "", short_handle(snapshot, entry))
    path = path_of(snapshot, entry)
    return HitPlace(file_of(snapshot, entry) or PurePath(path).name, path, short_handle(snapshot, entry))


def _shown(hit: Any, place: HitPlace) -> dict[str, Any]:
    entry = hit.version.thing
    assert isinstance(entry, Entry)
    return {
        "handle": handle_of(entry),
        "kind": entry.kind,
        "title": entry.title,
        **({"filename": place.filename, "path": place.path} if place.filename else {}),
        "passages": [{**describe(excerpt), "text": excerpt.text} for excerpt in hit.excerpts],
        "score_total": hit.score,
        "score_lexical": hit.lexical,
        "score_semantic": hit.cosine,
    }


def _print_hit(number: int, hit: Any, place: HitPlace, *, sought: Any, explain: bool) -> None:
    entry = hit.version.thing
    title = entry.title or place.filename or place.handle
    say(styled(plain(title), "bold"), lead=f"{number:3}. ", hang=INDENT)
    for excerpt in hit.excerpts if explain else hit.excerpts[:1]:
        quoted = _quoted(sought, excerpt, len(entry.body))
        if quoted and plain(quoted) != plain(title):
            say(quoted, lead=INDENT, hang=INDENT)
        told = [_where(excerpt.place), _why(excerpt) if explain else ""]
        if any(told):
            say(styled("; ".join(filter(None, told)), "dim"), lead=INDENT, hang=INDENT)
    if explain:
        scores = {"total": hit.score, "lexical": hit.lexical, "semantic": hit.cosine}
        spelled = ", ".join(f"{name} {score:.3f}" for name, score in scores.items() if score is not None)
        say(styled(spelled, "dim"), lead=INDENT, hang=INDENT)
    source = place.path or place.filename
    handle = place.handle
    if entry.kind == kinds.CONVERSATION and hit.excerpts:
        handle = cite(entry, hit.excerpts[0].place["turn"])
    told = [entry.kind, plain(source), "" if handle in (source, title) else plain(handle)]
    say(styled("  ".join(filter(None, told)), "dim"), lead=INDENT, hang=INDENT)


def _quoted(sought: Any, excerpt: Any, length: int) -> str:
    """The part of a passage that says the most, on one line, its matching words highlighted."""
    narrow = sought.narrow(excerpt)
    parts: list[str] = []
    reached = 0
    for start, stop in sought.highlights(narrow.text):
        parts += [narrow.text[reached:start], styled(narrow.text[start:stop], "yellow")]
        reached = stop
    text = " ".join("".join([*parts, narrow.text[reached:]]).split())
    return ("… " if narrow.start else "") + text + (" …" if narrow.stop < length else "")


def _where(place: dict[str, Any]) -> str:
    """The place of a passage in its source, as a person would say it."""
    return ", ".join(
        f"{name} {' / '.join(cast(list[str], value)) if isinstance(value, list) else value}"
        for name, value in place.items()
    )


def _why(excerpt: Any) -> str:
    matched = excerpt.matched
    said = {"words": matched.words, "phrase": matched.phrases, "name": matched.names}
    parts = [f"{name}: {', '.join(values)}" for name, values in said.items() if values]
    return "; ".join([*parts, *([f"meaning: {matched.meaning:.2f}"] if matched.meaning is not None else [])])

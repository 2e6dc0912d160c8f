"""pinakes search: find something in everything that is stored."""

import argparse
import re
import sys
import time
from typing import Any

from pinakes.app import lazily
from pinakes.cli.terminal import app_of, print_json, styled
from pinakes.model.kinds import KINDS
from pinakes.model.knowledge import Entry, fold, handle_of
from pinakes.spaces.words import STOP_WORDS, stem

find_entries = lazily("pinakes.engine.search", "find_entries")
ask = lazily("pinakes.engine.search", "Question")

SNIPPET = 240

EPILOG = """examples:
  pinakes search "how do we release without downtime"
  pinakes search "tea" --tag people --limit 3
  pinakes search "budget" --as-of 2025-01-01 --explain
  pinakes search "deployment" --json | jq '.items[].handle'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", help="what you want to know")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="how many (default: 10)")
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="only with this tag; can be repeated")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only of this kind; can be repeated")
    parser.add_argument("--type", metavar="TYPE", help="only of this knowledge_type")
    parser.add_argument("--as-of", metavar="TIME", help="only what was valid then")
    parser.add_argument("--as-of-tx", type=int, metavar="NUMBER", help="as everything was after this transaction")
    parser.add_argument("--explain", action="store_true", help="show the scores")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    question = ask(
        content=parsed.question,
        tags=tuple(parsed.tag),
        kinds=tuple(parsed.kind or KINDS),
        knowledge_type=parsed.type,
        as_of=parsed.as_of,
        as_of_tx_id=parsed.as_of_tx,
    )
    began = time.perf_counter()
    page = find_entries(kernel, question, limit=max(1, parsed.limit))
    took = (time.perf_counter() - began) * 1000
    shown = [_shown(hit) for hit in page.hits]
    if parsed.json:
        print_json({"items": shown, "mode": page.mode, "indexing": page.waiting, "retrieval_ms": round(took, 1)})
        return 0
    for number, hit in enumerate(shown, start=1):
        _print_hit(number, hit, parsed)
    late = f"; {page.waiting} passages wait for their vectors" if page.waiting else ""
    print(f"{len(shown)} found in {took:.0f} ms ({page.mode}{late})", file=sys.stderr)
    return 0


def _shown(hit: Any) -> dict[str, Any]:
    entry = hit.version.thing
    assert isinstance(entry, Entry)
    spans = hit.passages or ((0, len(entry.body)),)
    return {
        "handle": handle_of(entry),
        "kind": entry.kind,
        "title": entry.title,
        "passages": [{"start": start, "stop": stop, "text": entry.body[start:stop]} for start, stop in spans],
        "score_total": hit.score,
        "score_lexical": hit.lexical,
        "score_semantic": hit.cosine,
    }


def _print_hit(number: int, hit: dict[str, Any], parsed: argparse.Namespace) -> None:
    print(f"{number:3}. {styled(hit['title'] or hit['handle'], 'bold')}  {styled(str(hit['handle']), 'dim')}")
    print(f"     {_highlighted(_snippet(hit['passages'][0]['text'], parsed.question), parsed.question)}")
    if parsed.explain:
        spelled = ", ".join(
            f"{name} {hit[f'score_{name}']:.3f}"
            for name in ("total", "lexical", "semantic")
            if hit[f"score_{name}"] is not None
        )
        print(f"     {styled(spelled, 'dim')}")


def _wanted(question: str) -> set[str]:
    return {stem(word) for word in re.findall(r"\w+", fold(question)) if word not in STOP_WORDS}


def _snippet(text: str, question: str) -> str:
    """The stretch of a passage in which the most words of the question stand."""
    flat = " ".join(text.split())
    wanted = _wanted(question)
    places = [match.start() for match in re.finditer(r"\w+", flat) if stem(fold(match.group())) in wanted]
    best = max(places or [0], key=lambda start: sum(1 for place in places if start <= place < start + SNIPPET))
    start = max(0, best - 40)
    cut = flat[start : start + SNIPPET]
    return ("… " if start else "") + cut + (" …" if start + SNIPPET < len(flat) else "")


def _highlighted(text: str, question: str) -> str:
    wanted = _wanted(question)
    return re.sub(r"\w+", lambda m: styled(m.group(), "yellow") if stem(fold(m.group())) in wanted else m.group(), text)

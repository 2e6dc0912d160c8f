"""memotheca show: one thing in full."""

import argparse
from typing import Any, cast

from memotheca.cli.layout import fill, say
from memotheca.cli.terminal import app_of, plain, print_json, styled
from memotheca.conversations.turns import SAID_IN, KeptTurn, turns_of
from memotheca.documents.sections import sections_of, with_text
from memotheca.kernel.names import call, file_of, find_thing, name_end, page_of, path_of
from memotheca.model import kinds
from memotheca.model.clock import to_iso
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry, counted, handle_of
from memotheca.storage.snapshot import Snapshot

EPILOG = """examples:
  memotheca show e-1                     an entry, t-1 a relation, Ada a name
  memotheca show notes/index.md          a note by its path
  memotheca show handbook.pdf            a document by its filename, path or id
  memotheca show handbook.pdf --full     its whole text
  memotheca show c-1#5                   a turn of a talk, and those beside it"""

GLANCE = 1500  # chosen: a screenful
FEW = 12  # chosen: a line or two
AROUND = 1  # chosen: what a turn answers, and what is answered to it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("thing", help="a handle, a name, a note's path, a document's filename")
    parser.add_argument("--full", action="store_true", help="the whole text, however long it is")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    with kernel.read() as snapshot:
        version = find_thing(snapshot, parsed.thing)
        shown = _describe(snapshot, version, full=parsed.full or parsed.json)
        if isinstance(version.thing, Entry) and version.thing.kind == kinds.CONVERSATION:
            shown |= _talk(snapshot, version.thing, parsed.thing.strip())
        if isinstance(version.thing, Entry) and version.thing.is_expired(kernel.now()):
            shown["expired"] = shown.pop("expires")
    if parsed.json:
        print_json(shown)
    else:
        _print(shown)
    return 0


def _describe(snapshot: Snapshot, version: Version, *, full: bool) -> dict[str, Any]:
    called = call(snapshot, version)
    thing, deleted = version.thing, None
    if thing is None:
        deleted = version.tx
        past = [each for each in snapshot.versions(version.id) if each.thing is not None]
        called, thing = (call(snapshot, past[-1]), past[-1].thing) if past else (called, None)
    told: dict[str, Any] = {"kind": called.kind, "name": called.name, "handle": thing and handle_of(thing)}
    if isinstance(thing, Entry):
        told |= _entry(snapshot, thing, full=full)
    elif isinstance(thing, Edge):
        told |= _edge(snapshot, thing)
    if thing is not None:
        told |= {"created": to_iso(thing.created_at), "updated": to_iso(thing.updated_at)}
    changes = len(snapshot.versions(version.id))
    told |= {"changed in": version.tx, "versions": changes, "deleted in": deleted}
    return {name: value for name, value in told.items() if value not in (None, "", [], ())}


def _entry(snapshot: Snapshot, entry: Entry, *, full: bool) -> dict[str, Any]:
    attributes = {
        name: entry.attributes.get(name)
        for name in ("source", "actor", "knowledge_type", "confidence", "importance", "rationale", "page_count")
    }
    text = with_text(snapshot, entry).body if entry.kind == kinds.SECTION else entry.body
    edges = [edge for edge in snapshot.edges_of(entry.id) if edge.predicate != "has_section"]
    sections = sections_of(snapshot, entry) if entry.kind == kinds.DOCUMENT else []
    return {
        "file": path_of(snapshot, entry) or file_of(snapshot, entry),
        "tags": list(entry.tags),
        **{name.replace("_", " "): value for name, value in attributes.items()},
        "expires": None if entry.expires_at is None else to_iso(entry.expires_at),
        "sections": [f"{section.title}{page_of(section)}" for section in sections],
        "relations": [_sentence(snapshot, edge) for edge in edges],
        "text": text if full or len(text) <= GLANCE else text[:GLANCE].rsplit(" ", 1)[0] + " …",
        "left out": 0 if full else max(0, len(text) - GLANCE),
    }


def _talk(snapshot: Snapshot, talk: Entry, named: str) -> dict[str, Any]:
    """A conversation's turns counted and what was stored from it; of a turn that was named, what stands around it."""
    turns = turns_of(talk)
    stored = [
        f"{name_end(snapshot, edge.source)} (#{edge.attributes['turn']})"
        for edge in snapshot.edges_of(talk.id, SAID_IN)
        if edge.target == talk.id and "turn" in edge.attributes
    ]
    told: dict[str, Any] = {"client": talk.attributes.get("client"), "turns": len(turns), "stored from it": stored}
    number = named.rpartition("#")[2]
    if "#" in named and number.isdecimal():
        wanted = int(number)
        if not 1 <= wanted <= len(turns):
            raise Refusal(
                Failure.NOT_FOUND, f"{handle_of(talk)} has {counted(len(turns), 'turn')}, and no number {wanted}."
            )
        around = turns[max(0, wanted - 1 - AROUND) : wanted + AROUND]
        told |= {"turn": wanted, "text": "\n\n".join(map(_turn_line, around)), "left out": 0}
    return {name: value for name, value in told.items() if value not in (None, "", [])}


def _turn_line(turn: KeptTurn) -> str:
    when = "" if turn.at is None else f" ({to_iso(turn.at)[:16]})"
    return f"#{turn.number}{when} {turn.speaker}: {turn.text}"


def _edge(snapshot: Snapshot, edge: Edge) -> dict[str, Any]:
    return {
        "subject": name_end(snapshot, edge.source),
        "predicate": edge.predicate,
        "object": name_end(snapshot, edge.target),
        "source": edge.attributes.get("source"),
        "confidence": edge.confidence,
        "valid from": None if edge.validity.start is None else to_iso(edge.validity.start),
        "valid to": None if edge.validity.end is None else to_iso(edge.validity.end),
    }


def _sentence(snapshot: Snapshot, edge: Edge) -> str:
    return f"{name_end(snapshot, edge.source)} {edge.predicate} {name_end(snapshot, edge.target)}"


def _print(shown: dict[str, Any]) -> None:
    say(styled(plain(shown["name"]), "bold"), hang="  ")
    if "deleted in" in shown:
        tx = shown["deleted in"]
        say(styled(f"Deleted in transaction {tx}; memotheca undo --tx {tx} brings it back.", "yellow"))
    for name, value in shown.items():
        if name in ("name", "text", "left out", "deleted in"):
            continue
        told = _few(cast(list[Any], value)) if isinstance(value, list) else plain(str(value))
        say(told, lead=fill(f"  {styled(name, 'dim')}", 15), hang=" " * 15)
    if "text" in shown:
        print()
        for line in shown["text"].splitlines():
            say(plain(line.replace("\t", "    ")), lead=" " * (len(line) - len(line.lstrip(" "))))
    if shown.get("left out"):
        say(styled(f"{counted(shown['left out'], 'letter')} more; --full shows all", "dim"))


def _few(values: list[Any]) -> str:
    told = [plain(str(value)) for value in values[:FEW]]
    return "; ".join([*told, *([f"and {len(values) - FEW} more"] if len(values) > FEW else [])])

"""Taking a collection out and bringing one in, without loss."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO, cast

from memotheca.admin.corpus import (
    BadLine,
    Keep,
    Moved,
    Report,
    Unmerged,
    check_corpus_line,
    import_corpus,
    keep_no_count,
)
from memotheca.admin.export_heads import read_heads
from memotheca.admin.export_lines import sound_header, sound_lines, sound_settings
from memotheca.admin.export_merge import merge_export
from memotheca.admin.upkeep import rebuild_within
from memotheca.entries.edges import find_entity, new_edge, new_entity
from memotheca.entries.entries import blank_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.index_folder import IndexFolder
from memotheca.search.prepared import LATER
from memotheca.storage import journal
from memotheca.storage.heads import all_loose_edges
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.text.secrets import scrub

FORMAT = 1  # chosen: counted up when an older program could not read a file
_HALF = re.compile("[\ud800-\udfff]")
_BEGINNING = b'{"memotheca":"export",'


def export_collection(kernel: Kernel, target: TextIO, report: Report) -> Moved:
    """Write the whole history as JSON lines: a header, one line a transaction, an end line with the count."""
    with kernel.read() as snapshot:
        described = journal.describe(snapshot.session, kernel.collection)
        if described is None:
            raise Refusal(Failure.NOT_FOUND, f"There is no collection {kernel.collection!r} to export.")
        _write_line(target, {"memotheca": "export", "format": FORMAT, "collection": kernel.collection, **described})
        count = 0
        for line in journal.dump(snapshot.session, kernel.collection, snapshot.tx):
            _write_line(target, line)
            count += 1
            report(line["tx"], snapshot.tx, "exporting")
        moved = Moved(count, snapshot.count("entry"), snapshot.count("edge"))
    _write_line(target, {"end": True, "transactions": count})
    return moved


def is_export(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_BEGINNING)) == _BEGINNING


def import_lines(
    kernel: Kernel, source: Iterable[str], *, actor: str, report: Report, keep: Keep = keep_no_count
) -> Moved:
    """Bring in an export of ours, or the `memory.json` of the reference memory server, whichever it is; `keep` is told
    what is durable before all is in. An export is a whole history in an empty collection; what holds something gets
    what it lacks."""
    lines = _parsed(source)
    header = next(lines, None)
    if header is None:
        raise Refusal(Failure.INVALID, "The file is empty.")
    if header.get("memotheca") == "export":
        _refuse_other_format(header)
        sound_header(header)
        if _holds_something(kernel):
            export = read_heads(header, lines, report)
            return merge_export(kernel, export, actor=actor, report=report, keep=keep)
        return _import_history(kernel, header, lines, report)
    if header.get("type") in ("entity", "relation"):
        return _import_graph(kernel, [header, *lines], actor=actor)
    if "_id" in header and "text" in header:
        return import_corpus(kernel, chain([header], lines), actor=actor, report=report, keep=keep)
    raise Refusal(
        Failure.UNSUPPORTED, "The file is no export of Memotheca, no memory.json, and no corpus of _id and text."
    )


def _write_line(target: TextIO, line: dict[str, Any]) -> None:
    target.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def check_lines(source: Iterable[str]) -> None:
    """Read a file to its end before anything of it is brought in, where it comes in by parts; an export is checked as
    it is read."""
    lines = _parsed(source)
    header = next(lines, None)
    if header is None or header.get("memotheca") == "export":
        return
    is_corpus = "_id" in header and "text" in header
    for number, line in enumerate(chain([header], lines), start=1):
        if is_corpus:
            check_corpus_line(line, number)


def _parsed(source: Iterable[str]) -> Iterator[dict[str, Any]]:
    is_export = False
    for number, text in enumerate(source, start=1):
        if text.strip():
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                raise BadLine(number, "is not JSON") from None
            if not isinstance(line, dict):
                raise BadLine(number, "is not a JSON object")
            said = cast(dict[str, Any], line)
            # An export is checked letter by letter; what others write is read as well as it can be.
            is_export = is_export or said.get("memotheca") == "export"
            yield said if is_export else _without_halves(said)


def _without_halves(value: Any) -> Any:
    """The same without halves of letters, which JSON can hold and no database."""
    if isinstance(value, str):
        return _HALF.sub("", value)
    if isinstance(value, list):
        return [_without_halves(each) for each in cast(list[Any], value)]
    if isinstance(value, dict):
        return {_HALF.sub("", name): _without_halves(each) for name, each in cast(dict[str, Any], value).items()}
    return value


def _begin_once(begun: list[bool]) -> None:
    """Lines are read as they come, so that what the database has lost on the way cannot be run again."""
    if begun:
        raise Refusal(Failure.UNAVAILABLE, "The database was lost meanwhile; nothing was imported. Try again.")
    begun.append(True)


def _holds_something(kernel: Kernel) -> bool:
    with kernel.read() as snapshot:
        return journal.holds_something(snapshot.session, kernel.collection)


def _refuse_other_format(header: dict[str, Any]) -> None:
    if header.get("format") != FORMAT:
        raise Refusal(
            Failure.INCOMPATIBLE, f"The export has format {header.get('format')}; this program reads {FORMAT}."
        )


def _import_history(kernel: Kernel, header: dict[str, Any], lines: Iterator[dict[str, Any]], report: Report) -> Moved:
    begun: list[bool] = []
    kept, left_out = sound_settings(header["settings"])
    listed = (Unmerged("embedder", "", "setting", left_out, "", "", left_out),) if left_out else None

    def commits() -> Iterator[dict[str, Any]]:
        for line in sound_lines(header, lines):
            report(line["tx"], header["tx"], "importing")
            yield line

    def act(session: Any) -> Moved:
        _begin_once(begun)
        loaded = journal.load(session, kernel.collection, {**header, "settings": kept}, commits())
        if loose := all_loose_edges(session, kernel.collection):
            raise Refusal(
                Failure.CORRUPT,
                f"Edges in it have lost an end ({len(loose)}, the first {loose[0]}); nothing was imported. Where it "
                "came from, `memotheca doctor --repair` takes such edges out; then export it again.",
            )
        if kernel.parts.find(IndexFolder) is not None:
            rebuild_within(session, kernel, report)
        held = Snapshot(session, kernel.collection)
        return Moved(loaded, held.count("entry"), held.count("edge"), listed=listed)

    return kernel.store.operate(act) if kernel.once is None else kernel.once.operate(kernel.store, act)


def _import_graph(kernel: Kernel, lines: list[dict[str, Any]], *, actor: str) -> Moved:
    """Each observation becomes an entry about its entity, each relation an edge; what is there already is skipped."""

    def act(transaction: Transaction) -> Moved:
        transaction.describe("IMPORT")
        known = {
            (thing.title, thing.body)
            for version in transaction.entries((kinds.ENTRY,))
            if isinstance(thing := version.thing, Entry)
        }
        made = skipped = edges = redacted = 0
        for line in lines:
            if line["type"] == "entity":
                name, tags = line["name"], tuple(t for t in [str(line.get("entityType") or "")] if t)
                _entity(transaction, name)
                for observation in line.get("observations") or ():
                    said, redactions = scrub(observation)
                    if (name, said) in known:
                        skipped += 1
                        continue
                    known.add((name, said))
                    redacted += sum(redaction.count for redaction in redactions)
                    transaction.put(blank_entry(transaction, name, said, tags), LATER)
                    made += 1
            else:
                added = relate_names(transaction, line["from"], line["relationType"], line["to"])
                edges, skipped = edges + added, skipped + (not added)
        return Moved(1 if transaction.changed else 0, made, edges, skipped, redacted)

    for number, line in enumerate(lines, start=1):
        _check_graph_line(line, number)
    return kernel.write(act, actor=actor)


def _check_graph_line(line: dict[str, Any], number: int) -> None:
    if line.get("type") not in ("entity", "relation"):
        raise BadLine(number, "is neither an entity nor a relation")
    for name in ("name",) if line["type"] == "entity" else ("from", "relationType", "to"):
        if not str(line.get(name) or "").strip() or not isinstance(line[name], str):
            raise BadLine(number, f"lacks {name!r}")
    said: object = line.get("observations") or []
    if not isinstance(said, list) or not all(isinstance(each, str) for each in cast(list[Any], said)):
        raise BadLine(number, "has 'observations' that are no list of texts")


def _entity(transaction: Transaction, name: str) -> Entry:
    spelled = " ".join(name.split()) or name
    entity = find_entity(transaction, spelled)
    if entity is None:
        entity = new_entity(transaction, spelled)
        transaction.put(entity, LATER)
    return entity


def relate_names(transaction: Transaction, source: str, predicate: str, target: str) -> bool:
    start, end = _entity(transaction, source), _entity(transaction, target)
    if any(edge.target == end.id for edge in transaction.edges_from(start.id, predicate)):
        return False
    transaction.put(new_edge(transaction, start.id, predicate, end.id))
    return True

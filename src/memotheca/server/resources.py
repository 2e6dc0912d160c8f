"""Resources: the lists a client can browse and follow, and one member of each."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from memotheca.admin.history import list_history, newest_tx
from memotheca.documents.documents import open_document, page_documents
from memotheca.entries.edges import EdgeQuestion, edge_fits, find_edges, get_edge
from memotheca.entries.entries import get_entry
from memotheca.kernel.kernel import Kernel
from memotheca.model.commits import Change, Commit
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import DOCUMENT, ENTRY, KINDS, KNOWLEDGE_TYPES, MEMORY_TYPES, NOTE, TRIPLE
from memotheca.model.knowledge import Edge, Entry, Thing, fold, handle_of
from memotheca.toolkit.contract import count_fitting
from memotheca.toolkit.fields import to_json
from memotheca.tools.documents.contract import DOCUMENTS, DocumentEntry, WholeDocument, document_fields, section_shape
from memotheca.tools.entries.contract import (
    ENTRIES,
    TRANSACTIONS,
    TRIPLES,
    address,
    entry_shape,
    one_entry,
    transaction_shape,
    triple_shape,
)
from memotheca.tools.notes.contract import LISTED, NOTES, note_shape, short_note

MIME_TYPE = "application/json"
DEFAULT_LIMIT = 50  # chosen: what fits into an answer (docs/behaviour.md, Pages)
MAX_LIMIT = 200  # specification: as `query`
MAX_CHANGED_IDS = 100  # chosen: a notification is short; `truncated` says that there were more
PAGING = ("limit", "cursor", "as_of_tx_id")
ALLOWED = {
    "knowledge_type": KNOWLEDGE_TYPES,
    "memory_type": MEMORY_TYPES,
    "entity_type": (*KINDS, TRIPLE),
}

Arguments = dict[str, Any]


class ResourcePage(NamedTuple):
    """Some members of a list, the state they are of, where it goes on, and why there may be more than it reaches."""

    items: list[Any]
    as_of: int
    following: str | None
    partial: str | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """A list that can be read page by page."""

    uri: str
    name: str
    description: str
    filters: tuple[str, ...]
    read_page: Callable[[Kernel, int, str | None, Arguments], ResourcePage]
    read_member: Callable[[Kernel, str], Any] | None
    version: Callable[[Kernel], int]
    # Whether a thing, as a transaction leaves it, is among those that the arguments ask for.
    fits: Callable[[Kernel, Arguments, Thing, int], bool]


LONGEST_ARGUMENT = 4096  # chosen: the bound of a question everywhere (`toolkit/bounds.py`)
MOST_DIGITS = 18  # chosen: what always fits into 64 bits
ENTRY_FILTERS = ("topic", "content", "tags", "as_of", "knowledge_type", "memory_type", "strict_substring")


def _entries_page(kernel: Kernel, limit: int, cursor: str | None, asked: Arguments) -> ResourcePage:
    from memotheca.search.search import Question, find_entries

    page = find_entries(kernel, Question(**asked), limit=limit, cursor=cursor)
    return ResourcePage([entry_shape(hit.version) for hit in page.hits], page.as_of_tx, page.next_cursor, page.partial)


def _triples_page(kernel: Kernel, limit: int, cursor: str | None, asked: Arguments) -> ResourcePage:
    page = find_edges(kernel, EdgeQuestion(**asked), limit=limit, cursor=cursor)
    return ResourcePage(
        [triple_shape(e.version, e.source, e.target) for e in page.edges], page.as_of_tx, page.next_cursor
    )


def _transactions_page(kernel: Kernel, limit: int, cursor: str | None, asked: Arguments) -> ResourcePage:
    page = list_history(kernel, limit=limit, cursor=cursor, **asked)
    items = [transaction_shape(found.commit, found.about, found.undone_by) for found in page.happenings]
    return ResourcePage(items, page.as_of_tx, page.next_cursor)


def _documents_page(kernel: Kernel, limit: int, cursor: str | None, asked: Arguments) -> ResourcePage:
    opened, as_of, following = page_documents(kernel, limit=limit, cursor=cursor, **asked)
    shapes = [DocumentEntry(**document_fields(each.version, each.chunks, each.status)) for each in opened]
    return ResourcePage(shapes, as_of, following)


def _document(kernel: Kernel, handle: str) -> WholeDocument:
    opened = open_document(kernel, handle)
    return WholeDocument(
        **document_fields(opened.version, opened.chunks, opened.status),
        sections=tuple(section_shape(section) for section in opened.sections),
        text=cast(Entry, opened.version.thing).body,
    )


def _documents_version(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.last_touched("entry", (DOCUMENT,))


def _notes_page(kernel: Kernel, limit: int, cursor: str | None, asked: Arguments) -> ResourcePage:
    from memotheca.notes.find_notes import list_notes

    found, as_of, following = list_notes(kernel, limit, cursor, asked)
    items = [short_note(note_shape(node, version, LISTED)) for node, version in found]
    return ResourcePage(items, as_of, following)


def _note(kernel: Kernel, path: str) -> Any:
    from memotheca.notes.read_notes import get_note

    node, version = get_note(kernel, path)
    return note_shape(node, version, None)


def _notes_version(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.last_touched("entry", (NOTE,))


def _entries_version(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.last_touched("entry", (ENTRY,))


def _triples_version(kernel: Kernel) -> int:
    with kernel.read() as snapshot:
        return snapshot.last_touched("edge")


def _triple(kernel: Kernel, handle: str) -> Any:
    found = get_edge(kernel, handle)
    return triple_shape(found.version, found.source, found.target)


def _entry_fits(kernel: Kernel, asked: Arguments, thing: Thing, tx: int) -> bool:
    from memotheca.search.search import Question, fits

    return isinstance(thing, Entry) and fits(Question(**asked), thing)


def _triple_fits(kernel: Kernel, asked: Arguments, thing: Thing, tx: int) -> bool:
    return isinstance(thing, Edge) and edge_fits(kernel, EdgeQuestion(**asked), thing, tx)


def _note_fits(kernel: Kernel, asked: Arguments, thing: Thing, tx: int) -> bool:
    held = {fold(tag) for tag in thing.tags} if isinstance(thing, Entry) else set[str]()
    return all(fold(tag) in held for tag in asked.get("tags", ()))


def _transaction_fits(kernel: Kernel, asked: Arguments, thing: Thing, tx: int) -> bool:
    kind = "triple" if isinstance(thing, Edge) else thing.kind
    return asked.get("entity_type") in (None, kind)


def _always_fits(kernel: Kernel, asked: Arguments, thing: Thing, tx: int) -> bool:
    return True


RESOURCES = (
    Resource(
        ENTRIES,
        "entries",
        "Every stored entry, in the order of their making.",
        ENTRY_FILTERS,
        _entries_page,
        lambda kernel, handle: one_entry(get_entry(kernel, handle), kernel.now()),
        _entries_version,
        _entry_fits,
    ),
    Resource(
        TRIPLES,
        "triples",
        "Every subject-predicate-object triple of the graph.",
        ("subject", "predicate", "object"),
        _triples_page,
        _triple,
        _triples_version,
        _triple_fits,
    ),
    Resource(
        DOCUMENTS,
        "documents",
        "Every document that was added, in the order of their adding; one of them with its sections and text.",
        (),
        _documents_page,
        _document,
        _documents_version,
        _always_fits,
    ),
    Resource(
        NOTES,
        "notes",
        "Every note of the mounted vaults, in the order of their making.",
        ("content", "tags"),
        _notes_page,
        _note,
        _notes_version,
        _note_fits,
    ),
    Resource(
        TRANSACTIONS,
        "transactions",
        "Everything that was changed, newest first.",
        ("entity_type",),
        _transactions_page,
        None,
        newest_tx,
        _transaction_fits,
    ),
)

LISTS = {ENTRY: ENTRIES, NOTE: NOTES, DOCUMENT: DOCUMENTS}


def list_resources(kernel: Kernel) -> list[dict[str, Any]]:
    return [
        {
            "uri": resource.uri,
            "name": resource.name,
            "description": resource.description,
            "mimeType": MIME_TYPE,
            "_meta": {"version": resource.version(kernel), "mime_type": MIME_TYPE},
        }
        for resource in RESOURCES
    ]


def list_templates() -> list[dict[str, Any]]:
    pages = [
        {
            "uriTemplate": f"{resource.uri}{{?limit,cursor,as_of_tx_id}}",
            "name": f"{resource.name}-page",
            "description": f"{resource.description} A page of it, in a stable snapshot.",
            "mimeType": MIME_TYPE,
        }
        for resource in RESOURCES
    ]
    members = [
        {
            "uriTemplate": f"{resource.uri}/{{id}}",
            "name": resource.name[:-1] if resource.name != "entries" else "entry",
            "description": f"One of the {resource.name} by its id.",
            "mimeType": MIME_TYPE,
        }
        for resource in RESOURCES
        if resource.read_member is not None
    ]
    return pages + members


def read_resource(kernel: Kernel, uri: str, beside: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The contents of a resource, a page of it, or one member; how to page can be said in the URI or beside it."""
    resource, member, arguments = parse_uri(uri)
    for name, said in (beside or {}).items():
        _say_beside(arguments, name, said, is_member=bool(member))
    version = resource.version(kernel)
    if member:
        assert resource.read_member is not None
        shape = resource.read_member(kernel, member)
        page = ResourcePage([shape], newest_tx(kernel), None)
        version = shape.tx_id
    else:
        limit, cursor = _whole(arguments.pop("limit", None), "limit"), arguments.pop("cursor", None)
        if limit is not None and not 1 <= limit <= MAX_LIMIT:
            raise Refusal(Failure.INVALID, f"limit must be from 1 to {MAX_LIMIT}.", field="limit")
        page = _read_page(resource, kernel, arguments, limit=limit, cursor=cursor)
    body = {
        "resource_uri": address(resource.uri, handle=member),
        "mime_type": MIME_TYPE,
        "version": version,
        "as_of_tx_id": page.as_of,
        "items": to_json(page.items),
        "next_cursor": page.following,
        **({"partial": page.partial} if page.partial else {}),
    }
    return {
        "uri": uri,
        "mimeType": MIME_TYPE,
        "text": json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        "_meta": {"version": version},
    }


def _read_page(
    resource: Resource, kernel: Kernel, asked: Arguments, *, limit: int | None, cursor: str | None
) -> ResourcePage:
    """A page of as many as were asked for; else of as many as there is room for."""
    page = resource.read_page(kernel, limit or DEFAULT_LIMIT, cursor, asked)
    fitting = len(page.items) if limit is not None else count_fitting(page.items)
    return page if fitting == len(page.items) else resource.read_page(kernel, fitting, cursor, asked)


def parse_uri(uri: str) -> tuple[Resource, str, Arguments]:
    """The resource a URI is about, the member it names, and its arguments."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise Refusal(Failure.INVALID, "That is not a URI.", field="uri") from None
    path = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
    for resource in RESOURCES:
        if path == resource.uri:
            return resource, "", _arguments(resource, parts.query)
        if path.startswith(f"{resource.uri}/") and resource.read_member is not None:
            return resource, unquote(path.removeprefix(f"{resource.uri}/")), {}
    raise Refusal(Failure.NOT_FOUND, "There is no such resource; resources/list names them.", field="uri")


def _arguments(resource: Resource, query: str) -> Arguments:
    found: Arguments = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in (*resource.filters, *PAGING):
            known = ", ".join((*resource.filters, *PAGING))
            raise Refusal(
                Failure.INVALID, f"{name} is not an argument of this resource; there are {known}.", field=name
            )
        if len(value) > LONGEST_ARGUMENT:
            raise Refusal(Failure.INVALID, f"{name} may have at most {LONGEST_ARGUMENT:,} characters.", field=name)
        if name == "tags":
            found[name] = (*found.get(name, ()), value)
        elif name == "strict_substring":
            found[name] = _one_of(name, value.lower(), ("true", "false")) == "true"
        elif name in ALLOWED:
            found[name] = _one_of(name, value, ALLOWED[name])
        else:
            found[name] = value
    if "as_of_tx_id" in found:
        found["as_of_tx_id"] = _whole(found["as_of_tx_id"], "as_of_tx_id")
    return found


def _one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise Refusal(Failure.INVALID, f"{name} must be one of {', '.join(allowed)}.", field=name)
    return value


def _say_beside(arguments: Arguments, name: str, said: Any, *, is_member: bool) -> None:
    """Take an argument that stands beside the URI; two that differ, or one about pages of a single thing, are refused
    rather than passed over."""
    if is_member:
        raise Refusal(Failure.INVALID, f"One member has no pages, so {name} says nothing of it.", field=name)
    if isinstance(said, bool) or not isinstance(said, str | int):
        raise Refusal(
            Failure.INVALID, f"{name} must be a {'text' if name == 'cursor' else 'whole number'}.", field=name
        )
    spelled = str(said) if name != "as_of_tx_id" else _whole(str(said), name)
    if arguments.setdefault(name, spelled) != spelled:
        raise Refusal(Failure.INVALID, f"{name} is another in the URI than beside it.", field=name)


def _whole(value: str | None, name: str) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or len(value) > MOST_DIGITS:
        raise Refusal(Failure.INVALID, f"{name} must be a whole number of at most {MOST_DIGITS} digits.", field=name)
    return int(value)


def changed_resources(commit: Commit, changes: list[Change]) -> list[dict[str, Any]]:
    """One note per resource and kind of change: what a follower of that resource should hear."""
    touched: dict[tuple[str, str], list[str | int]] = {}

    def touch(uri: str, change_type: str, id: str | int) -> None:
        touched.setdefault((uri, change_type), []).append(id)

    for change in changes:
        list_uri = TRIPLES if change.after.subject == "edge" else LISTS.get(change.after.kind)
        if list_uri is not None:
            name = _name(change)
            change_type = "delete" if change.removes else "upsert"
            touch(list_uri, change_type, name)
            touch(address(list_uri, handle=name), change_type, name)
    touch(TRANSACTIONS, "upsert", commit.tx)
    return [_told(commit, uri, change_type, ids) for (uri, change_type), ids in touched.items()]


def _told(commit: Commit, uri: str, change_type: str, ids: list[str | int]) -> dict[str, Any]:
    return {
        "resource_uri": uri,
        "tx_id": commit.tx,
        "change_type": change_type,
        "changed_ids": ids[:MAX_CHANGED_IDS],
        "truncated": len(ids) > MAX_CHANGED_IDS,
    }


def _name(change: Change) -> str:
    thing = change.after.thing or (change.before.thing if change.before is not None else None)
    return change.after.id if thing is None else handle_of(thing)


@dataclass(frozen=True, slots=True)
class WatchedResource:
    """What a client follows: the URI under which its changes are announced, and what is asked of them."""

    announced: str
    resource: Resource
    asked: Arguments | None = None

    def narrow(self, kernel: Kernel, commit: Commit, changes: list[Change]) -> list[Change]:
        """The changes of things that are asked for as they were before or are after."""
        if self.asked is None:
            return changes
        if self.resource.uri == TRANSACTIONS:
            about = [change for change in changes if change.after.id == commit.subject_id]
            return changes if any(self._is_asked(kernel, commit, change) for change in about) else []
        return [change for change in changes if self._is_asked(kernel, commit, change)]

    def _is_asked(self, kernel: Kernel, commit: Commit, change: Change) -> bool:
        moments = ((change.before, commit.tx - 1), (change.after, commit.tx))
        return any(
            version is not None
            and version.thing is not None
            and self.resource.fits(kernel, self.asked or {}, version.thing, tx)
            for version, tx in moments
        )


def understand(kernel: Kernel, uri: str) -> WatchedResource:
    """What a client wants to follow; raises Refusal where there is no such resource."""
    resource, member, arguments = parse_uri(uri)
    if not member:
        asked = {name: value for name, value in arguments.items() if name in resource.filters}
        if asked:
            # What cannot be asked is refused now, not where nobody would hear of it.
            resource.fits(kernel, asked, Entry(id="", kind=ENTRY, title="", created_at=0, updated_at=0), 0)
        return WatchedResource(resource.uri, resource, asked or None)
    assert resource.read_member is not None
    return WatchedResource(address(resource.uri, handle=resource.read_member(kernel, member).id), resource)


def changes_wanted(
    kernel: Kernel, wanted: WatchedResource, commit: Commit, changes: list[Change]
) -> list[dict[str, Any]]:
    """What a follower of a part of a resource should hear."""
    kept = wanted.narrow(kernel, commit, changes)
    told = changed_resources(commit, kept) if kept else []
    return [note for note in told if note["resource_uri"] == wanted.announced]

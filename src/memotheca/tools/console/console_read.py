"""Read one thing for a page."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Entry
from memotheca.toolkit.fields import UNSET, Unset, free, integer, many, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.link_shapes import TieShape, link_shape
from memotheca.tools.console.shapes import (
    ChangeShape,
    NameShape,
    StateShape,
    change_shapes,
    name_shape,
    state_shape,
    why_of,
)
from memotheca.tools.console.wording import moment
from memotheca.views.differences import presentable
from memotheca.views.thing_names import source_of
from memotheca.views.thing_view import SECTIONS, ThingView, VersionStep, view_thing

LONG_LINE = 2000  # chosen: a paragraph; a text without lines is cut where it is asked for
BODY = 200_000  # chosen: a hundred pages; what is longer is a document, whose sections are read one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    handle: str = text("Any handle: an id, e-1, a note's path, a document's filename, [node_…]", maxLength=4096)
    as_of: str | Unset = text("As it was then: an ISO-8601 time, or a transaction's number", UNSET)
    length: int = integer("How much of the text at most, in characters", 6000, minimum=0, maximum=BODY)
    start: int = integer("From which letter of the text on; the line that it is in is shown whole", 0, minimum=0)
    limit: int = integer("How many links each way, versions and sections at most", 20, minimum=1, maximum=SECTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionShape:
    tx: int = integer()
    at: str = text()
    actor: str = text()
    operation: str = text()
    verb: str = text()
    why: str | None = text(nullable=True)
    undone_by: int | None = integer(nullable=True)
    undoes: int | None = integer(nullable=True)
    changes: tuple[ChangeShape, ...] = many(ChangeShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldShape:
    reason: str = text()
    since: str | None = text(nullable=True)
    until: str | None = text(nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionShape:
    id: str = text()
    handle: str = text()
    title: str = text()
    page: int | Unset = integer(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndsShape:
    source: TieShape = one(TieShape)
    target: TieShape = one(TieShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    id: str = text()
    handle: str = text()
    kind: str = text()
    title: str = text()
    body: str = text()
    body_start: int = integer("The letters before what is shown")
    body_cut: int = integer("The letters after it")
    tags: tuple[str, ...] = texts()
    attributes: dict[str, Any] = free()
    aliases: tuple[str, ...] = texts()
    created_at: str = text()
    updated_at: str = text()
    valid_from: str | None = text(nullable=True)
    valid_to: str | None = text(nullable=True)
    expires_at: str | None = text(nullable=True)
    source: str | None = text(nullable=True)
    state: str = text()
    held: HeldShape | Unset = one(HeldShape, default=UNSET)
    owner: str = text()
    path: str | Unset = text(default=UNSET)
    document: NameShape | Unset = one(NameShape, default=UNSET)
    sections: tuple[SectionShape, ...] | Unset = many(SectionShape, default=UNSET)
    sections_total: int | Unset = integer(default=UNSET)
    ends: EndsShape | Unset = one(EndsShape, default=UNSET)
    links_out: tuple[TieShape, ...] = many(TieShape)
    links_out_total: int = integer()
    links_in: tuple[TieShape, ...] = many(TieShape)
    links_in_total: int = integer()
    versions: tuple[VersionShape, ...] = many(VersionShape)
    versions_total: int = integer()
    cited_by: tuple[TieShape, ...] = many(TieShape)
    cited_by_total: int = integer()
    tx: int = integer()
    as_of: StateShape | Unset = one(StateShape, default=UNSET)


EXAMPLE = Example(
    arguments={"handle": "e-1"},
    after=(
        ("store", {"topic": "tea", "content": "Ada takes it black.", "tags": ["people"]}),
        ("update", {"id": "e-1", "content": "Ada takes it with milk."}),
    ),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_read(call: Call[Kernel], input: Input) -> Answer:
    """Read anything by any handle: its text, its links both ways, its versions and who cites it."""
    given = said(input)
    view = view_thing(call.kernel, given["handle"], as_of=given.get("as_of"))
    thing = view.thing
    entry = thing if isinstance(thing, Entry) else None
    is_filed = thing.attributes.get("owner") == "file"
    start = _line_start(view.body, input.start)
    output = Output(
        id=view.id,
        handle=view.handle,
        kind=TRIPLE if entry is None else entry.kind,
        title=view.title,
        body=view.body[start : start + input.length],
        body_start=start,
        body_cut=max(0, len(view.body) - start - input.length),
        tags=() if entry is None else entry.tags,
        attributes=presentable(thing),
        aliases=tuple(alias.name for alias in thing.aliases),
        created_at=to_iso(thing.created_at),
        updated_at=to_iso(thing.updated_at),
        valid_from=moment(thing.validity.start),
        valid_to=moment(thing.validity.end),
        expires_at=None if entry is None else moment(entry.expires_at),
        source=thing.attributes.get("source") if entry is None else source_of(entry),
        state=view.standing,
        held=_held(view),
        owner="file" if is_filed else "row",
        path=str(thing.attributes["path"]) if is_filed else UNSET,
        document=name_shape(view.document),
        sections=_sections(view, input.limit),
        sections_total=view.section_count if view.sections else UNSET,
        ends=_ends(view),
        links_out=tuple(map(link_shape, view.outgoing[: input.limit])),
        links_out_total=view.counts[0],
        links_in=tuple(map(link_shape, view.incoming[: input.limit])),
        links_in_total=view.counts[1],
        versions=tuple(map(_version, view.versions[: input.limit])),
        versions_total=view.version_count,
        cited_by=tuple(map(link_shape, view.cited_by[: input.limit])),
        cited_by_total=len(view.cited_by),
        tx=view.tx,
        as_of=state_shape(view.state),
    )
    return Answer(f"{view.title} ({output.kind}, {view.standing}).", content=output)


def _line_start(body: str, place: int) -> int:
    """The beginning of the line that a letter is in, unless that is far."""
    place = min(place, len(body))
    line = body.rfind("\n", max(0, place - LONG_LINE), place) + 1
    return line if line > 0 or place <= LONG_LINE else place


def _held(view: ThingView) -> HeldShape | Unset:
    if view.held is None:
        return UNSET
    since, until = view.held.get("since"), view.held.get("until")
    return HeldShape(reason=str(view.held.get("reason", "")), since=moment(since), until=moment(until))


def _sections(view: ThingView, limit: int) -> tuple[SectionShape, ...] | Unset:
    if not view.sections:
        return UNSET
    return tuple(
        SectionShape(id=each.id, handle=handle, title=each.title, page=each.attributes.get("page", UNSET))
        for each, handle in list(zip(view.sections, view.section_handles, strict=True))[:limit]
    )


def _ends(view: ThingView) -> EndsShape | Unset:
    if view.ends is None:
        return UNSET
    return EndsShape(source=link_shape(view.ends[0]), target=link_shape(view.ends[1]))


def _version(step: VersionStep) -> VersionShape:
    commit = step.commit
    return VersionShape(
        tx=commit.tx,
        at=to_iso(commit.time),
        actor=commit.actor,
        operation=commit.operation,
        verb=commit.verb,
        why=why_of(commit),
        undone_by=step.undone_by,
        undoes=commit.undoes,
        changes=change_shapes(step.changes),
    )

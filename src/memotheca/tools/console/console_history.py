"""Tell what happened for a page."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.model.kinds import KINDS, TRIPLE
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, one, said, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.shapes import StateShape, why_of
from memotheca.tools.console.wording import count, moment
from memotheca.views.journal_view import JournalFilter, JournalLine, read_journal


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("", 50, minimum=1, maximum=100)
    before: int | Unset = integer("Only transactions before this one, for the next page", UNSET, minimum=1)
    actor: str | Unset = text("Only by whom", UNSET)
    kind: str | Unset = choice((*KINDS, TRIPLE), "Only about this kind", UNSET)
    query: str | Unset = text("Only with these letters in the sentence, the title or the actor", UNSET, maxLength=200)
    handle: str | Unset = text("Only what changed this thing", UNSET)
    since: str | Unset = text("ISO-8601", UNSET)
    until: str | Unset = text("ISO-8601", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectShape:
    id: str = text()
    handle: str = text()
    title: str = text()
    kind: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineShape:
    tx: int = integer()
    at: str = text()
    actor: str = text()
    operation: str = text()
    verb: str = text()
    sentence: str = text()
    subject: SubjectShape = one(SubjectShape)
    changes: int = integer()
    undone_by: int | None = integer(nullable=True)
    undoes: int | None = integer(nullable=True)
    why: str | None = text(nullable=True)
    can_undo: bool = flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    transactions: tuple[LineShape, ...] = many(LineShape)
    next_before: int | None = integer(nullable=True)
    actors: tuple[str, ...] = texts()
    newest: StateShape = one(StateShape)
    oldest: StateShape = one(StateShape)


EXAMPLE = Example(
    arguments={},
    after=(
        ("store", {"topic": "Ada's tea", "content": "black"}),
        ("update", {"id": "e-1", "content": "with milk"}),
    ),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_history(call: Call[Kernel], input: Input) -> Answer:
    """List every transaction in words, newest first: by whom, about what, what it changed and what took it back."""
    given = said(input)
    limit, before = given.pop("limit"), given.pop("before", None)
    page = read_journal(call.kernel, JournalFilter(**given), limit=limit, before=before)
    output = Output(
        transactions=tuple(map(_shape, page.lines)),
        next_before=page.next_before,
        actors=tuple(page.actors),
        newest=_state(page.newest),
        oldest=_state(page.oldest),
    )
    return Answer(f"{count(len(page.lines), 'transaction')}, newest first.", content=output)


def _state(state: tuple[int, int]) -> StateShape:
    tx, time = state
    return StateShape(tx=tx, at=moment(time) if tx else None)


def _shape(line: JournalLine) -> LineShape:
    commit = line.commit
    return LineShape(
        tx=commit.tx,
        at=to_iso(commit.time),
        actor=commit.actor,
        operation=commit.operation,
        verb=commit.verb,
        sentence=line.sentence,
        subject=SubjectShape(id=line.id, handle=line.handle, title=line.title, kind=line.kind),
        changes=line.changes,
        undone_by=line.undone_by,
        undoes=commit.undoes,
        why=why_of(commit),
        can_undo=line.can_be_undone,
    )

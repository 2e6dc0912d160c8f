"""Search everything for a connector."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.toolkit.fields import many, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.chatgpt.contract import title_of, url_of
from memotheca.views.search_view import FoundPassage, Wanted, search_everything

MOST = 10  # chosen: what such a client fetches one by one afterwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("What to look for, in words", maxLength=4096)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShape:
    id: str = text("For fetch")
    title: str = text()
    url: str = text()
    text: str = text("The passage that answers best")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    results: tuple[ResultShape, ...] = many(ResultShape)


EXAMPLE = Example(
    arguments={"query": "tea"},
    after=(("store", {"topic": "tea", "content": "Ada takes it black.", "tags": ["people"]}),),
)


@tool(
    contract="chatgpt",
    effect="read",
    models=(Input, Output),
    example=EXAMPLE,
    name="chatgpt/search_all",
    called="search",
)
def search_all(call: Call[Kernel], input: Input) -> Answer:
    """Search everything that is stored: facts, memories, notes, documents, conversations, relations. Best first; fetch
    reads one whole."""
    if not input.query.strip():
        return Answer(content=Output(results=()))
    page = search_everything(call.kernel, Wanted(query=input.query), limit=MOST, offset=0)
    related = [
        ResultShape(id=handle, title=sentence, url=url_of(kinds.TRIPLE, handle, None), text=sentence)
        for handle, sentence in page.triples
    ]
    found = [_shape(each) for each in page.found]
    return Answer(content=Output(results=tuple([*found, *related][:MOST])))


def _shape(found: FoundPassage) -> ResultShape:
    turn = found.place.get("turn")
    handle = found.handle if turn is None else f"{found.handle}#{turn}"
    document = None if found.document is None else found.document.title
    return ResultShape(
        id=handle,
        title=title_of(found.entry, document),
        url=url_of(found.entry.kind, handle, found.source),
        text=found.passage,
    )

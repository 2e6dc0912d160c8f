"""Show a page of a document as it looks, for a page."""

import base64
from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.parsing.page_picture import WIDEST
from memotheca.toolkit.fields import UNSET, Unset, integer, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.wording import count
from memotheca.views.page_view import view_page

MOST_PAGES = 1_000_000  # chosen: far above any document


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    handle: str = text("A document, or a section of one: any handle", maxLength=4096)
    page: int = integer("Which page; 0 is that on which the section begins", 0, minimum=0, maximum=MOST_PAGES)
    width: int = integer(
        "How many pixels wide to draw it; 0 only says how many pages there are", 0, minimum=0, maximum=WIDEST
    )
    as_of: str | Unset = text("As it was then: an ISO-8601 time, or a transaction's number", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    document: str = text()
    title: str = text()
    page: int = integer()
    pages: int = integer()
    width: int = integer()
    height: int = integer()
    picture: str | None = text(nullable=True)


EXAMPLE = Example(
    arguments={"handle": "lamp.svg"},
    after=(
        (
            "knowledge-add",
            {
                "file_path": "data:image/svg+xml;name=lamp.svg,<svg xmlns='http://www.w3.org/2000/svg' "
                "viewBox='0 0 90 60'><text y='40'>The lamp on the pier</text></svg>",
                "async": False,
            },
        ),
    ),
)


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_page(call: Call[Kernel], input: Input) -> Answer:
    """Show how a page of a document looks, drawn anew from the file it was read from: a PDF's page, or a picture."""
    given = said(input)
    view = view_page(call.kernel, input.handle, page=input.page, width=input.width, as_of=given.get("as_of"))
    drawn, name = view.picture, view.document
    return Answer(
        f"Page {drawn.page:,} of {count(drawn.pages, 'page')}.",
        content=Output(
            document=name.id,
            title=name.title,
            page=drawn.page,
            pages=drawn.pages,
            width=drawn.width,
            height=drawn.height,
            picture=base64.b64encode(drawn.content).decode("ascii") if drawn.content else None,
        ),
    )

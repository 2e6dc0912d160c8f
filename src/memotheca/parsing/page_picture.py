"""How a page of a file looks; `drawn_pages.py` draws it, with libraries that no server loads."""

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

FORMATS = frozenset(
    {"pdf", "svg", "png", "jpg", "gif", "webp"}
)  # chosen: those that look like something, and can be drawn
WIDEST = 2000  # chosen: a page on a screen of many pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """A PNG of our own making, and of how many pages it is one; without it, only how many there are."""

    page: int
    pages: int
    width: int = 0
    height: int = 0
    content: bytes = b""

    def to_wire(self) -> dict[str, Any]:
        return asdict(self) | {"content": base64.b64encode(self.content).decode("ascii")}

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> "PagePicture":
        content = base64.b64decode(wire["content"])
        page, pages, width, height = (int(wire[name]) for name in ("page", "pages", "width", "height"))
        return cls(page=page, pages=pages, width=width, height=height, content=content)

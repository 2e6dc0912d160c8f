"""A file on its way through a reader: its bytes, its name, what was asked for, and who watches."""

from dataclasses import dataclass, replace

from memotheca.parsing.document import Report, say_nothing

MAX_DEPTH = 4  # chosen: a mail in a mail in an archive; deeper is a bomb


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How a file is to be read: which Tesseract and language data (empty: those installed with us), which languages."""

    force_ocr: bool = False
    languages: str = "eng"
    tesseract: str = ""
    tessdata: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a reader is given."""

    name: str
    content: bytes
    wishes: Wishes = Wishes()
    report: Report = say_nothing
    depth: int = 0

    def within(self, name: str, content: bytes) -> "Source":
        """A file inside this one, as an attachment."""
        return replace(self, name=name, content=content, depth=self.depth + 1, report=say_nothing)

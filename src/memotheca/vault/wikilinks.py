"""What a link is: where it stands in the text, what it points at, and in which form it was written."""

import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_NOTE_SUFFIX = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
# A wikilink may be to a note called Node.js; only what Obsidian keeps beside notes is surely none.
_MEDIA_SUFFIX = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|svg|webp|avif|heic|tiff?|ico|mp3|wav|m4a|ogg|oga|opus|flac|3gp|mp4|webm|ogv|mov|mkv|avi"
    r"|pdf|docx?|pptx?|xlsx?|odt|ods|odp|epub|zip|csv|canvas|base)$",
    re.IGNORECASE,
)
_ANY_SUFFIX = re.compile(r"\.(?!md$|markdown$)[A-Za-z][A-Za-z0-9]{0,5}$", re.IGNORECASE)
_FRAGMENT = re.compile(r"[#^]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class LinkSyntax(StrEnum):
    """How a link is written."""

    WIKI = "wiki"
    MARKDOWN = "markdown"
    DEFINITION = "definition"


class Link(NamedTuple):
    """One link; `start:end` is all of it, `target_start:target_end` the written path or name without its fragment."""

    form: LinkSyntax
    start: int
    end: int
    target_start: int
    target_end: int
    target: str
    fragment: str | None = None
    label: str | None = None
    is_embed: bool = False
    is_angled: bool = False

    @property
    def is_inside(self) -> bool:
        """Whether it points into the note that holds it."""
        return not self.target

    @property
    def is_attachment(self) -> bool:
        """Whether it names a file that is no note (an image, a PDF, a folder), unless a note is called so."""
        suffix = _MEDIA_SUFFIX if self.form is LinkSyntax.WIKI else _ANY_SUFFIX
        return self.target.endswith(("/", "..")) or self.target == "." or suffix.search(self.target) is not None

    @property
    def shown(self) -> str:
        """As a warning says it."""
        return f"[[{self.target}{'#' + self.fragment if self.fragment else ''}]]"


def wiki_link(inner: str, start: int, *, is_embed: bool) -> Link | None:
    """The link `[[inner]]` whose brackets open at `start`; None where it names nothing."""
    written, bar, label = inner.partition("|")
    if bar and written.endswith("\\"):
        written = written[:-1]
    mark = _FRAGMENT.search(written)
    target, fragment = (written[: mark.start()], written[mark.start() :].strip()) if mark else (written, "")
    name = target.strip()
    if not name and not fragment.strip("#^ "):
        return None
    first = start + 2 + (len(target) - len(target.lstrip()) if target != name else 0)
    return Link(
        LinkSyntax.WIKI,
        start - is_embed,
        start + len(inner) + 4,
        first,
        first + len(name),
        name,
        fragment=fragment.removeprefix("#") or None,
        label=label.strip() if bar else None,
        is_embed=is_embed,
    )


def markdown_link(form: LinkSyntax, span: tuple[int, int], written: str, at: int, *, is_angled: bool) -> Link | None:
    """The link to a destination written at `at`; None where it leads out of the vault or nowhere."""
    if _SCHEME.match(written) or written.startswith("//"):
        return None
    path, _, fragment = written.partition("#")
    path = path.partition("?")[0]
    if not path and not fragment:
        return None
    return Link(
        form=form,
        start=span[0],
        end=span[1],
        target_start=at,
        target_end=at + len(path),
        target=unquote(_ESCAPED.sub(r"\1", path)),
        fragment=unquote(fragment) or None,
        is_angled=is_angled,
    )


def without_suffix(path: str) -> str:
    """A note's path or name without `.md`."""
    if path.endswith(".md"):
        return path[:-3]
    return _NOTE_SUFFIX.sub("", path) if "." in path else path


def is_note(path: str) -> bool:
    return _NOTE_SUFFIX.search(path) is not None


def folded(text: str) -> str:
    """What two names have in common that differ in case or normalisation alone."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def title_of(path: str) -> str:
    """The title that a path gives: no folder, no suffix, dashes as spaces, each word's first letter large."""
    name = without_suffix(path.rpartition("/")[2])
    words = name.replace("-", " ").replace("_", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words) or name

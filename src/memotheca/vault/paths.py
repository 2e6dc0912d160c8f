"""Which paths belong to a vault, and which file name a title gets."""

import re
import unicodedata

from memotheca.model.errors import Failure, Refusal
from memotheca.vault.wikilinks import folded, is_note

MAX_NAME = 255  # specification: what file systems take
MAX_PATH = 1024  # specification: what the strictest of the systems takes, macOS
SUFFIX = ".md"

_FORBIDDEN = re.compile(r'[*"<>|?:\\\[\]#^]')
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)


def check_inside(path: str) -> str:
    """The same path, if its words cannot lead out of the vault or into what is hidden there."""
    if not path or path.startswith(("/", "\\", "~/")) or path == "~" or _DRIVE.match(path):
        raise _forbidden(path, "it is not a path within the vault")
    if "\x00" in path or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH:
        raise _forbidden(path, "no file can have such a name")
    for name in path.split("/"):
        if name in ("", ".", "..") or "\\" in name:
            raise _forbidden(path, "it is not a plain path within the vault")
        if name.startswith("."):
            raise _forbidden(path, "hidden files and folders do not belong to the notes")
        if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME:
            raise _forbidden(path, f"a name may be {MAX_NAME} bytes long")
    return path


def check_new(path: str) -> str:
    """The path of a file to make: within the vault, and one that every system and every link can name."""
    path = check_inside(unicodedata.normalize("NFC", path))
    for name in path.split("/"):
        if _CONTROL.search(name) or _FORBIDDEN.search(name):
            raise _forbidden(path, 'none of * " < > | ? : \\ [ ] # ^ and no control character may be in a name')
        if _RESERVED.match(name):
            raise _forbidden(path, f"{name!r} is reserved on Windows")
        if name != name.strip() or name.endswith("."):
            raise _forbidden(path, "a name may not begin with a space or end in a space or a dot")
    if not is_note(path):
        raise _forbidden(path, f"a note's name ends in {SUFFIX}")
    return path


def file_name(title: str) -> str:
    """The title as a file name: lower case, spaces as hyphens, without what a file system or a link cannot bear."""
    words = _FORBIDDEN.sub("", _CONTROL.sub(" ", unicodedata.normalize("NFC", title))).replace("/", " ")
    name = unicodedata.normalize("NFC", "-".join(words.lower().split())).strip(".-")
    name = _shortened(name, MAX_NAME - len(SUFFIX)).rstrip(". -")
    if not name:
        raise Refusal(
            Failure.INVALID, f"The title {title!r} has nothing that a file name can be made of.", field="title"
        )
    return f"{name}-note{SUFFIX}" if _RESERVED.match(name) else f"{name}{SUFFIX}"


def new_path(title: str, directory: str = "") -> str:
    """Where a note of this title is made."""
    folder = unicodedata.normalize("NFC", directory.strip()).replace("\\", "/").removeprefix("./").rstrip("/")
    return check_new(f"{folder}/{file_name(title)}" if folder not in ("", ".") else file_name(title))


def same_place(one: str, other: str) -> bool:
    """Whether a file system that ignores case or normalisation takes both for one."""
    return folded(one) == folded(other)


def _shortened(name: str, size: int) -> str:
    return name.encode()[:size].decode("utf-8", "ignore")


def _forbidden(path: str, reason: str) -> Refusal:
    return Refusal(Failure.FORBIDDEN, f"The path {path!r} is refused: {reason}.", field="path")

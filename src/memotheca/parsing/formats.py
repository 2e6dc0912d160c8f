"""Which files can be read: by the name they bear, and by what they hold."""

import re
from pathlib import PurePath

from memotheca.model.errors import Failure, Refusal

# The first eight are promised by the contract and named in its sentences; the rest come after them.
PROMISED = ("pdf", "docx", "pptx", "xlsx", "html", "jpg", "png", "svg")
FURTHER = (
    "md",
    "txt",
    "csv",
    "json",
    "epub",
    "eml",
    "rtf",
    "odt",
    "ods",
    "odp",
    "xls",
    "tiff",
    "bmp",
    "gif",
    "webp",
    "code",
)
FORMATS = (*PROMISED, *FURTHER)
TEXTUAL = frozenset({"html", "svg", "md", "txt", "csv", "json", "eml", "code"})

_CODE = """
    asm bash bat c cc clj cljs cmake coffee conf cpp cs css cxx dart dockerfile el erl ex exs f90 fish fs go
    gradle graphql groovy h hpp hs hxx ini java jl js jsx kt kts less lisp lua m makefile mjs ml mm nim nix
    php pl pm proto ps1 py pyi r rb rs sass scala scm scss sh sql swift tcl tf toml ts tsx v vb vhd vim vue
    xml xsd xsl yaml yml zig zsh
""".split()
_OTHER_NAMES = {
    "htm": "html", "xhtml": "html", "jpeg": "jpg", "jpe": "jpg", "markdown": "md", "mdown": "md", "mdx": "md",
    "text": "txt", "log": "txt", "rst": "txt", "adoc": "txt", "org": "txt", "tex": "txt", "tsv": "csv",
    "jsonl": "json", "ndjson": "json", "geojson": "json", "ipynb": "json", "tif": "tiff", "docm": "docx",
    "dotx": "docx", "pptm": "pptx", "ppsx": "pptx", "potx": "pptx", "xlsm": "xlsx", "xltx": "xlsx", "xlsb": "xlsx",
    "ott": "odt", "ots": "ods", "otp": "odp", "dib": "bmp",
}  # fmt: skip
EXTENSIONS = {
    **{name: name for name in FORMATS if name != "code"},
    **_OTHER_NAMES,
    **dict.fromkeys(_CODE, "code"),
}


def extension_of(name: str) -> str:
    """What stands after the last dot, in small letters; a name without one, as `Makefile`, is its own."""
    path = PurePath(name)
    return (path.suffix[1:] if path.suffix else path.name.lstrip(".")).lower()


def promised_format(name: str) -> str:
    """The format a file's name promises, or a refusal that says which there are."""
    extension = extension_of(name)
    if extension not in EXTENSIONS:
        shown = f".{extension}" if PurePath(name).suffix else PurePath(name).name
        use = ", ".join(one.upper() for one in PROMISED[:-1])
        raise Refusal(
            Failure.UNSUPPORTED,
            f"Unsupported file format: {shown}. Use {use}, or {PROMISED[-1].upper()}",
            details={"supported_formats": list(FORMATS)},
        )
    return EXTENSIONS[extension]


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"II+\x00", "tiff"),
    (b"MM\x00+", "tiff"),
    (b"{\\rtf", "rtf"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
)
_MEMBERS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_OPEN_FORMATS = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
}
_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("EncryptionInfo", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
_MARKUP = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*)*<([a-zA-Z:]+)", re.DOTALL
)
_HTML_START = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.DOTALL | re.IGNORECASE)


def magic_of(content: bytes) -> str | None:
    """The format that a file's first bytes give away, if any; `zip` and `ole` are to be looked into."""
    for start, format in _MAGIC:
        if content.startswith(start):
            return format
    if content.startswith(b"BM") and len(content) > 26 and content[6:10] == bytes(4):
        return "bmp"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if content.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "ole"
    if b"%PDF-" in content[:1024]:
        return "pdf"
    return None


def package_format(names: list[str], mimetype: str) -> str | None:
    """What a zip archive is, from its members and its `mimetype`."""
    if mimetype.removesuffix("-template") in _OPEN_FORMATS:
        return _OPEN_FORMATS[mimetype.removesuffix("-template")]
    return next((format for start, format in _MEMBERS if any(name.startswith(start) for name in names)), None)


def compound_format(content: bytes) -> str | None:
    """What an old Office container is, by the names of its streams."""
    return next((format for name, format in _STREAMS if name.encode("utf-16-le") in content), None)


def markup_of(start: str) -> str | None:
    """Whether text begins as an SVG or an HTML document."""
    if _HTML_START.match(start):
        return "html"
    found = _MARKUP.match(start)
    root = found[1].rpartition(":")[2].lower() if found else ""
    return root if root in ("svg", "html") else None

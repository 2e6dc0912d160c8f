"""The page: the built files that people open in a browser, with the headers that keep them to themselves."""

import re
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"
# A file of the page: its own name, at the top or among the assets. Whatever else is asked for is for clients.
_ENDINGS = "js|css|svg|png|ico|webmanifest"
NAMED = re.compile(rf"/(?P<name>(?:assets/)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:{_ENDINGS})|LICENSES)?")
# A collection has the page too, below its own address, as it has its doors; the page asks there.
OF_COLLECTION = re.compile(r"/c/.+/", re.DOTALL)
# With a digest in its name a file never changes.
HASHED = re.compile(r"-[A-Za-z0-9_]{8,}\.")
TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "webmanifest": "application/manifest+json",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
BUILD = "make page"
MISSING = f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Memotheca</title></head>
<body>
<h1>Memotheca is running</h1>
<p>Its page was not built in this checkout: that needs Node 20 or newer. With it, run</p>
<pre>{BUILD}</pre>
<p>and load this page again. Everything else works without it: clients connect to <code>/mcp</code>,
and <code>memotheca --help</code> says what can be done on a command line.</p>
</body>
</html>
"""


def is_of_page(path: str) -> bool:
    """Whether a path is the page's own: its files hold nothing that is stored, and are for everybody."""
    return NAMED.fullmatch(path) is not None or OF_COLLECTION.fullmatch(path) is not None


def is_built(folder: Path = FOLDER) -> bool:
    return (folder / INDEX).is_file()


def read_app(folder: Path = FOLDER) -> str | None:
    """The views as one file for clients that show them themselves, where it was built."""
    path = folder / "app.html"
    return path.read_text("utf-8") if path.is_file() else None


class PageFiles:
    """Answers with the files of the page, or with how to have them."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    async def serve(self, request: Request) -> Response:
        named = NAMED.fullmatch(request.url.path)
        name = (named["name"] if named else None) or INDEX
        content = await anyio.to_thread.run_sync(self._read, name)
        if content is None and name == INDEX:
            content = MISSING.encode()
        if content is None:
            return Response(status_code=404, headers=HEADERS)
        kept = "public, max-age=31536000, immutable" if HASHED.search(name) else "no-store"
        type = TYPES.get(name.rpartition(".")[2], "text/plain; charset=utf-8")
        return Response(content, headers={**HEADERS, "Cache-Control": kept, "Content-Type": type})

    def _read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

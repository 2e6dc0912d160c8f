"""The catalogue that ships: installed when a pattern is first asked for, in a collection of its own."""

import json
import logging
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from weakref import WeakSet

from pinakes.engine.kernel import Kernel
from pinakes.engine.patterns.keeping import names_of, put_batch
from pinakes.engine.patterns.reading import Pattern, read_pattern
from pinakes.model.errors import Refusal
from pinakes.model.kinds import STARTER_COLLECTION
from pinakes.spaces.embedders import SHIPPED_IDENTITY
from pinakes.storage.collections import read_settings, write_setting
from pinakes.storage.database import Session
from pinakes.storage.store import Store, Writing

log = logging.getLogger(__name__)

STARTER = "starter"
RELEASE = "starter"
VECTORS = "vectors.bin"
MANIFEST = "manifest.json"
DIGEST = 16
WIDTH = 768

_installed: WeakSet[Store] = WeakSet()


def starter_files() -> Iterator[tuple[str, bytes]]:
    """Path and content of every shipped file that holds a pattern or a skill."""
    yield from sorted(_walk(_folder(), ""))


def _folder() -> Traversable:
    return files("pinakes.engine.patterns").joinpath("starter")


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for child in folder.iterdir():
        if child.is_dir():
            yield from _walk(child, f"{prefix}{child.name}/")
        elif child.name.endswith(".md"):
            yield f"{prefix}{child.name}", child.read_bytes()


def starter_patterns() -> list[Pattern]:
    return [read_pattern(content, path).pattern for path, content in starter_files()]


def starter_digest() -> str:
    """What the shipped files say, in a few letters; the release's number must change with it."""
    taken = blake2b(digest_size=8)
    for path, content in starter_files():
        taken.update(path.encode() + b"\0" + content + b"\0")
    return taken.hexdigest()


@cache
def release() -> int:
    """The number of the shipped catalogue; a data directory takes a higher one and never goes back to a lower."""
    return int(json.loads(_folder().joinpath(MANIFEST).read_text("utf-8"))["release"])


def ensure_starter(kernel: Kernel) -> None:
    """Install or update the shipped catalogue where that is due. Where nothing can be written now, what is there
    is used."""
    store = kernel.store
    if store in _installed:
        return
    try:
        with store.database.read() as session:
            due = _recorded(session) < release()
        if due:
            _install(kernel)
        _installed.add(store)
    except Refusal as refusal:
        log.warning("the shipped patterns could not be installed: %s", refusal.message)


def _recorded(session: Session) -> int:
    return int(read_settings(session, STARTER_COLLECTION).get(RELEASE, 0))


def _install(kernel: Kernel) -> None:
    """Several processes, and several releases, may come to this at once: whoever is second finds it done."""
    number, patterns = release(), starter_patterns()
    if kernel.embedding is not None:
        for digest, vectors in shipped_vectors().items():
            kernel.embedding.ready.put(SHIPPED_IDENTITY, digest, vectors)

    def record(session: Session) -> None:
        if _recorded(session) < number:
            write_setting(session, STARTER_COLLECTION, RELEASE, number)

    def act(writing: Writing) -> None:
        if _recorded(writing.session) < number:
            put_batch(writing, catalogue=STARTER, batch=patterns, wanted=names_of(patterns))
            record(writing.session)

    kernel.store.write(STARTER_COLLECTION, act, actor="pinakes")
    # Where no pattern differed there was no transaction to record it in.
    kernel.store.operate(record)


def shipped_vectors() -> dict[bytes, list[bytes]]:
    """Vectors of the shipped texts, made when they were written: nobody's first search waits for them."""
    path = _folder().joinpath(VECTORS)
    content = path.read_bytes() if path.is_file() else b""
    found: dict[bytes, list[bytes]] = {}
    for start in range(0, len(content), DIGEST + WIDTH):
        digest = content[start : start + DIGEST]
        found.setdefault(digest, []).append(content[start + DIGEST : start + DIGEST + WIDTH])
    return found

"""The catalogue that ships: installed when a pattern is first asked for, in a collection of its own."""

import json
import logging
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from threading import Event, Lock, Thread

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.patterns.pattern_file import Pattern, read_pattern
from memotheca.patterns.pattern_store import Others, names_of, put_batch
from memotheca.search.prepared import Prepared
from memotheca.storage.database import Session
from memotheca.storage.store import Transaction, read_settings, write_setting
from memotheca.vectors.embedders import SHIPPED_IDENTITY

log = logging.getLogger(__name__)

STARTER = "starter"
RELEASE = "starter"
VECTORS = "vectors.bin"
MANIFEST = "manifest.json"
DIGEST = 16  # chosen: as `text/caches.py` makes keys
WIDTH = 768  # specification: 384 numbers of the shipped model, two bytes each

# Chosen: how long a reader waits for its turn to install the catalogue, once that is read.
PATIENCE = 2.0


def starter_files() -> Iterator[tuple[str, bytes]]:
    """Path and content of every shipped file that holds a pattern or a skill."""
    yield from sorted(_walk(_folder(), ""))


def _folder() -> Traversable:
    return files("memotheca.patterns").joinpath("starter")


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for child in folder.iterdir():
        if child.is_dir():
            yield from _walk(child, f"{prefix}{child.name}/")
        elif child.name.endswith(".md"):
            yield f"{prefix}{child.name}", child.read_bytes()


def starter_patterns() -> list[Pattern]:
    return [read_pattern(content, path).pattern for path, content in starter_files()]


def starter_digest() -> str:
    """What the shipped files say and whose vectors they have, in a few letters; the release's number must change with
    it."""
    taken = blake2b(SHIPPED_IDENTITY.encode(), digest_size=8)
    for path, content in starter_files():
        taken.update(path.encode() + b"\0" + content + b"\0")
    return taken.hexdigest()


@cache
def release() -> int:
    """The number of the shipped catalogue; a data directory takes a higher one and never goes back to a lower."""
    return int(json.loads(_folder().joinpath(MANIFEST).read_text("utf-8"))["release"])


def ensure_starter(kernel: Kernel) -> None:
    """Install or update the shipped catalogue where that is due. Whoever reads does not wait for a writer: where it
    cannot be installed now an older one that is there will do, and without one the call is refused, to be repeated."""
    installation = kernel.keep(_Installation)
    if installation.is_done:
        return
    with kernel.store.database.read() as session:
        recorded = _recorded(session)
    if recorded >= release():
        installation.is_done = True
        return
    trouble = installation.attempt(kernel).wait()
    if trouble is None:
        installation.is_done = True
    elif recorded:
        log.warning("the shipped patterns could not be brought up to date: %s", trouble.message)
    else:
        raise trouble


class _InstallTry:
    """One try at installing the catalogue, in a thread of its own: nobody waits while another program writes."""

    def __init__(self, kernel: Kernel) -> None:
        self._ready, self._begun, self._over = Event(), Event(), Event()
        self._trouble: Refusal | None = None
        Thread(target=self._run, args=(kernel,), name="starter", daemon=True).start()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def wait(self) -> Refusal | None:
        """What went wrong, if anything; given up where it is not even its turn to write after a moment."""
        self._ready.wait()
        if not self._begun.wait(PATIENCE):
            return Refusal(
                Failure.BUSY, "The shipped patterns are not installed yet: another program is writing. Try again."
            )
        self._over.wait()
        return self._trouble

    def _run(self, kernel: Kernel) -> None:
        try:
            _install(kernel, self._ready.set, self._begun.set)
        except Refusal as refusal:
            told = f"The shipped patterns could not be installed: {refusal.message}"
            self._trouble = Refusal(refusal.failure, told, details=refusal.details)
        except Exception:
            log.exception("installing the shipped patterns failed")
            self._trouble = Refusal(Failure.UNAVAILABLE, "The shipped patterns could not be installed; see the log.")
        finally:
            self._over.set()
            self._begun.set()
            self._ready.set()


class _Installation:
    """Whether the catalogue is known to be installed, and the one attempt that is under way."""

    def __init__(self) -> None:
        self.is_done = False
        self._guard = Lock()
        self._attempt: _InstallTry | None = None

    def attempt(self, kernel: Kernel) -> _InstallTry:
        with self._guard:
            if self._attempt is None or self._attempt.is_over:
                self._attempt = _InstallTry(kernel)
            return self._attempt


def _recorded(session: Session) -> int:
    return int(read_settings(session, STARTER_COLLECTION).get(RELEASE, 0))


def _install(kernel: Kernel, ready: Callable[[], None], begin: Callable[[], None]) -> None:
    """Several processes, and several releases, may come to this at once: whoever is second finds it done."""
    number, patterns = release(), starter_patterns()
    prepared = Prepared(SHIPPED_IDENTITY, shipped_vectors())
    ready()

    def record(session: Session) -> None:
        if _recorded(session) < number:
            write_setting(session, STARTER_COLLECTION, RELEASE, number)

    def act(transaction: Transaction) -> None:
        begin()
        if _recorded(transaction.session) < number:
            others = Others(names_of(patterns))
            put_batch(transaction, catalogue=STARTER, batch=patterns, others=others, prepared=prepared)
            record(transaction.session)

    kernel.store.write(STARTER_COLLECTION, act, actor="memotheca")
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

"""The composition root: the only module that knows concrete databases and contracts."""

import os
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from pinakes import tools
from pinakes.contracts.entries import EntriesContract
from pinakes.engine.births import Births, Ready
from pinakes.engine.embedding import Embedding, model_of
from pinakes.engine.kernel import Kernel
from pinakes.model.clock import Clock, system_clock, to_iso
from pinakes.model.errors import Failure, Refusal
from pinakes.settings import Settings
from pinakes.storage.chunks import count_waiting, has_unsealed
from pinakes.storage.locks import role
from pinakes.storage.sqlite import SQLiteDatabase
from pinakes.storage.store import Store
from pinakes.toolkit.catalog import Catalog, to_listing
from pinakes.toolkit.contract import Contract
from pinakes.toolkit.dispatch import Dispatcher
from pinakes.toolkit.tool import Tool, Toolset

DATABASE = "pinakes.db"
BACKUPS = "backups"
SEGMENTS = "segments"
UPKEEP_AT = 4096

CONTRACTS: dict[str, Contract] = {"entries": EntriesContract()}


@dataclass(frozen=True, slots=True)
class App:
    """Everything a server or a command needs."""

    kernel: Kernel
    dispatcher: Dispatcher
    data: Path

    @property
    def catalog(self) -> Catalog:
        return self.dispatcher.catalog


def prepare_directory(data: Path) -> Path:
    """Make the data directory for its owner alone and return the database's path in it."""
    path = data / DATABASE
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Exclusively: opening an existing database file and closing it again would drop SQLite's locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if not data.is_dir():
            raise Refusal(Failure.INVALID, "The data directory is a file.") from None
    except OSError as error:
        if not path.exists():
            raise Refusal(
                Failure.UNAVAILABLE,
                f"The data directory cannot be written: {error.strerror}. Choose another with --data.",
            ) from error
    return path


def open_store(data: Path, *, clock: Clock = system_clock) -> Store:
    database = SQLiteDatabase(prepare_directory(data))

    def back_up(found: int) -> None:
        target = backup_path(data, clock(), f"before-format-{found + 1}")
        database.copy_to(target)

    return Store(database, clock=clock, before_migration=back_up)


def open_copy(path: Path) -> Store:
    """A backup as a store of its own."""
    store = Store(SQLiteDatabase(path), clock=system_clock)
    store.derive = Births(Ready(), model_of)
    return store


def backup_path(data: Path, now: int, reason: str) -> Path:
    folder = data / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    stamp = to_iso(now).replace(":", "").replace("-", "")
    return folder / f"pinakes-{stamp}-{reason}.db"


def look_after(app: "App", stop: Callable[[], bool]) -> None:
    """One round of upkeep, by one process at a time; cheap where nothing waits."""
    with app.kernel.store.database.read() as session:
        waiting = count_waiting(session, app.kernel.collection)
        unsealed = has_unsealed(session, app.kernel.collection, UPKEEP_AT)
    if not waiting and not unsealed:
        return
    with role(app.data, "upkeep") as held:
        if held:
            lazily("pinakes.engine.upkeep", "index_everything")(app.kernel, say_nothing, stop=stop)


def say_nothing(done: float, total: float | None, message: str) -> None:
    """For long work that nobody watches."""


def load_catalog() -> Catalog:
    return Catalog.parse(files(tools).joinpath("catalog.json").read_text("utf-8"))


def build(settings: Settings, *, clock: Clock = system_clock) -> App:
    """Open the data directory and choose the tools."""
    catalog = load_catalog()
    if settings.names("toolsets"):
        catalog.choose(settings.names("toolsets"))
    catalog.forbid_writing(settings.on("read-only"))
    kernel = build_kernel(open_store(settings.data, clock=clock), settings.data, settings.text("collection"))
    return App(kernel, Dispatcher(catalog, CONTRACTS), settings.data)


def build_kernel(store: Store, data: Path, collection: str) -> Kernel:
    """A store with what derives from it: chunks on every change, embedders and the finder when first needed."""
    load, pack = lazily("pinakes.spaces.loading", "load_embedder"), lazily("pinakes.spaces.semantic", "to_bytes")
    embedding = Embedding(load, pack)
    store.derive = Births(embedding.ready, model_of)
    make_finder = lazily("pinakes.engine.finder", "Finder")
    kernel = Kernel(store, collection, embedding, cache(lambda: make_finder(data / SEGMENTS)))
    if store.has_stale_chunks() and store.newer_format() is None:
        lazily("pinakes.engine.upkeep", "rebuild_everything")(kernel)
    return kernel


def find_tools() -> tuple[list[Toolset], list[tuple[Tool, str, str]]]:
    """Every toolset and tool in the source, as (tool, toolset, module); the generated catalogue comes from it."""
    toolsets: list[Toolset] = []
    found: list[tuple[Tool, str, str]] = []
    for folder in pkgutil.iter_modules(tools.__path__, "pinakes.tools."):
        if not folder.ispkg:
            continue
        package = import_module(folder.name)
        toolsets.append(package.TOOLSET)
        for module in pkgutil.iter_modules(package.__path__, f"{folder.name}."):
            members = vars(import_module(module.name)).values()
            found += [(member, package.TOOLSET.name, module.name) for member in members if isinstance(member, Tool)]
    return toolsets, found


def generate_catalog() -> dict[str, Any]:
    toolsets, found = find_tools()
    return {
        "toolsets": [
            {"name": toolset.name, "sentence": toolset.sentence, "default": toolset.default} for toolset in toolsets
        ],
        "tools": [to_listing(tool, toolset, module, CONTRACTS[tool.contract]) for tool, toolset, module in found],
    }


def lazily(module: str, name: str) -> Callable[..., Any]:
    """The one way to load a heavy package late: call what this returns, and it is imported then."""

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **options)

    return call

"""What every test can ask for: an app in a fresh directory with a clock of its own, and goldens."""

import itertools
import json
import os
import re
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import pytest
from hypothesis import is_hypothesis_test

from memotheca import app, settings
from memotheca.app import DATABASE, App, build
from memotheca.model.clock import SECOND, Clock, from_iso, system_clock
from memotheca.notes.sync import sync_everything
from memotheca.patterns import starter
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.storage.store import Store
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call
from tests.environment import settle, standing
from tests.patience import PATIENCE
from tests.quick import Watch, is_quick, is_quick_place
from tests.schedule import in_order, times_by_file
from tests.storage.postgres_server import Chosen, needs_postgres, shared_server

settle()

GOLDENS = Path(__file__).parent / "goldens"
BEGAN = from_iso("2026-02-10T14:30:00Z")
WATCH = pytest.StashKey[Watch]()


# What holds on both databases: every test there is run on each, but for those marked `only_sqlite` with the reason.
ON_BOTH = (
    "conversations",
    "documents",
    "durability/test_dreams.py",
    "durability/test_ingest.py",
    "durability/test_vault.py",
    "engine",
    "kernel",
    "memories",
    "server/test_isolation.py",
    "server/test_quotas.py",
    "server/test_resources.py",
    "server/test_served_collections.py",
    "server/test_subscriptions.py",
    "storage/test_adjacency.py",
    "storage/test_erasure.py",
    "storage/test_export_lines.py",
    "storage/test_export_merge.py",
    "storage/test_journal.py",
    "storage/test_run_again.py",
    "tools",
    "vault/test_editing.py",
    "vault/test_files.py",
)
# Of these, what is run on a file alone, and why.
ON_SQLITE = {
    "conversations/test_gemini_transcripts.py": "it is a command's, and a command opens what its settings name",
    "conversations/test_import_formats.py": "it is a command's, and a command opens what its settings name",
    "conversations/test_odd_imports.py": "it is a command's, and a command opens what its settings name",
    "conversations/test_review_of_proposals.py": "it is a command's",
    "engine/test_cancelling.py": "where a call looks whether it is cancelled is no matter of the database",
    "engine/test_embedding.py": "its programs open a directory",
    "engine/test_long_lived.py": "minutes; test_shared_database.py has the same on three servers",
    "engine/patterns/test_starter.py": "its programs open a directory",
    "engine/test_poisoned.py": "it speaks to doctor, which opens what its settings name",
    "engine/test_processes.py": "its programs open a directory; tests/durability has them on PostgreSQL",
    "memories/test_dream_order.py": "two minutes; other dreams are dreamt on both",
    "memories/test_numbers.py": "what a number is of is no matter of the database",
    "memories/test_planning.py": "a plan is made without a store",
    "memories/test_parameters.py": "what a parameter does is no matter of the database",
    "tools/test_paging.py": "minutes; pages are turned in test_querying.py and test_history.py on both",
    "tools/test_repeating.py": "it counts file by file what is written",
    "tools/test_sizes.py": "how large an answer is is no matter of the database",
}
FEW = 10  # chosen: examples of a property on the second database at most, or a third of those on the first

# How long an example takes says what else the machine does, and is looked at in tests/linear and the benchmarks.
# Where CI is set, a change is judged by itself: the examples are the same every time. Elsewhere they are new ones.
hypothesis.settings.register_profile(
    "memotheca",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    print_blob=True,
    derandomize="CI" in os.environ,
)
hypothesis.settings.load_profile("memotheca")


def _is_on_both(test: Any, place: Path) -> bool:
    held = any(place.is_relative_to(each) for each in ON_BOTH) and place.as_posix() not in ON_SQLITE
    return held and test.get_closest_marker("only_sqlite") is None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    place = metafunc.definition.path.relative_to(Path(__file__).parent)
    wanted = metafunc.config.getoption("--database")
    if wanted != "both" or _is_on_both(metafunc.definition, place):
        chosen = ["sqlite", "postgres"] if wanted == "both" else [wanted]
        marked = [pytest.param(name, marks=[needs_postgres] if name == "postgres" else []) for name in chosen]
        metafunc.parametrize("database", marked, indirect=True, scope="session")


_open_store, _gate = app.open_store, app.gate
# What a test has open in PostgreSQL: a file that nobody closes is no trouble, a connection is.
_opened: list[tuple[Path, Store]] = []


@pytest.fixture(scope="session", autouse=True)
def database(request: pytest.FixtureRequest) -> Any:
    """Which database whatever a test opens is kept in."""
    chosen = getattr(request, "param", "sqlite")
    if chosen == "postgres":
        app.open_store = _open_on_postgres
        if request.config.getoption("--database") == "both":
            app.gate = _refuse_file
    Chosen.database = chosen
    yield chosen
    Chosen.database = "sqlite"
    app.open_store, app.gate = _open_store, _gate


def _refuse_file(data: Path, **given: Any) -> Any:
    """What has a name of its own for `app.open_store` would go on to open a file, and the test would say nothing."""
    raise AssertionError(
        f"{data} is opened as a file: take open_store of tests.conftest, or app.open_store, not a copy"
    )


def _open_on_postgres(data: Path, *, derive: Any = None, clock: Clock = system_clock, command: str = "") -> Store:
    del command
    store = app.open_server_store(shared_server().for_data(data), data, derive=derive, clock=clock)
    _opened.append((data, store))
    return store


def open_store(data: Path, **given: Any) -> Any:
    """As the app opens it, in the database that a test is run on."""
    return app.open_store(data, **given)


@pytest.fixture(autouse=True)
def emptied(request: pytest.FixtureRequest, database: str) -> Any:
    """What a test alone has left in PostgreSQL goes."""
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    yield
    if database == "postgres" and folder is not None:
        for each in [each for each in _opened if each[0].is_relative_to(folder)]:
            _opened.remove(each)
            each[1].close()
        shared_server().clear(folder)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A property that holds on one database is looked for on the other with fewer examples: each is a journey."""
    test: Any = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    # A machine of states has its settings elsewhere.
    if is_hypothesis_test(test) and hasattr(test, "_hypothesis_internal_use_settings"):
        wanted = test.__dict__.setdefault("_wanted_settings", test._hypothesis_internal_use_settings)
        fewer = hypothesis.settings(wanted, max_examples=min(FEW, max(wanted.max_examples // 3, 3)))
        params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        test._hypothesis_internal_use_settings = fewer if params.get("database") == "postgres" else wanted


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=("both", "sqlite", "postgres"),
        default="both",
        help="run every test on one database instead of those that hold on both on each",
    )
    parser.addoption("--file-times", action="store_true", help="say which files took longest")
    parser.addoption("--quick", action="store_true", help="only what needs no other process and is soon done")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    place = collection_path.relative_to(Path(__file__).parent)
    return (config.getoption("--quick") and not is_quick_place(place)) or None


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        config.option.database = "sqlite"  # the other one is a process
        config.stash[WATCH] = Watch()
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # the order is that of tests/schedule.py


def _refuse_reuse(item: pytest.Item) -> None:
    """What a module opens once for both databases would stay on the first of them."""
    known: dict[str, Any] = item._fixtureinfo.name2fixturedefs  # pyright: ignore
    for each in (found[-1] for found in known.values() if found):
        if each.scope != "function" and "tmp_path_factory" in each.argnames and "database" not in each.argnames:
            raise pytest.UsageError(f"{item.nodeid}: the fixture {each.argname} has to ask for database, too")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "database" in getattr(getattr(item, "callspec", None), "params", {}):
            _refuse_reuse(item)
    if config.getoption("--quick"):
        config.hook.pytest_deselected(items=[item for item in items if not is_quick(item)])
        items[:] = [item for item in items if is_quick(item)]
    if config.getoption("dist", "no") != "no" or "PYTEST_XDIST_WORKER" in os.environ:
        items[:] = in_order(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    if WATCH in session.config.stash:
        session.config.stash[WATCH].take()  # asking whether PostgreSQL is there may start a program


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Where the time went, by file: what tests/schedule.py is kept by."""
    if config.getoption("--file-times"):
        reports = [report for kind in ("passed", "failed", "") for report in terminalreporter.stats.get(kind, ())]
        terminalreporter.section("files that took longest")
        for name, seconds in times_by_file(reports):
            terminalreporter.write_line(f"{seconds:7.1f} s  {name}")


@pytest.fixture(autouse=True)
def without_other_processes(request: pytest.FixtureRequest) -> Any:
    """What is quick starts no process."""
    yield
    watch = request.config.stash.get(WATCH, None)
    started = [] if watch is None else watch.take()
    assert started == [], "a quick test starts no process: tests/quick.py names what is left out"


@pytest.fixture(scope="module", autouse=True)
def left_as_it_was() -> Any:
    """A worker that a test left with the least of a processor once made all that came after it late."""
    before = standing()
    yield
    after = standing()
    names = before.keys() | after.keys()
    assert {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)} == {}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody but the tests of giving up gives up because the machine is busy."""
    monkeypatch.setattr(starter, "PATIENCE", PATIENCE)


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner tells its workers the width of its own terminal, and whoever is told a width wraps."""
    monkeypatch.delenv("COLUMNS", raising=False)


class Time:
    """A clock that moves a second each time it is read, and further when told."""

    def __init__(self) -> None:
        self._ticks = itertools.count(BEGAN, SECOND)
        self._offset = 0

    def __call__(self) -> int:
        return next(self._ticks) + self._offset

    def advance(self, seconds: int) -> None:
        self._offset += seconds * SECOND


class Agent:
    """Somebody who calls tools and looks at the answers."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.kernel = app.kernel

    def reply(self, name: str, /, **arguments: Any) -> Reply:
        return self.app.dispatcher.run(name, arguments, Call(kernel=self.kernel, actor="tester"))

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured content of a success."""
        reply = self.reply(name, **arguments)
        assert not reply.failed, reply.structured
        assert reply.structured is not None
        return reply.structured

    def error(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of a failure."""
        reply = self.reply(name, **arguments)
        assert reply.failed, reply.structured
        assert reply.structured is not None
        return reply.structured["error"]

    def store(self, topic: str, content: str = "It is so.", **more: Any) -> str:
        return self.call("store", topic=topic, content=content, **more)["id"]

    def topics(self, **question: Any) -> list[str]:
        return [item["topic"] for item in self.call("query", **question)["items"]]


class Writer(Agent):
    """An agent with a vault, and a person who writes into it by hand."""

    def __init__(self, app: App, vault: Path) -> None:
        super().__init__(app)
        self.vault = vault

    def save(self, path: str, text: str | bytes) -> None:
        place = self.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def files(self) -> dict[str, bytes]:
        return {
            place.relative_to(self.vault).as_posix(): place.read_bytes()
            for place in sorted(self.vault.rglob("*"))
            if place.is_file()
        }

    def sync(self) -> Any:
        return sync_everything(self.kernel)

    def given(self, **notes: str) -> None:
        """Notes by their names, taken in."""
        for name, text in notes.items():
            self.save(f"{name}.md", text)
        self.sync()

    def ask(self, name: str, **arguments: Any) -> Any:
        """The raw JSON of an answer."""
        reply = self.reply(name, **arguments)
        assert not reply.failed, reply.structured
        return json.loads(reply.blocks[0]["text"])


@pytest.fixture
def time() -> Time:
    return Time()


@lru_cache(maxsize=1)
def _empty_database() -> bytes:
    with TemporaryDirectory() as folder:
        build(settings.load({"data": folder}, {})).kernel.store.close()
        return (Path(folder) / DATABASE).read_bytes()


def build_fresh(data: Path, clock: Clock, **options: Any) -> App:
    """An app over a fresh data directory; its tables are copied, which is quicker than making them."""
    if app.open_store is _open_store and not (data / DATABASE).exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / DATABASE).write_bytes(_empty_database())
    return build(settings.load({"data": str(data), **options}, {}), clock=clock)


@pytest.fixture
def agent(tmp_path: Path, time: Time) -> Any:
    app = build_fresh(tmp_path / "data", time)
    yield Agent(app)
    app.kernel.store.close()


def open_vault(folder: Path, clock: Any, **options: Any) -> Writer:
    """An app with a vault in this folder, without vectors unless an embedder is chosen."""
    vault = folder / "vault"
    vault.mkdir(parents=True, exist_ok=True)
    given = {"vault": str(vault), "toolsets": "all", **options}
    writer = Writer(build_fresh(folder / "data", clock, **given), vault)
    choose_embedder(writer.kernel.store, writer.kernel.collection, "none")
    return writer


@pytest.fixture
def writer(tmp_path: Path, time: Time) -> Any:
    found = open_vault(tmp_path, time)
    yield found
    found.kernel.store.close()


def masked(value: Any) -> Any:
    """A value without what differs from run to run: ids made at random and measured times."""
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[457][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>", text)
    text = re.sub(r"node_[0-9a-f]{8,32}\b", "node_<id>", text)
    text = re.sub(r"task_[0-9a-f]{16}\b", "task_<id>", text)
    text = re.sub(r"pred_[0-9a-f]{10}\b", "pred_<id>", text)
    text = re.sub(r"\b(topic|goal|pv)_[0-9a-f]{8,12}\b", r"\1_<id>", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "<hash>", text)
    text = re.sub(r'(\\?"(?:retrieval|query_time)_ms\\?":\s*)[0-9.]+', r"\g<1>0", text)
    text = re.sub(r'(\\?"(?:search_time_ms|[a-z]+_(?:time|remaining)_seconds)\\?":\s*)[0-9.]+', r"\g<1>0", text)
    text = re.sub(r'(next_cursor\\*":\s*\\*")[\w-]+', r"\g<1>…", text)
    return json.loads(text)


@pytest.fixture
def golden() -> Any:
    """Compare a value with the committed file of that name; UPDATE_GOLDENS=1 rewrites it."""

    def compare(name: str, value: Any) -> None:
        path = GOLDENS / f"{name}.json"
        shown = json.dumps(masked(value), ensure_ascii=False, indent=2) + "\n"
        if os.environ.get("UPDATE_GOLDENS"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(shown, "utf-8")
        assert path.exists(), f"there is no golden {name}; run make update"
        assert shown == path.read_text("utf-8")

    return compare

"""The catalogue that ships: whole, runnable, installed once, and in nobody's way."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import pytest

from memotheca import settings
from memotheca.admin.history import newest_tx
from memotheca.app import build
from memotheca.model.kinds import PATTERN, STARTER_COLLECTION
from memotheca.model.knowledge import Entry
from memotheca.patterns import starter
from memotheca.patterns.pattern_file import DIFFICULTIES, read_pattern
from memotheca.patterns.pattern_search import PatternQuery, find_patterns
from memotheca.patterns.pattern_sections import find_examples, split_sections
from memotheca.patterns.pattern_store import to_fields
from memotheca.patterns.read_patterns import all_cards
from memotheca.search.derive import chunk_rows
from memotheca.storage import chunks
from tests.engine.patterns.catalogues import bring_in, by_words_alone, write_many

PATTERNS = [pattern for pattern in starter.starter_patterns() if pattern.form == "pattern"]
SKILLS = [pattern for pattern in starter.starter_patterns() if pattern.form == "skill"]


def test_there_are_at_least_thirty_read_without_a_warning():
    drafts = [read_pattern(content, path) for path, content in starter.starter_files()]
    assert [draft.warnings for draft in drafts] == [()] * len(drafts)
    assert len(PATTERNS) >= 30
    assert {pattern.difficulty for pattern in PATTERNS} == set(DIFFICULTIES)
    assert len(SKILLS) >= 3


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.slug)
def test_every_pattern_is_whole_and_its_example_runs(pattern):
    assert pattern.summary
    assert len(pattern.summary) <= 200
    assert pattern.use_when
    assert pattern.avoid_when
    assert pattern.tags
    assert set(pattern.related) <= {other.slug for other in PATTERNS} - {pattern.slug}
    examples = find_examples(split_sections(pattern.text, pattern.title))
    runnable = [example.code for example in examples if example.language == "python"]
    assert runnable
    for code in runnable:
        module = type(sys)("example")
        sys.modules["example"] = module
        exec(compile(code, pattern.path, "exec"), module.__dict__)


def test_skills_name_patterns_that_are_there():
    known = {pattern.slug for pattern in PATTERNS}
    for skill in SKILLS:
        named = {
            word.strip("`")
            for word in skill.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
            if word.startswith("`")
        }
        assert named
        assert {name.strip("`.,:;") for name in named} <= known


def test_the_release_and_the_vectors_are_those_of_the_files():
    folder = files("memotheca.patterns").joinpath("starter")
    manifest = json.loads(folder.joinpath("manifest.json").read_text("utf-8"))
    assert manifest["digest"] == starter.starter_digest(), "run scripts/build_starter.py"
    shipped = starter.shipped_vectors()
    for pattern in starter.starter_patterns():
        entry = Entry(id="", kind=PATTERN, **to_fields(pattern, starter.STARTER), created_at=0, updated_at=0)
        assert all(row.digest in shipped for row in chunk_rows(entry)), pattern.slug


def test_it_is_there_in_a_fresh_directory_and_counts_nowhere(agent):
    assert len(all_cards(agent.kernel)) == len(PATTERNS)
    assert newest_tx(agent.kernel) == 0
    assert agent.call("history")["items"] == []
    assert agent.call("query", kinds=["all"])["items"] == []
    assert agent.call("undo")["reverted"] == []


def test_nothing_is_installed_before_somebody_asks(agent):
    agent.store("tea", "black")
    assert STARTER_COLLECTION not in agent.kernel.store.collections()


def test_its_vectors_are_there_at_once(agent):
    assert find_patterns(agent.kernel, PatternQuery(words="what to do when a remote system is down")).mode == "hybrid"
    with agent.kernel.store.database.read() as session:
        assert chunks.count_waiting(session, STARTER_COLLECTION) == 0


def test_many_processes_install_it_once(tmp_path):
    apps = [build(settings.load({"data": str(tmp_path / "data")}, {})) for _ in range(4)]
    for app in apps:
        app.kernel.store.clock = apps[0].kernel.store.clock
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda app: len(all_cards(app.kernel)), apps))
    assert counts == [len(PATTERNS)] * 4
    with apps[0].kernel.store.read(STARTER_COLLECTION) as snapshot:
        assert snapshot.tx == 1
    for app in apps:
        app.kernel.store.close()


def test_a_newer_release_updates_it_and_an_older_one_leaves_it(tmp_path, monkeypatch):
    def open_with(release, patterns):
        monkeypatch.setattr(starter, "release", lambda: release)
        monkeypatch.setattr(starter, "starter_patterns", lambda: patterns)
        app = build(settings.load({"data": str(tmp_path / "data")}, {}))
        by_words_alone(app.kernel)
        try:
            return {card.slug for card in all_cards(app.kernel)}
        finally:
            app.kernel.store.close()

    old, new = PATTERNS[:2], PATTERNS[1:3]
    assert open_with(1, old) == {pattern.slug for pattern in old}
    assert open_with(2, new) == {pattern.slug for pattern in new}
    assert open_with(1, old) == {pattern.slug for pattern in new}


def test_a_pattern_of_one_s_own_hides_the_shipped_one_of_its_name(agent, tmp_path):
    by_words_alone(agent.kernel)
    folder = tmp_path / "mine"
    write_many(folder, 1)
    file = folder / "gadget-0.md"
    file.write_text(file.read_text().replace("id: gadget-0", "id: circuit-breaker"))
    bring_in(agent.kernel, folder)
    assert agent.call("get_pattern", id="circuit-breaker")["title"] == "Use a gadget number 0"
    assert len(all_cards(agent.kernel)) == len(PATTERNS)

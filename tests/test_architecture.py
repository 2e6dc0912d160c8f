"""The house rules: a house that keeps them passes, and each rule complains about a house that breaks it once."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts import architecture

House = Callable[[dict[str, str]], list[str]]

RULES: tuple[Callable[[], Iterator[str]], ...] = (
    architecture.find_double_meanings,
    architecture.find_gerunds,
    architecture.find_large_rooms,
    architecture.find_untested,
    architecture.find_registries,
    architecture.find_bare_constants,
)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Builds a house of some files beside two that keep every rule, and says what the rules complain about."""
    monkeypatch.setattr(architecture, "ROOT", tmp_path)
    monkeypatch.setattr(architecture, "SOURCE", tmp_path / "src" / "memotheca")

    def complaints(files: dict[str, str]) -> list[str]:
        kept = {"notes/sync.py": "class Sync: ...\n", "storage/store.py": "class Store: ...\n"}
        for place, text in {**kept, **files}.items():
            path = tmp_path / "src" / "memotheca" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        tests = tmp_path / "tests"
        tests.mkdir()
        (tests / "test_all.py").touch()
        named = "".join(f'"{place}" = ["test_all.py"]\n' for place in {**kept, **files} if "unmapped" not in place)
        (tests / "map.toml").write_text(named, "utf-8")
        return [complaint for rule in RULES for complaint in rule()]

    return complaints


def test_a_house_that_keeps_the_rules_has_no_complaints(house: House) -> None:
    assert (
        house({"search/index/score.py": "LISTED = {'a': 'b'}\n", "tools/notes/contract.py": "", "text/ranking.py": ""})
        == []
    )


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        (
            {"vault/files.py": "class Store: ...\n"},
            "the class name Store has 2 meanings: storage/store.py, vault/files.py",
        ),
        (
            {"vault/files.py": "class _Store: ...\n"},
            "the class name Store has 2 meanings: storage/store.py, vault/files.py",
        ),
        ({"vault/store.py": ""}, "the module name store has 2 meanings: storage/store.py, vault/store.py"),
        ({"vault/watching.py": ""}, "src/memotheca/vault/watching.py: is named by a gerund"),
        ({f"vault/part_{n}.py": "" for n in range(31)}, "src/memotheca/vault: has 31 modules, more than 30"),
        (
            {"vault/unmapped.py": ""},
            "tests/map.toml: does not say which tests vault/unmapped.py has; scripts/map_tests.py finds them",
        ),
        ({"vault/mounts.py": "MOUNTED: dict[str, int] = {}\n"}, "vault/mounts.py:1"),
        (
            {"vault/mounts.py": "MOST = 3\n"},
            "vault/mounts.py:1: MOST says neither specification, measured nor chosen",
        ),
        (
            {"vault/mounts.py": "# Many.\nMOST, LEAST = 3, -1.5 * 2\n"},
            "vault/mounts.py:2: MOST, LEAST says neither specification, measured nor chosen",
        ),
        (
            {"vault/mounts.py": "SHARES = {'a': 0.5}  # a half\n"},
            "vault/mounts.py:1: SHARES says neither specification, measured nor chosen",
        ),
        ({"vault/mounts.py": "import x\n_kept = WeakKeyDictionary()\n"}, "vault/mounts.py:2"),
    ],
)
def test_a_rule_that_is_broken_once_is_complained_about_once(
    house: House, files: dict[str, str], complaint: str
) -> None:
    assert house(files) == [complaint]


@pytest.mark.parametrize(
    "text",
    [
        "MOST = 3  # chosen: enough\n",
        "# Measured (docs/benchmarks.md): so\n# it is.\nMOST: int = 3\n",
        "# Specification: the codes.\nONE = 1\nTWO = 2\n",
        "INDENT = ' ' * 5\nIS_ON = True\n",
    ],
)
def test_a_number_says_where_it_comes_from_behind_it_or_above_its_block(house: House, text: str) -> None:
    assert house({"vault/mounts.py": text}) == []


def test_the_models_of_a_tool_are_its_own_affair(house: House) -> None:
    assert house({"tools/notes/add.py": "class Input: ...\n", "tools/entries/put.py": "class Input: ...\n"}) == []


def test_a_map_that_names_what_is_not_there_is_complained_about(house: House, tmp_path: Path) -> None:
    assert house({}) == []
    named = tmp_path / "tests" / "map.toml"
    named.write_text(named.read_text("utf-8") + '"vault/gone.py" = ["test_gone.py"]\n', "utf-8")
    assert list(architecture.find_untested()) == [
        "tests/map.toml: there is no vault/gone.py",
        "tests/map.toml: the tests of vault/gone.py are not there",
    ]


def test_a_map_that_leaves_out_the_tests_that_are_called_as_a_module_is_is_complained_about(
    house: House, tmp_path: Path
) -> None:
    assert house({}) == []
    own = tmp_path / "tests" / "storage" / "test_store.py"
    own.parent.mkdir()
    own.touch()
    assert list(architecture.find_untested()) == [
        "tests/map.toml: does not name storage/test_store.py among the tests of storage/store.py"
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("CODE = '```'\n", "line 1: spells a fence; text/markdown_lines.py says what one is"),
        ("import yaml\nyaml.safe_load('')\n", "line 2: reads YAML without bounds; text/yaml_bounds.py reads it"),
    ],
)
def test_what_a_fence_is_and_how_yaml_is_read_is_said_once(
    house: House, tmp_path: Path, text: str, complaint: str
) -> None:
    place = tmp_path / "src" / "memotheca" / "text" / "sentences.py"
    assert house({"text/sentences.py": text}) == []
    assert list(architecture.check_markup(place, ast.parse(text))) == [complaint]

"""Say in tests/map.toml which tests a module has: those that are called as it is, those that import it where few do,
those that run most of its lines, those that call its tool by name, and else those of the modules that import it.

Reads what a run with `--cov --cov-context=test` has left in .coverage, where there is one. What is in the map already
stays behind those that are called as the module is or import it, as far as there is room. Tests that walk through
every tool say nothing about one of them and count for none.
"""

import ast
import json
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.own_tests import own_tests  # noqa: E402

SOURCE = ROOT / "src" / "memotheca"
TESTS = ROOT / "tests"
MAP = TESTS / "map.toml"
NAMED = 3
FEW = 6  # where more import a module, importing it tells little
WALKING = {
    "toolkit/test_nulls.py",
    "toolkit/test_bounds.py",
    "memories/test_parameters.py",
    "engine/test_cancelling.py",
}


def main() -> int:
    importing, running, calling = tests_by_import(), tests_by_run(), tests_by_call()
    known: dict[str, list[str]] = tomllib.loads(MAP.read_text("utf-8")) if MAP.exists() else {}
    lines = ["# Which tests a module has; scripts/map_tests.py adds what is missing, scripts/architecture.py holds it."]
    found: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        own = own_tests(name, TESTS)
        kept = known.get(name, ())
        first = [*importing[name], *kept] if len(importing[name]) <= FEW else [*kept, *importing[name]]
        told = dict.fromkeys([*own, *first, *running[name], *calling[name]])
        found[name] = [test for test in told if test in own or test not in WALKING][:NAMED]
    users = used_by()
    for name, tests in found.items():
        if not name.endswith("__init__.py"):
            named = tests or inherited(name, found, users)
            lines.append(f'"{name}" = {json.dumps(named)}')
    MAP.write_text("\n".join(lines) + "\n", "utf-8")
    return 0


def tests_by_import() -> dict[str, list[str]]:
    """The test files that import a module, those that are about the fewest others first."""
    imported = {path: imported_by(path) for path in sorted(TESTS.rglob("test_*.py"))}
    found = defaultdict[str, list[str]](list)
    for path in sorted(imported, key=lambda each: len(imported[each])):
        for name in imported[path]:
            found[name].append(path.relative_to(TESTS).as_posix())
    return found


def tests_by_call() -> dict[str, list[str]]:
    """The test files of each tool, those that say its name most often first."""
    said = {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in sorted(TESTS.rglob("test_*.py"))}
    found = defaultdict[str, list[str]](list)
    for path in SOURCE.glob("tools/*/*.py"):
        name = path.stem.replace("_", "-") if path.parent.name == "documents" else path.stem
        counts = Counter({test: text.count(f'"{name}"') for test, text in said.items()})
        found[path.relative_to(SOURCE).as_posix()] = [test for test, count in counts.most_common(NAMED) if count > 1]
    return found


def used_by() -> dict[str, list[str]]:
    """Which modules import a module."""
    found = defaultdict[str, list[str]](list)
    for path in sorted(SOURCE.rglob("*.py")):
        for name in imported_by(path):
            found[name].append(path.relative_to(SOURCE).as_posix())
    return found


def inherited(name: str, found: dict[str, list[str]], users: dict[str, list[str]]) -> list[str]:
    """The tests of the nearest modules that use one."""
    seen, ring = {name}, [name]
    while ring:
        ring = [user for each in ring for user in users[each] if user not in seen]
        seen.update(ring)
        counts = Counter(test for user in ring for test in found[user])
        if counts:
            return [test for test, _ in counts.most_common(NAMED)]
    return []


def imported_by(path: Path) -> set[str]:
    """The modules that a file imports itself, as paths within the package."""
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memotheca"):
            within = node.module.removeprefix("memotheca").lstrip(".").replace(".", "/")
            names |= {f"{within}.py"} | {f"{within}/{alias.name}.py".lstrip("/") for alias in node.names}
    return {name for name in names if (SOURCE / name).is_file()}


def tests_by_run() -> dict[str, list[str]]:
    """The test files of each module, those that run most of its lines first."""
    found = defaultdict[str, list[str]](list)
    record = CoverageData(str(ROOT / ".coverage"))
    if (ROOT / ".coverage").exists():
        record.read()
    for measured in record.measured_files():
        counts = Counter[str]()
        by_line: dict[int, list[Any]] = record.contexts_by_lineno(measured)
        for contexts in by_line.values():
            files = {str(each).partition("::")[0].removeprefix("tests/") for each in contexts if "::" in str(each)}
            counts.update(files)
        if Path(measured).is_relative_to(SOURCE):
            found[Path(measured).relative_to(SOURCE).as_posix()] = [name for name, _ in counts.most_common(NAMED)]
    return found


if __name__ == "__main__":
    raise SystemExit(main())

"""Say in tests/map.toml which tests a module has: those that import it, and those that run most of its lines.

Reads what a run with `--cov --cov-context=test` has left in .coverage, where there is one. An entry that is in the
map already stays as it is.
"""

import ast
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "memotheca"
TESTS = ROOT / "tests"
MAP = TESTS / "map.toml"
NAMED = 3


def main() -> int:
    importing, running = tests_by_import(), tests_by_run()
    known: dict[str, list[str]] = tomllib.loads(MAP.read_text("utf-8")) if MAP.exists() else {}
    lines = ["# Which tests a module has; scripts/map_tests.py adds what is missing, scripts/architecture.py holds it."]
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        found = [*importing[name], *(each for each in running[name] if each not in importing[name])]
        if path.name != "__init__.py":
            tests = ", ".join(f'"{test}"' for test in known.get(name) or found[:NAMED])
            lines.append(f'"{name}" = [{tests}]')
    MAP.write_text("\n".join(lines) + "\n", "utf-8")
    return 0


def tests_by_import() -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for name in sorted(imported_by(path)):
            found[name].append(path.relative_to(TESTS).as_posix())
    return found


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

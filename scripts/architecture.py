"""Check the house rules that no linter knows: sizes, names, parameters, cycles, folder questions, late imports."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "memotheca"

MAX_FILE = 500
MAX_FUNCTION = 50
MAX_PARAMETERS = 5
MAX_POSITIONAL = 4
MAX_README = 150

SQL = re.compile(r"\s*(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX)) ")

FORBIDDEN_WORDS = {"manager", "service", "helper", "util", "utils", "base", "impl", "data", "info", "item", "process"}

# Names that a library calls us by.
IMPOSED = {"data_received"}

# The only places that import when called: the named mechanism for heavy packages, the tools, and the commands.
LATE_IMPORTS = {
    "app.py": {"lazily", "find_tools"},
    "toolkit/catalog.py": {"load"},
    "cli/main.py": {"load_command"},
    "vectors/load.py": {"__init__"},
}

# What must not load at start-up: from these modules no chain of imports may lead to those packages. They are reached
# through `lazily`, or through a tool's module, which loads when it is first called.
PARSERS = ("pypdfium2", "python_calamine", "resvg_py", "charset_normalizer", "striprtf")
MODELS = ("numpy", "onnxruntime", "tokenizers", "tqdm", "yaml", *PARSERS)
STARTING = {
    "memotheca.cli.main": ("mcp", "uvicorn", *MODELS),
    "memotheca.cli.serve_command": ("mcp", "uvicorn", *MODELS),
    "memotheca.app": ("mcp", "uvicorn", *MODELS),
    "memotheca.server.stdio": ("uvicorn", *MODELS),
    "memotheca.server.web": MODELS,
}


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def check_file(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    lines = text.count("\n")
    if lines > MAX_FILE:
        yield f"has {lines} lines, more than {MAX_FILE}"
    if words_of(path.stem) & FORBIDDEN_WORDS:
        yield "has a name that says nothing"
    tree = ast.parse(text)
    docstring = ast.get_docstring(tree)
    if not docstring:
        yield "has no docstring"
    elif path.name == "__init__.py" and path.parent != SOURCE and not docstring.partition("\n")[0].endswith("?"):
        yield "is a folder without its question"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from check_definition(node)
    yield from check_imports(path, tree)
    yield from check_statements(path, tree)


def check_statements(path: Path, tree: ast.AST) -> Iterator[str]:
    """SQL is written in one folder."""
    if SOURCE / "storage" in path.parents:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value):
            yield f"line {node.lineno}: speaks SQL outside storage"


def check_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[str]:
    if words_of(node.name) & FORBIDDEN_WORDS and node.name not in IMPOSED:
        yield f"line {node.lineno}: {node.name} is a name that says nothing"
    if isinstance(node, ast.ClassDef):
        return
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > MAX_FUNCTION:
        yield f"line {node.lineno}: {node.name} has {length} lines, more than {MAX_FUNCTION}"
    positional = [a for a in [*node.args.posonlyargs, *node.args.args] if a.arg not in ("self", "cls")]
    if len(positional) > MAX_POSITIONAL:
        yield f"line {node.lineno}: {node.name} takes {len(positional)} parameters by position"
    if len(positional) + len(node.args.kwonlyargs) > MAX_PARAMETERS and not is_seam(node):
        yield f"line {node.lineno}: {node.name} has more than {MAX_PARAMETERS} parameters"


def is_seam(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Declarations are read as a list of named words, not called in passing."""
    return node.name in {"tool", "__init__"}


def check_imports(path: Path, tree: ast.Module) -> Iterator[str]:
    place = path.relative_to(SOURCE).as_posix()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if not isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
                continue
            called = isinstance(node, ast.Call)
            late = not called or (isinstance(node.func, ast.Name) and node.func.id == "import_module")
            if late and not LATE_IMPORTS.get(place, set()) & enclosing(tree, function):
                yield f"line {node.lineno}: {function.name} imports when it is called"


def enclosing(tree: ast.Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The function's name and those of the functions around it."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and function in ast.walk(node)
    }


def find_cycles() -> Iterator[str]:
    graph = grimp.build_graph("memotheca", cache_dir=None)
    modules = sorted(graph.modules)
    for module in modules:
        for imported in sorted(graph.find_modules_directly_imported_by(module)):
            if module < imported and graph.chain_exists(imported, module):
                yield f"{module} and {imported} import each other"


def find_heavy_starts() -> Iterator[str]:
    graph = grimp.build_graph("memotheca", include_external_packages=True, cache_dir=None)
    for module, packages in STARTING.items():
        for package in packages:
            chain = graph.find_shortest_chain(module, package) if package in graph.modules else None
            if chain:
                yield f"{module} loads {package} at start-up: {' > '.join(chain)}"


def find_addresses() -> Iterator[str]:
    """A lock file is installed from wherever its reader gets packages: it says names, versions and hashes alone."""
    for path in sorted(ROOT.glob("requirements*.lock")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if "://" in line or line.startswith("-"):
                yield f"{path.name}: line {number} has an address"


def main() -> int:
    complaints = [
        f"{path.relative_to(ROOT)}: {complaint}"
        for path in sorted(SOURCE.rglob("*.py"))
        for complaint in check_file(path)
    ]
    complaints += find_cycles()
    complaints += find_heavy_starts()
    complaints += find_addresses()
    for path in sorted([*ROOT.glob("tests/**/*.py"), *ROOT.glob("scripts/*.py"), *ROOT.glob("benchmarks/*.py")]):
        lines = path.read_text("utf-8").count("\n")
        if lines > MAX_FILE and "node_modules" not in path.parts:
            complaints.append(f"{path.relative_to(ROOT)}: has {lines} lines, more than {MAX_FILE}")
    readme = (ROOT / "README.md").read_text("utf-8").count("\n")
    if readme > MAX_README:
        complaints.append(f"README.md has {readme} lines, more than {MAX_README}")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"architecture: {'ok' if not complaints else f'{len(complaints)} complaints'}")
    return 1 if complaints else 0


if __name__ == "__main__":
    raise SystemExit(main())

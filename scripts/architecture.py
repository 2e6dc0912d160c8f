"""Check the house rules that no linter knows: sizes, names, parameters, cycles, folder questions, late imports.

With --report, print how large the house is and how it hangs together.
"""

import ast
import io
import re
import statistics
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.constants import SOURCED, numbers_of  # noqa: E402
from scripts.own_tests import own_tests  # noqa: E402

SOURCE = ROOT / "src" / "memotheca"

MAX_FILE = 500
MAX_FUNCTION = 50
MAX_PARAMETERS = 5
MAX_POSITIONAL = 4
MAX_README = 150

MAX_ROOM = 30

# Gerunds that the trade uses as nouns.
GERUNDS = {"chunking", "encoding", "indexing", "learning", "logging", "paging", "ranking", "spelling"}

# Files that every family of tools has.
OF_EVERY_FAMILY = {"contract", "shapes"}

# Where tools are named; everywhere else is below them.
MAY_NAME_TOOLS = {"cli", "server", "tools", "app.py", "settings.py"}

# A family's own name for a failure, in its contract.
ERROR_NAME = re.compile(r'ErrorName\(-\d+, "(\w+_\w+)"')

SQL = re.compile(r"\s*(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX)) ")

# What a fence is; the vault follows Obsidian to the letter.
FENCES = {"text/markdown_lines.py", "vault/structure.py"}
YAML_READERS = {
    f"yaml.{name}" for name in ("load", "load_all", "safe_load", "safe_load_all", "full_load", "unsafe_load")
}

FORBIDDEN_WORDS = {"manager", "service", "helper", "util", "utils", "base", "impl", "data", "info", "item", "process"}

# Names that a library calls us by.
IMPOSED = {"data_received"}

# The only functions that import when called: what start-up must not wait for, the tools, and the commands.
LATE_IMPORTS = {
    "__main__.py": {"start"},
    # What only who asks for it has installed.
    "server/operation/operation.py": {"_build_metrics", "_build_traces"},
    "server/web.py": {"_build_provider"},
    "server/operation/hook_door.py": {"_answer"},
    "app.py": {
        "open_server_store",
        "open_store",
        "_is_lost",
        "refuse_missing",
        "loss_of",
        "_represent",
        "open_backups",
        "means_of",
        "_tend",
        "_dream_if_due",
        "_index_everything",
        "_watch_vaults",
        "_sync_everything",
        "_rebuild_everything",
    },
    "equipment.py": {"_load_embedder", "_pack_vector", "_ingest", "_index_as_job", "tend_cache"},
    "server/resources.py": {"_entries_page", "_entry_fits", "_notes_page", "_note"},
    "toolkit/catalog.py": {"load"},
    "cli/main.py": {"load_command"},
    "cli/hooks/hook_client.py": {"_load_work", "_load_notes", "_load_attendant"},
    "cli/commands/serve_command.py": {"_run_server"},
    "cli/terminal.py": {"progress"},
    "vectors/load.py": {"__init__"},
}

# What must not load at start-up: from these modules no chain of imports may lead to those packages. They are reached
# through the functions above, or through a tool's module, which loads when it is first called.
PARSERS = ("pypdfium2", "python_calamine", "resvg_py", "charset_normalizer", "striprtf")
MODELS = ("numpy", "onnxruntime", "tokenizers", "tqdm", "yaml", *PARSERS)
STARTING = {
    # A prompt waits for it.
    "memotheca.cli.hooks.hook_client": ("mcp", "uvicorn", "apsw", "memotheca.app", *MODELS),
    "memotheca.cli.main": ("mcp", "uvicorn", *MODELS),
    "memotheca.cli.commands.serve_command": ("mcp", "uvicorn", *MODELS),
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
    yield from check_markup(path, tree)
    yield from check_failures(tree)


def check_statements(path: Path, tree: ast.AST) -> Iterator[str]:
    """SQL is written in one folder."""
    if SOURCE / "storage" in path.parents:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value):
            yield f"line {node.lineno}: speaks SQL outside storage"


def check_markup(path: Path, tree: ast.AST) -> Iterator[str]:
    """What a fence is and within which bounds YAML is read, one module says each."""
    name = path.relative_to(SOURCE).as_posix()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and "```" in node.value
            and name not in FENCES
        ):
            yield f"line {node.lineno}: spells a fence; text/markdown_lines.py says what one is"
        if isinstance(node, ast.Attribute) and ast.unparse(node) in YAML_READERS:
            yield f"line {node.lineno}: reads YAML without bounds; text/yaml_bounds.py reads it"


def check_failures(tree: ast.AST) -> Iterator[str]:
    """What a refusal is, its type says; details are for whoever is told, and are nowhere looked into."""
    for node in ast.walk(tree):
        looked: list[ast.expr] = []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            looked = [node.value]
        elif isinstance(node, ast.Compare):
            looked = node.comparators
        elif isinstance(node, ast.Attribute) and node.attr == "get":
            looked = [node.value]
        for each in looked:
            if isinstance(each, ast.Attribute) and each.attr == "details":
                yield f"line {each.lineno}: recognises a refusal by its details; give it a type"


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
    if sum(map(count_members, [*positional, *node.args.kwonlyargs])) > MAX_PARAMETERS and not is_seam(node):
        yield f"line {node.lineno}: {node.name} has more than {MAX_PARAMETERS} parameters"


def count_members(parameter: ast.arg) -> int:
    """A tuple of unlike things is as many parameters as it has members; two of a kind, such as a span, are one."""
    declared = parameter.annotation
    if not (isinstance(declared, ast.Subscript) and ast.unparse(declared.value) == "tuple"):
        return 1
    members = [ast.unparse(each) for each in getattr(declared.slice, "elts", ())]
    return 1 if "..." in members or len(set(members)) < 2 else len(members)


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
    graph = grimp.build_graph(
        "memotheca", include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
    )
    for place in LATE_IMPORTS:
        leave_out_late_imports(graph, SOURCE / place)
    for module, packages in STARTING.items():
        for package in packages:
            chain = graph.find_shortest_chain(module, package) if package in graph.modules else None
            if chain:
                yield f"{module} loads {package} at start-up: {' > '.join(chain)}"


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


def is_tool(path: Path) -> bool:
    """Whether a file is one tool's: what it is called is the tool's name, and its models are seen by nobody else."""
    return path.relative_to(SOURCE).parts[0] == "tools" and path.stem not in OF_EVERY_FAMILY


def class_places() -> dict[str, list[str]]:
    """Where each class is defined, a module's own as well; those of a tool's own file belong to that tool alone."""
    found = defaultdict[str, list[str]](list)
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body if not is_tool(path) else ():
            if isinstance(node, ast.ClassDef):
                found[node.name.lstrip("_")].append(path.relative_to(SOURCE).as_posix())
    return found


def module_places() -> dict[str, list[str]]:
    found = defaultdict[str, list[str]](list)
    for path in modules():
        if not is_tool(path) and path.stem not in OF_EVERY_FAMILY:
            found[path.stem].append(path.relative_to(SOURCE).as_posix())
    return found


def find_double_meanings() -> Iterator[str]:
    for what, places in (("class", class_places()), ("module", module_places())):
        for name, found in sorted(places.items()):
            if len(found) > 1:
                yield f"the {what} name {name} has {len(found)} meanings: {', '.join(found)}"


def find_gerunds() -> Iterator[str]:
    """A tool's file has the name that its specification gives it."""
    for path in modules():
        if not is_tool(path) and path.stem.endswith("ing") and path.stem not in GERUNDS and path.stem != "string":
            yield f"{path.relative_to(ROOT)}: is named by a gerund"


def find_large_rooms() -> Iterator[str]:
    sizes = Counter(path.parent for path in modules() if not is_tool(path))
    for room, size in sorted(sizes.items()):
        if size > MAX_ROOM:
            yield f"{room.relative_to(ROOT)}: has {size} modules, more than {MAX_ROOM}"


def find_untested() -> Iterator[str]:
    """Each module has its tests in tests/map.toml, which may name folders."""
    listed: dict[str, list[str]] = tomllib.loads((ROOT / "tests" / "map.toml").read_text("utf-8"))
    there = {path.relative_to(SOURCE).as_posix() for path in modules()}
    for name in sorted(there - listed.keys()):
        yield f"tests/map.toml: does not say which tests {name} has; scripts/map_tests.py finds them"
    for name in sorted(listed.keys() - there):
        yield f"tests/map.toml: there is no {name}"
    for name, tests in listed.items():
        if not tests or not all((ROOT / "tests" / test).exists() for test in tests):
            yield f"tests/map.toml: the tests of {name} are not there"
    for name in sorted(there & listed.keys()):
        for test in own_tests(name, ROOT / "tests"):
            if test not in listed[name]:
                yield f"tests/map.toml: does not name {test} among the tests of {name}"


def find_addresses() -> Iterator[str]:
    """A lock file is installed from wherever its reader gets packages: it says names, versions and hashes alone."""
    for path in sorted(ROOT.glob("requirements*.lock")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if "://" in line or line.startswith("-"):
                yield f"{path.name}: line {number} has an address"


def report() -> int:
    """The measurements, as lines of a table each."""
    report_rooms()
    report_graph()
    doubles = list(find_double_meanings())
    told = {
        "names with two meanings": doubles,
        "modules named by a gerund": list(find_gerunds()),
        "rooms above the limit": list(find_large_rooms()),
        "modules without tests in the map": list(find_untested()),
        "registries": list(find_registries()),
        "constants without source": list(find_bare_constants()),
        "tool names below tools": list(find_tool_names()),
    }
    for name, found in told.items():
        print(f"\n{name}: {len(found)}")
        for line in found:
            print(f"  {line}")
    print(f"\ncomments: {sum(map(count_comments, SOURCE.rglob('*.py')))}")
    return 0


def report_rooms() -> None:
    rows = defaultdict[str, list[Path]](list)
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).parts
        rows["/".join(place[:2] if place[0] == "memory" and len(place) > 2 else place[:1])].append(path)
    rows["all"] = list(SOURCE.rglob("*.py"))
    print(f"{'room':24}{'files':>7}{'lines':>8}{'functions':>11}{'classes':>9}{'median function':>17}")
    for room, paths in rows.items():
        nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8")))]
        lengths = [
            (n.end_lineno or n.lineno) - n.lineno + 1
            for n in nodes
            if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        classes = sum(isinstance(node, ast.ClassDef) for node in nodes)
        lines = sum(path.read_text("utf-8").count("\n") for path in paths)
        median = statistics.median(lengths) if lengths else 0
        print(f"{room:24}{len(paths):7}{lines:8,}{len(lengths):11,}{classes:9}{median:17}")


def report_graph() -> None:
    graph = grimp.build_graph("memotheca", cache_dir=None)
    names = [
        f"memotheca.{path.relative_to(SOURCE).with_suffix('').as_posix().replace('/', '.')}" for path in tool_files()
    ]
    reached = sorted((len(graph.find_upstream_modules(name)), name.rpartition(".")[2]) for name in names)
    middle = statistics.median(count for count, _ in reached)
    print(f"\nmodules reached by a tool: min {reached[0]}, median {middle}, max {reached[-1]}")
    depths = dict[str, int]()

    def depth(module: str) -> int:
        if module not in depths:
            depths[module] = 1 + max(map(depth, graph.find_modules_directly_imported_by(module)), default=0)
        return depths[module]

    deepest = max(sorted(graph.modules), key=depth)
    print(f"import levels: {depth(deepest)} ({deepest})")


def tool_files() -> list[Path]:
    return [
        path for path in modules() if is_tool(path) and re.search(r"^@tool\(", path.read_text("utf-8"), re.MULTILINE)
    ]


def find_registries() -> Iterator[str]:
    """Containers that a module makes empty when it loads, to be filled by whoever comes."""
    makers = {
        "dict",
        "list",
        "set",
        "WeakKeyDictionary",
        "WeakValueDictionary",
        "WeakSet",
        "defaultdict",
        "OrderedDict",
    }
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            empty = isinstance(value, ast.Dict | ast.List) and not (
                value.keys if isinstance(value, ast.Dict) else value.elts
            )
            called = value.func if isinstance(value, ast.Call) and not value.args else None
            called = called.value if isinstance(called, ast.Subscript) else called
            if empty or (isinstance(called, ast.Name) and called.id in makers):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}"


def find_bare_constants() -> Iterator[str]:
    """Numbers that decide something, of which nobody says where they come from."""
    for path in modules():
        for number in numbers_of(path):
            if not SOURCED.search(number.source):
                place = path.relative_to(SOURCE).as_posix()
                yield f"{place}:{number.line}: {number.name} says neither specification, measured nor chosen"


def find_tool_names() -> Iterator[str]:
    """Texts below tools/ that name a tool or a family's own error; names of one word are words like others."""
    names = {path.stem for path in tool_files() if "_" in path.stem}
    names |= {name.replace("_", "-") for name in names if name.startswith("knowledge_")}
    names |= {
        name for path in SOURCE.glob("tools/*/contract.py") for name in ERROR_NAME.findall(path.read_text("utf-8"))
    }
    named = re.compile(rf"(?<![\w-])({'|'.join(sorted(map(re.escape, names)))})(?![\w-])")
    for path in modules():
        if path.relative_to(SOURCE).parts[0] in MAY_NAME_TOOLS:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for name in named.findall(node.value):
                    yield f"{path.relative_to(SOURCE)}:{node.lineno}: names {name}, which is for tools to do"


def count_comments(path: Path) -> int:
    text = io.StringIO(path.read_text("utf-8"))
    return sum(token.type == tokenize.COMMENT for token in tokenize.generate_tokens(text.readline))


def leave_out_late_imports(graph: grimp.ImportGraph, path: Path) -> None:
    module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    tree = ast.parse(path.read_text("utf-8"))
    late = {
        node.lineno
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    for imported in graph.find_modules_directly_imported_by(module):
        details = graph.get_import_details(importer=module, imported=imported)
        if all(found["line_number"] in late for found in details):
            graph.remove_import(importer=module, imported=imported)


def main() -> int:
    complaints = [
        f"{path.relative_to(ROOT)}: {complaint}"
        for path in sorted(SOURCE.rglob("*.py"))
        for complaint in check_file(path)
    ]
    complaints += find_cycles()
    complaints += find_heavy_starts()
    complaints += find_addresses()
    complaints += [*find_double_meanings(), *find_gerunds(), *find_large_rooms(), *find_untested()]
    complaints += [f"src/memotheca/{place}: keeps a registry in a module" for place in find_registries()]
    complaints += find_tool_names()
    complaints += [f"src/memotheca/{complaint}" for complaint in find_bare_constants()]
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
    raise SystemExit(report() if "--report" in sys.argv[1:] else main())

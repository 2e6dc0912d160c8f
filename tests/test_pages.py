"""The pages for people who change the program say what is true of it: rooms, tables, files."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "memotheca"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")

ROOMS = sorted(path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.glob("**/__init__.py"))[1:]
FILE = re.compile(r"`([\w/]+\.py)`")


def docstring_of(room: str) -> str:
    return ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text("utf-8"))) or ""


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def tables() -> Iterator[str]:
    for path in sorted((SOURCE / "storage").glob("*.py")):
        yield from re.findall(r"CREATE TABLE (\w+) \(", path.read_text("utf-8"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_its_question_what_it_is_not_for_and_where_to_look_first(room: str) -> None:
    docstring = " ".join(docstring_of(room).split())
    question, _, rest = docstring_of(room).partition("\n")
    assert question.endswith("?")
    assert re.search(r"\b[Nn]ot\b", rest), "says nothing of what it is not for"
    first = docstring.partition("Look first at ")[2]
    files = FILE.findall(first)
    assert files
    for file in files:
        assert (SOURCE / room / file).is_file(), file


@pytest.mark.parametrize("room", ROOMS)
def test_the_architecture_page_has_every_room(room: str) -> None:
    assert f"`{room}/`" in ARCHITECTURE


@pytest.mark.parametrize("table", sorted(tables()))
def test_the_architecture_page_has_every_table(table: str) -> None:
    assert re.search(rf"^\|[^|]*\| `{table}` \|", ARCHITECTURE, re.MULTILINE)


def test_the_rooms_on_the_architecture_page_agree_with_their_own_words_about_where_to_look_first() -> None:
    paragraphs = re.findall(r"^ *- \*\*`([\w/]+)/`\*\*: (.*?)(?=^ *- |\n\n)", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    assert paragraphs
    for room, said in paragraphs:
        first = FILE.findall(said.partition("First:")[2].partition("Inside:")[0].partition("Its rooms:")[0])
        own = " ".join(docstring_of(room).split()).partition("Look first at ")[2]
        assert first[:1] == FILE.findall(own)[:1], room


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def is_there(named: str, path: Path) -> bool:
    rooms = [room for room in path.parents if room == SOURCE or SOURCE in room.parents]
    return any((place / named).is_file() for place in (*rooms, ROOT, SOURCE / "tools", SOURCE / "memory"))


def is_dotted_module(named: str) -> bool:
    place = SOURCE / named.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").is_file()


@pytest.mark.parametrize("room", [".", *ROOMS])
def test_a_docstring_names_only_modules_that_exist(room: str) -> None:
    heads = {path.name.removesuffix(".py") for path in SOURCE.iterdir()} | {"engine", "mind", "reading", "contracts"}
    for path in sorted((SOURCE / room).glob("*.py")):
        for said in docstrings(path):
            for named in FILE.findall(said):
                assert is_there(named, path), f"{path}: {named}"
            for named in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", said):
                if named.partition(".")[0] in heads and not named.endswith((".py", ".json")):
                    assert is_dotted_module(named), f"{path}: {named}"


def test_the_memory_says_each_of_its_rooms() -> None:
    named = set(re.findall(r"`(\w+)`", docstring_of("memory")))
    assert named == {room.partition("/")[2] for room in ROOMS if room.startswith("memory/")}


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_a_page_names_only_modules_that_exist(page: str) -> None:
    for named in re.findall(r"`([a-z_]+/[\w/]+\.py)`", (ROOT / page).read_text("utf-8")):
        assert any((place / named).is_file() for place in (SOURCE, ROOT, SOURCE / "tools", SOURCE / "memory")), named


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")), ids=lambda path: path.name
)
def test_a_page_links_only_to_pages_and_headings_that_exist(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", page.read_text("utf-8"))
    for target, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)]*))?\)", text):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors_of(there), f"{target}#{anchor}"


def test_every_citation_of_the_memory_model_leads_to_a_heading_of_it() -> None:
    headings = set(re.findall(r"^## (.+)$", (ROOT / "docs" / "memory-model.md").read_text("utf-8"), re.MULTILINE))
    cited: set[str] = set()
    for path in [
        *sorted(SOURCE.rglob("*.py")),
        *sorted(ROOT.glob("docs/**/*.md")),
        *sorted(ROOT.glob("tests/**/*.py")),
    ]:
        text = " ".join(path.read_text("utf-8").replace("\n#", "\n").split())
        cited |= set(re.findall(r"\(memory-model: ([A-Z][\w ]+)\)", text))
        assert not re.search(r"(?<![\w.])D\.\d+", text), f"{path} cites what is not in the repository"
    assert cited
    assert cited <= headings


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=lambda path: path.name)
def test_a_page_of_decisions_begins_with_its_date_its_state_and_what_was_decided_in_five_lines(page: Path) -> None:
    told = page.read_text("utf-8").split("\n\n")[1]
    assert re.match(r"\d{4}-\d\d-\d\d, (holds|replaced by|tried and left)\b", told)
    assert len(told.splitlines()) <= 5


def test_every_test_that_the_page_of_tests_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "docs" / "tested.md").read_text("utf-8"))
    assert named
    for file, test in named:
        assert re.search(rf"def {test}\(", (ROOT / file).read_text("utf-8")), f"{file}::{test}"


def test_every_finding_about_the_memory_has_its_test() -> None:
    page = (ROOT / "docs" / "tested.md").read_text("utf-8").partition("## Findings about the memory")[2]
    rows = re.findall(r"^\| 1\.(\d+)[^|]*\|[^|]+\| `tests/", page, re.MULTILINE)
    assert {int(row) for row in rows} == set(range(2, 19))

"""Code: what is defined in it is a section, with a title that people search by."""

import pytest

from memotheca.text.chunking import cut, window
from tests.reading.conftest import read_bytes


def titles(name: str, text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in read_bytes(name, text.encode()).sections]


PYTHON = '''"""A module."""
import os


class ConfigReader(Base):
    """Reads settings. Falls back to defaults."""

    @property
    def is_open(self) -> bool:
        return self.open

    async def read_file(
        self,
        path: str,
    ) -> str:
        """Read a file that
        may be long.

        Nothing else."""
        return ""


def outside(): return 1
'''


def test_functions_and_types_are_named_as_they_are_written_and_by_what_they_say():
    assert titles("a.py", PYTHON) == [
        (1, "class ConfigReader(Base) (config reader): Reads settings."),
        (2, "def is_open(self) -> bool"),
        (2, "async def read_file(: Read a file that may be long."),
        (1, "def outside(): return 1"),
    ]


def test_a_decorator_or_a_comment_above_belongs_to_what_it_is_about():
    document = read_bytes("a.py", PYTHON.encode())
    assert [document.text[section.start :].split("\n")[0].strip() for section in document.sections] == [
        "class ConfigReader(Base):",
        "@property",
        "async def read_file(",
        "def outside(): return 1",
    ]
    (section,) = read_bytes(
        "a.rs", b"use x;\n/// Opens a file. Really.\n#[inline]\npub(crate) fn open() {\n}\n"
    ).sections
    assert section.title == "pub(crate) fn open(): Opens a file."
    assert section.start == len("use x;\n")


@pytest.mark.parametrize(
    ("name", "line", "title"),
    [
        ("a.ts", "export async function parseConfigFile(path: string) {", "(parse config file)"),
        ("a.ts", "export const toSnakeCase = (text: string): string => text;", "(to snake case)"),
        ("a.js", "class HTTPServer extends Base {", "(http server)"),
        ("a.go", "func (r *Reader) ReadAll(p []byte) (int, error) {", "(read all)"),
        ("A.java", "    public static void cancelOrder(String id) throws Bad {", "(cancel order)"),
        ("a.cs", "public sealed class OrderBook", "(order book)"),
        ("a.rb", "  def sayHello?(name)", "(say hello)"),
        ("a.kt", "internal suspend fun loadAll(): Int {", "(load all)"),
    ],
)
def test_a_name_is_found_by_its_words_in_many_languages(name: str, line: str, title: str):
    ((_, found),) = titles(name, f"{line}\n  body\n}}\n")
    assert found.startswith(line.strip().rstrip("{ "))
    assert found.endswith(title)


C = """static int counter;

/* Opens the file. */
struct file *open_file(const char *path,
                       int mode)
{
    if (mode) {
        return fail(path);
    }
    while (x)
    {
    }
}
void close_file(struct file *f);
unsigned long
gnu_style (int a)
{
}
int main(void) {
}
"""
JAVASCRIPT = """class Reader {
  constructor(path, mode = 1) {
    super(path);
  }
  async readFile(path) {
    for (const line of lines(path)) {
    }
    forEach(function (x) {
    });
    it("reads", () => {
    });
    switch (x) {
    }
  }
  get size() {
  }
  #hidden(a) {
  }
}
"""
CPP = """void Shelf::put(const Book& book) const {
}
Shelf::~Shelf() {
}
std::vector<int> pages(int from) noexcept
{
}
"""


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "a.c",
            C,
            ["struct file *open_file(const char *path,: Opens the file.", "gnu_style (int a)", "int main(void)"],
        ),
        (
            "a.js",
            JAVASCRIPT,
            [
                "class Reader",
                "constructor(path, mode = 1)",
                "async readFile(path) (read file)",
                "get size()",
                "#hidden(a)",
            ],
        ),
        (
            "a.cpp",
            CPP,
            [
                "void Shelf::put(const Book& book) const",
                "Shelf::~Shelf()",
                "std::vector<int> pages(int from) noexcept",
            ],
        ),
        ("a.sh", "build_all() {\n  make\n}\n", ["build_all()"]),
        (
            "A.java",
            "class A {\n  List<String> names(int a) throws Bad {\n  }\n}\n",
            ["class A", "List<String> names(int a) throws Bad"],
        ),
    ],
)
def test_a_function_that_no_word_announces_is_known_by_the_block_it_opens(name: str, text: str, found: list[str]):
    assert [title for _, title in titles(name, text)] == found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x = 1\nreturn default\nprint(classes)\ndefine(x)\n"),
        ("a.c", "struct point;\nreturn call(x);\n"),
        ("a.js", "a" * 5000 + "\n" + "function " + "x" * 5000 + "(){}\n"),
        ("a.kt", "launch(Dispatchers.IO) {\n}\n"),
        ("a.rs", "match open(path) {\n}\n"),
        ("a.js", "} else if (ready(x)) {\n}\nfor (;;) {\n}\nopen(path)\n\n{\n}\n"),
        ("a.js", "open(" + "(" * 5000 + "\n" + "open(a,\n" * 100 + "{\n"),
        ("a.ini", "name = def\n; class of things\n"),
    ],
)
def test_what_defines_nothing_is_no_section(name: str, text: str):
    assert titles(name, text) == []


def test_every_passage_of_a_long_method_says_whose_it_is():
    body = "".join(f"        value_{place} = self.compute({place})\n" for place in range(60))
    document = read_bytes("a.py", f"class Ledger:\n    def closeBooks(self):\n{body}".encode())
    chunks = cut(document.text, [(mark.offset, mark.place) for mark in document.marks])
    assert len(chunks) > 3
    assert "".join(document.text[chunk.start : chunk.stop] for chunk in chunks) == document.text
    path = "class Ledger > def closeBooks(self) (close books)\n"
    assert all(window(document.text, chunk).startswith(path) for chunk in chunks[1:])


def test_a_comment_in_code_is_no_heading():
    """A passage that begins with one says whose it is all the same."""
    body = "".join(f"# Step {place}: count what came in.\nvalue_{place} = count({place})\n" for place in range(40))
    document = read_bytes("a.py", f"def total():\n    pass\n{body}".encode())
    chunks = cut(document.text, [(mark.offset, mark.place) for mark in document.marks])
    commented = [chunk for chunk in chunks if document.text[chunk.start] == "#"]
    assert len(commented) > 2
    assert all(window(document.text, chunk).startswith("def total()\n# Step") for chunk in commented)


def test_definitions_within_definitions_are_followed_six_deep():
    text = "".join(f"{' ' * depth}def f{depth}():\n" for depth in range(300))
    document = read_bytes("a.py", text.encode())
    assert max(section.level for section in document.sections) == 6
    assert max(len(mark.place["headings"]) for mark in document.marks) == 6

"""What is code is told from prose by its signs, in any language and with links in the prose."""

import pytest

from memotheca.vectors.fusion import BEGINNING, is_code

PYTHON = "def gather(*waiting):\n    if not waiting:\n        loop = events.get_loop()\n        return loop.make()\n"
SCRIPT = "export function size(list) {\n  return list.filter((each) => each.isThere).length;\n}\n"
SHELL = 'for file in "$@"; do\n  base=$(basename "${file}")\n  test -f "$base" && sed -i "s/a/b/" "${base}"\ndone\n'
RUST = "pub fn open(path: &Path) -> Result<File> {\n    let file = File::open(path)?;\n    Ok(file)\n}\n"


@pytest.mark.parametrize("text", [PYTHON, SCRIPT, SHELL, RUST])
def test_code_is_told_by_its_signs(text: str) -> None:
    assert is_code(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "Oma's piano weighs 215 kg; the movers (two of them) want to know by Friday.",
        "Die Sitzung ist um 10.30 Uhr, im großen Saal, und dauert wohl bis zum Mittag.",
        "See [[Release notes]] and [the guide](https://example.org/a_b/c.html?x=1&y=(2)) before you begin with it.",
        "Siehe https://example.org/a_b/c_d.html und danach die zweite Seite.",
        "数据库的备份每天晚上进行一次。",
    ],
)
def test_prose_is_none_with_links_and_numbers_in_it(text: str) -> None:
    assert not is_code(text)


def test_the_beginning_tells() -> None:
    prose = "The quiet river turns twice before it meets the sea. " * 40
    assert not is_code(prose + PYTHON * 100)
    assert is_code(PYTHON * (BEGINNING // len(PYTHON) + 1) + prose)

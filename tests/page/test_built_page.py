"""What is built: small, without inline scripts, and right in what it works out."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memotheca.server.page_files import FOLDER, is_built

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tests" / "clients" / "node_modules"
BUDGET = 60_000  # chosen: bytes that a slow line has brought within a second

needs_page = pytest.mark.skipif(not is_built(), reason="the page is not built (make page)")


@needs_page
def test_the_page_is_small() -> None:
    files = [FOLDER / "index.html", *(FOLDER / "assets").iterdir()]
    assert len(files) >= 4
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= BUDGET


@needs_page
def test_the_page_has_no_script_or_style_within_and_asks_nobody_else() -> None:
    index = (FOLDER / "index.html").read_text("utf-8")
    assert "<style" not in index
    assert " on" not in index.partition("<body>")[2].partition("<noscript>")[0]
    assert index.count("<script") == index.count('<script type="module" src="/assets/') == 1
    for script in FOLDER.rglob("*.js"):
        text = script.read_text("utf-8")
        for forbidden in ("eval(", "new Function", "new Worker", "document.write", "http://localhost"):
            assert forbidden not in text
    assert "Preact" in (FOLDER / "LICENSES").read_text("utf-8")


def test_every_word_that_the_page_says_by_itself_is_in_one_file() -> None:
    words = r"[A-Z][a-z]+(?: [\w,.']+)"
    own = re.compile(
        rf"(?<!=)>\s*{words}*[.:!?]?<|^\s*{words}+[.:!?]?$|\b(?:aria-label|placeholder|title|alt)=\"", re.MULTILINE
    )
    for source in (ROOT / "web/src").rglob("*.tsx"):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", source.read_text("utf-8"), flags=re.DOTALL)
        assert own.findall(code) == [], source.name
    assert own.search("<p>Nothing here.</p>")
    assert own.search("  Nothing was found\n")


def test_type_is_of_one_scale() -> None:
    styles = "".join(path.read_text("utf-8") for path in (ROOT / "web/src").rglob("*.css"))
    sizes = set(re.findall(r"font-size: ([\d.]+rem)", styles)) | set(re.findall(r"font: ([\d.]+rem)", styles))
    assert sizes == {"0.75rem", "0.875rem", "1rem", "1.125rem", "1.25rem", "1.5rem"}


def run_tests(*places: str) -> None:
    """In a Node of ours, where it was installed: that of the system may be too old to tell of a failure."""
    found = os.pathsep.join((str(TOOLS / ".bin"), os.environ.get("PATH", "")))
    done = subprocess.run(
        [str(TOOLS / ".bin" / "vitest"), "run", "--root", "web", *places],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=1000,
        env={**os.environ, "PATH": found},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


NO_VITEST = shutil.which("node") is None or not (TOOLS / "vitest").is_dir()
NO_VIEWS = NO_VITEST or not (TOOLS / "happy-dom").is_dir() or not (ROOT / "web/node_modules/preact").is_dir()


@pytest.mark.skipif(NO_VITEST, reason="vitest is not installed (make setup-dev)")
def test_what_the_page_works_out_by_itself() -> None:
    run_tests("tests/logic", "tests/graph", "tests/markdown")


@pytest.mark.skipif(NO_VIEWS, reason="vitest, happy-dom or preact is not installed (make setup-dev)")
def test_views_as_they_stand_in_a_document() -> None:
    run_tests("tests/components")

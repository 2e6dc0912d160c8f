"""What is passed over: hidden folders, configured patterns, and what git ignores when that is asked for."""

import shutil
import subprocess
from pathlib import Path

import pytest

from memotheca.vault.files import Folder, ScannedFile
from memotheca.vault.ignore import Ignores

FILES = [
    "a.md",
    "b.tmp.md",
    "build/x.md",
    "deep/build/x.md",
    "logs/x.md",
    "logs/keep.md",
    "docs/draft-1.md",
    "docs/final.md",
    "docs/sub/draft-2.md",
    "docs/sub/kept/draft-3.md",
    "docs/sub/only-here.md",
    "only-here.md",
    "spaced name.md",
    "trailing/x.md",
    "Case.md",
    "é.md",
    "#hash.md",
    "!bang.md",
    "private/a/b/secret.md",
    "private/open.md",
    "x/anchored.md",
    "anchored.md",
]
RULES = {
    "": [
        "# comment",
        "",
        "*.tmp.md",
        "build/",
        "/logs/*",
        "!logs/keep.md",
        "docs/**/draft-*.md",
        "spaced\\ name.md",
        "trailing/   ",
        "\\#hash.md",
        "\\!bang.md",
        "private/**/secret.md",
        "/anchored.md",
        "[Cc]ase.md",
    ],
    "docs/sub": ["!draft-*.md", "only-here.md"],
    "docs/sub/kept": ["draft-3.md"],
}


def fill(root: Path) -> None:
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")
    for folder, rules in RULES.items():
        (root / folder / ".gitignore").write_text("\n".join(rules) + "\n")


def found(folder: Folder) -> set[str]:
    return {each.path for each in folder.scan() if isinstance(each, ScannedFile)}


KEPT = {
    "a.md",
    "logs/keep.md",
    "docs/final.md",
    "docs/sub/draft-2.md",
    "only-here.md",
    "é.md",
    "private/open.md",
    "x/anchored.md",
}


def test_gitignore_files_are_followed_when_asked(tmp_path: Path) -> None:
    fill(tmp_path)
    assert found(Folder(tmp_path)) == set(FILES)
    ignores = Ignores(tmp_path, follow_git=True)
    assert found(Folder(tmp_path, ignores)) == KEPT
    assert {path for path in FILES if not ignores.ignores(path)} == KEPT


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_itself_says_the_same(tmp_path: Path) -> None:
    fill(tmp_path)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    asked = subprocess.run(
        ["git", "-c", "core.ignorecase=false", "ls-files", "-z", "--others", "--exclude-standard"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    said = {path for path in asked.stdout.decode().split("\0") if path.endswith(".md")}
    assert found(Folder(tmp_path, Ignores(tmp_path, follow_git=True))) == said


def test_rules_above_the_vault_count_up_to_the_top_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.md\n")
    repository = tmp_path / "repository"
    vault = repository / "docs"
    vault.mkdir(parents=True)
    for name in ("a.md", "b.md", "c.md", "d.md"):
        (vault / name).write_text("x")
    (repository / ".git" / "info").mkdir(parents=True)
    (repository / ".git" / "info" / "exclude").write_text("docs/c.md\n")
    (repository / ".gitignore").write_text("/docs/a.md\nb.md\n")
    (vault / ".gitignore").write_text("!b.md\n")
    assert found(Folder(vault, Ignores(vault, follow_git=True))) == {"b.md", "d.md"}


def test_a_changed_gitignore_counts_after_forgetting(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    ignores = Ignores(tmp_path, follow_git=True)
    assert not ignores.ignores("a.md")
    (tmp_path / ".gitignore").write_text("a.md\n")
    ignores.forget()
    assert ignores.ignores("a.md")


@pytest.mark.parametrize(
    ("pattern", "path", "is_ignored"),
    [
        ("templates/", "templates/x.md", True),
        ("templates/", "a/templates/b/x.md", True),
        ("/templates/", "a/templates/x.md", False),
        ("*.excalidraw.md", "a/b.excalidraw.md", True),
        ("drafts/**", "drafts/a/b.md", True),
        ("archive/20??/", "archive/2024/x.md", True),
        ("archive/20??/", "archive/x.md", False),
        ("x.md", "a/x.md", True),
        ("/x.md", "a/x.md", False),
    ],
)
def test_configured_patterns(tmp_path: Path, pattern: str, path: str, is_ignored: bool) -> None:
    assert Ignores(tmp_path, [pattern]).ignores(path) is is_ignored


@pytest.mark.parametrize(
    "path", [".obsidian/x.md", ".trash/x.md", "a/.git/x.md", ".x.md", "a/.memotheca-1.tmp", ".obsidian/"]
)
def test_what_is_hidden_is_always_passed_over(tmp_path: Path, path: str) -> None:
    assert Ignores(tmp_path).ignores(path)

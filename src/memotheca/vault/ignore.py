"""What in a vault is not a note: hidden folders, configured patterns and, when asked, what git ignores."""

from collections.abc import Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

GITIGNORE = ".gitignore"


class Ignores:
    """Answers whether a path of the vault is passed over; what a `.gitignore` says is read when its folder is met."""

    def __init__(self, root: Path, patterns: Sequence[str] = (), *, follow_git: bool = False) -> None:
        self.follows_git = follow_git
        self._root = root
        self._patterns = GitIgnoreSpec.from_lines(patterns) if patterns else None
        self._outer = _outer_rules(root) if follow_git else []
        self._inner: dict[str, GitIgnoreSpec | None] = {}

    def forget(self) -> None:
        """Read every `.gitignore` anew."""
        self._inner.clear()
        if self.follows_git:
            self._outer = _outer_rules(self._root)

    def ignores(self, path: str) -> bool:
        """Whether a file, or a folder written with a slash at its end, is passed over, with any folder above it."""
        parts = path.rstrip("/").split("/")
        if any(part.startswith(".") for part in parts):
            return True
        if self._patterns is None and not self.follows_git:
            return False
        above = ["/".join(parts[:count]) + "/" for count in range(1, len(parts))]
        return any(self.ignores_entry(each) for each in [*above, path])

    def ignores_entry(self, path: str) -> bool:
        """The same for an entry of a folder that is known not to be passed over."""
        name = path.rstrip("/").rpartition("/")[2]
        if name.startswith("."):
            return True
        if self._patterns is not None and self._patterns.match_file(path):
            return True
        return self.follows_git and self._git_ignores(path)

    def _git_ignores(self, path: str) -> bool:
        """The nearest file with an opinion decides."""
        folder = path.rstrip("/").rpartition("/")[0]
        while True:
            spec = self._spec_of(folder)
            below = path[len(folder) + 1 :] if folder else path
            if spec is not None and (verdict := spec.check_file(below).include) is not None:
                return verdict
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        for prefix, spec in self._outer:
            if (verdict := spec.check_file(prefix + path).include) is not None:
                return verdict
        return False

    def _spec_of(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._inner:
            self._inner[folder] = _read_rules(self._root / folder / GITIGNORE)
        return self._inner[folder]


def _outer_rules(root: Path) -> list[tuple[str, GitIgnoreSpec]]:
    """The rules above the vault up to the top of its repository, nearest first, with the way down from each."""
    rules: list[tuple[str, GitIgnoreSpec]] = []
    for folder in (root, *root.parents):
        prefix = "" if folder == root else root.relative_to(folder).as_posix() + "/"
        if folder != root and (spec := _read_rules(folder / GITIGNORE)):
            rules.append((prefix, spec))
        if (folder / ".git").exists():
            if spec := _read_rules(folder / ".git" / "info" / "exclude"):
                rules.append((prefix, spec))
            return rules
    return []


def _read_rules(path: Path) -> GitIgnoreSpec | None:
    try:
        if not path.is_file() or path.stat().st_size > 2**20:
            return None
        return GitIgnoreSpec.from_lines(path.read_text("utf-8", "replace").splitlines())
    except OSError:
        return None

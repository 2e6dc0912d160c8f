"""Check that what a person installs stays small: the locked distributions, as they lie on disk."""

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src")]

from memotheca.vectors.embedders import DEFAULT, MODELS, folder_of  # noqa: E402

LIMIT_MB = 330


def locked_names() -> list[str]:
    text = (ROOT / "requirements.lock").read_text("utf-8")
    return re.findall(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE)


def size_of(name: str) -> int:
    """Bytes of a distribution's files, compiled ones included; nothing where this platform does not need it."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return 0
    return sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())


def is_option(path: Path) -> bool:
    """Whether a file is of a model that a clone has built beside the one that is shipped."""
    return any(folder_of(name) in path.parents for name in MODELS if name != DEFAULT)


def main() -> int:
    sizes = {name: size_of(name) for name in locked_names()}
    ours = sum(path.stat().st_size for path in (ROOT / "src").rglob("*") if path.is_file() and not is_option(path))
    total = (sum(sizes.values()) + ours) / 1_000_000
    print(
        f"installed size: {total:.0f} MB of {LIMIT_MB} MB in {sum(1 for size in sizes.values() if size)} distributions"
    )
    if "--list" in sys.argv:
        for name, size in sorted(sizes.items(), key=lambda pair: -pair[1])[:15]:
            print(f"  {size / 1_000_000:6.1f} MB  {name}")
    return 0 if total <= LIMIT_MB else 1


if __name__ == "__main__":
    raise SystemExit(main())

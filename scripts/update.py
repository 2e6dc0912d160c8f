"""Write the generated files: the catalogue of tools and the documentation of tools and settings."""

import json
import sys
from pathlib import Path

from pinakes.app import generate_catalog

ROOT = Path(__file__).parents[1]


def generated() -> dict[Path, str]:
    catalog = json.dumps(generate_catalog(), ensure_ascii=False, indent=1) + "\n"
    return {ROOT / "src/pinakes/tools/catalog.json": catalog}


def main() -> int:
    checking = "--check" in sys.argv
    stale = [path for path, content in generated().items() if not path.exists() or path.read_text("utf-8") != content]
    for path in stale:
        if checking:
            print(f"{path.relative_to(ROOT)} is out of date; run make update", file=sys.stderr)
        else:
            path.write_text(generated()[path], "utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if checking and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Keep a data file of the newest format in tests/storage/formats, made by the program as it is now."""

import gzip
import sys
import tempfile
from pathlib import Path
from typing import Any

from memotheca import settings
from memotheca.app import DATABASE, App, build
from memotheca.storage.migrations import STEPS
from memotheca.toolkit.tool import Call

KEPT = Path(__file__).parents[1] / "tests" / "storage" / "formats"

# The same calls made every kept file; the test compares what they left.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("store", {"topic": "lamp", "content": "The lamp on the pier is lit at dusk.", "tags": ["harbour", "light"]}),
    ("relate", {"subject": "Ada", "predicate": "works_at", "object": "Analytical Engines"}),
    ("update", {"id": "e-1", "content": "The lamp on the pier is lit an hour before dusk."}),
    ("store", {"topic": "tea", "content": "Ada takes it black."}),
    ("delete", {"id": "e-2"}),
)


def make_calls(app: App) -> None:
    for name, arguments in CALLS:
        reply = app.dispatcher.run(name, arguments, Call(kernel=app.kernel, actor="cli"))
        if reply.failed:
            raise SystemExit(f"{name}: {reply.structured}")


def main() -> int:
    target = KEPT / f"{len(STEPS)}.db.gz"
    if target.exists():
        print(f"{target.name} is kept already and is never made anew", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        app = build(settings.load({"data": folder}, {}))
        make_calls(app)
        app.close()
        target.write_bytes(gzip.compress((Path(folder) / DATABASE).read_bytes(), mtime=0))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

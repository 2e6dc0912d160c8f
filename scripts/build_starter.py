"""Make the vectors of the shipped patterns, and count their release up where the patterns have changed."""

import json
from pathlib import Path

from memotheca.model.kinds import PATTERN
from memotheca.model.knowledge import Entry
from memotheca.patterns.pattern_store import to_fields
from memotheca.patterns.starter import MANIFEST, STARTER, VECTORS, release, starter_digest, starter_patterns
from memotheca.search.derive import chunk_rows
from memotheca.vectors.embedders import DEFAULT, understand
from memotheca.vectors.load import load_embedder
from memotheca.vectors.onnx_embedder import to_bytes

FOLDER = Path(__file__).parents[1] / "src/memotheca/patterns/starter"


def main() -> int:
    manifest = FOLDER / MANIFEST
    digest = starter_digest()
    if json.loads(manifest.read_text("utf-8"))["digest"] == digest:
        print(f"release {release()} holds the patterns as they are")
        return 0
    embedder = load_embedder(understand(DEFAULT))
    if embedder is None:
        raise SystemExit("the model is missing; run make model")
    lines: list[bytes] = []
    for pattern in starter_patterns():
        entry = Entry(id="", kind=PATTERN, **to_fields(pattern, STARTER), created_at=0, updated_at=0)
        for row in chunk_rows(entry):
            vectors = embedder.embed_passage(entry.title, entry.body[row.start : row.stop])
            lines += [row.digest + to_bytes(vector) for vector in vectors]
    (FOLDER / VECTORS).write_bytes(b"".join(lines))
    manifest.write_text(json.dumps({"release": release() + 1, "digest": digest}) + "\n", "utf-8")
    print(f"wrote release {release() + 1}: {len(lines)} vectors")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

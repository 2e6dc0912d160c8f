"""What others take for the same questions: FTS5, exact cosines with numpy, and a graph index."""

import json
import subprocess
import sys

import apsw
import numpy as np

from asking import Asked, Times
from haystack import Array, Haystack, batches, texts
from opponents import python_with
from report import Line

GRAPH_AT_MOST = 100_000


def measure_baselines(haystack: Haystack, vectors: Array, asked: list[Asked]) -> list[Line]:
    full_text = _full_text(haystack)
    fts5, brute = Times(), Times()
    sql = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT 100"
    for question in asked[:100]:
        fts5.watch.time(lambda question=question: full_text.execute(sql, (question.match,)).fetchall())
        brute.watch.time(lambda question=question: _exact(vectors, question.vector))
    full_text.close()
    lines = [fts5.line("FTS5 alone"), brute.line("numpy, exact cosines alone")]
    if haystack.size <= GRAPH_AT_MOST:
        lines += _graph(haystack, vectors, asked[:100])
    return lines


def _exact(vectors: Array, query: Array) -> Array:
    cosines = vectors @ query
    best = np.argpartition(cosines, -100)[-100:]
    return best[np.argsort(-cosines[best])]


def _full_text(haystack: Haystack) -> apsw.Connection:
    path = haystack.folder / "fts5.db"
    is_there = path.exists()
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=OFF").fetchall()
    if not is_there:
        connection.execute("CREATE VIRTUAL TABLE note USING fts5(body, content='', tokenize = 'porter unicode61')")
        with connection:
            for batch, count in batches(haystack.size):
                rows = [
                    (batch * 10_000 + place, body)
                    for place, body in enumerate(texts(batch, count))
                    if haystack.is_live(batch * 10_000 + place)
                ]
                connection.executemany("INSERT INTO note (rowid, body) VALUES (?, ?)", rows)
        connection.execute("INSERT INTO note (note) VALUES ('optimize')").fetchall()
    return connection


_GRAPH_PROGRAM = """
import json, sys, time
import numpy as np
from usearch.index import Index
vectors, queries = np.load(sys.argv[1]), np.load(sys.argv[2])
index = Index(ndim=vectors.shape[1], metric="ip", dtype="f16")
began = time.perf_counter()
index.add(np.arange(len(vectors)), vectors, threads=2)
built = time.perf_counter() - began
samples, found = [], []
for query in queries:
    began = time.perf_counter()
    keys = index.search(query, 100).keys
    samples.append(time.perf_counter() - began)
    found.append([int(key) for key in keys[:10]])
print(json.dumps({"built": built, "samples": samples, "found": found}))
"""


def _graph(haystack: Haystack, vectors: Array, asked: list[Asked]) -> list[Line]:
    python = python_with("usearch")
    if python is None:
        return []
    queries = np.stack([question.vector for question in asked])
    living = np.flatnonzero(vectors.any(axis=1))
    np.save(haystack.folder / "vectors.npy", vectors[living])
    np.save(haystack.folder / "queries.npy", queries)
    command = [python, "-c", _GRAPH_PROGRAM, str(haystack.folder / "vectors.npy"), str(haystack.folder / "queries.npy")]
    ran = subprocess.run(command, capture_output=True, check=False, text=True)
    (haystack.folder / "vectors.npy").unlink()
    if ran.returncode:
        print(f"usearch is left out: it ended with {ran.returncode}", file=sys.stderr)
        return []
    answered = json.loads(ran.stdout)
    times = Times()
    times.watch.wall = times.watch.cpu = answered["samples"]
    for query, found in zip(queries, answered["found"], strict=True):
        exact = vectors @ query
        tenth = np.partition(exact, -10)[-10]
        times.found.append(float((exact[living[found]] >= tenth - 1e-3).mean()))
    line = times.line("usearch, HNSW alone")
    return [Line(label=line.label, numbers={**line.numbers, "building s": answered["built"]})]

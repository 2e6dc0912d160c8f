"""Others that search the same texts: SQLite's FTS5, exact cosines, bm25s, and memory servers over MCP."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from client import Client
from judging import Collection
from memotheca.text.words import STOP_WORDS
from peers import find_node, memory_server

Array = NDArray[Any]

DEPTH = 100
MCPVAULT = "@bitbonsai/mcpvault@0.16.0"


class FullText:
    """FTS5 with the porter stemmer, title and text as one field, words joined by OR without stop-words."""

    def __init__(self, texts: dict[str, tuple[str, str]]) -> None:
        self._ids = list(texts)
        self._connection = apsw.Connection(":memory:")
        self._connection.execute("CREATE VIRTUAL TABLE note USING fts5(body, tokenize = 'porter unicode61')")
        rows = [(place, f"{title} {body}") for place, (title, body) in enumerate(texts.values())]
        with self._connection:
            self._connection.executemany("INSERT INTO note (rowid, body) VALUES (?, ?)", rows)

    def rank(self, question: str) -> list[str]:
        spoken = "".join(letter if letter.isalnum() else " " for letter in question.lower()).split()
        words = [word for word in spoken if word not in STOP_WORDS] or spoken
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY bm25(note), rowid LIMIT ?"
        return [self._ids[row[0]] for row in self._connection.execute(sql, (match, DEPTH))] if words else []


class Exact:
    """Cosines with every vector; a text takes its best one."""

    def __init__(self, vectors: Array, owners: Sequence[str]) -> None:
        self._vectors = vectors
        self._owners = owners

    def rank(self, vector: Array) -> list[str]:
        found: dict[str, None] = {}
        for place in np.argsort(-(self._vectors @ vector), kind="stable"):
            found[self._owners[int(place)]] = None
            if len(found) == DEPTH:
                break
        return list(found)


_BM25S = """
import json, sys
import bm25s
texts, asked = json.load(open(sys.argv[1]))
model = bm25s.BM25()
model.index(bm25s.tokenize([text for _, text in texts], stopwords="en", show_progress=False), show_progress=False)
found = []
for question in asked:
    tokens = bm25s.tokenize([question], stopwords="en", show_progress=False)
    places, scores = model.retrieve(tokens, k=min(100, len(texts)), show_progress=False)
    found.append([texts[place][0] for place, score in zip(places[0].tolist(), scores[0].tolist()) if score > 0])
print(json.dumps(found))
"""


@cache
def python_with(package: str) -> str | None:
    """A Python with a package in it, in a scratch environment; None where it cannot be installed."""
    folder = Path(tempfile.gettempdir()) / f"memotheca-bench-{package}"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package, "numpy"]
    done = subprocess.run(command, capture_output=True, check=False).returncode == 0
    if not done:
        print(f"{package} is left out: it cannot be installed", file=sys.stderr)
    return str(python) if done else None


def rank_by_bm25s(collection: Collection, scratch: Path) -> list[list[str]] | None:
    """The library bm25s as its manual shows it, in an environment of its own."""
    python = python_with("bm25s")
    if python is None:
        return None
    texts = [(id, f"{title} {body}") for id, (title, body) in collection.texts().items()]
    given = scratch / "bm25s.json"
    given.write_text(json.dumps([texts, [each.text for each in collection.asked]]), "utf-8")
    asked = subprocess.run([python, "-c", _BM25S, str(given)], capture_output=True, check=False, text=True)
    if asked.returncode:
        print(f"bm25s failed: {asked.stderr[-300:]}", file=sys.stderr)
        return None
    return json.loads(asked.stdout.splitlines()[-1])


def _call(client: Client, name: str, arguments: dict[str, Any]) -> Any:
    answer = json.loads(client.ask("tools/call", {"name": name, "arguments": arguments}))["result"]
    return json.loads(answer["content"][0]["text"])


def rank_by_memory_server(collection: Collection, scratch: Path, limit: int) -> list[list[str]] | None:
    """The reference memory server: an entity for each text, found by `search_nodes`."""
    command = memory_server()
    if command is None:
        return None
    kept = scratch / f"memory-{collection.name}.json"
    kept.unlink(missing_ok=True)
    client = Client(command, MEMORY_FILE_PATH=str(kept))
    client.greet()
    entities = [
        {"name": id, "entityType": "text", "observations": [title, body]}
        for id, (title, body) in collection.texts().items()
    ]
    for start in range(0, len(entities), 1000):
        _call(client, "create_entities", {"entities": entities[start : start + 1000]})
    found = [
        [entity["name"] for entity in _call(client, "search_nodes", {"query": question.text})["entities"]][:DEPTH]
        for question in collection.asked[:limit]
    ]
    client.close()
    return found


def rank_by_mcpvault(collection: Collection, scratch: Path, limit: int) -> list[list[str]] | None:
    """mcpvault from npm: a note for each text, found by `search_notes`, which gives twenty at most."""
    server = mcpvault(scratch)
    if server is None:
        return None
    vault = scratch / f"vault-{collection.name}"
    vault.mkdir(exist_ok=True)
    names = {f"{place}.md": id for place, id in enumerate(collection.texts())}
    for name, (title, body) in zip(names, collection.texts().values(), strict=True):
        (vault / name).write_text(f"# {title}\n\n{body}\n", "utf-8")
    client = Client([*server, str(vault)])
    client.greet()
    found: list[list[str]] = []
    for question in collection.asked[:limit]:
        answer = _call(client, "search_notes", {"query": question.text, "limit": 20})
        hits = answer if isinstance(answer, list) else answer.get("results", [])
        found.append([names[Path(hit.get("p") or hit.get("path")).name] for hit in hits])
    client.close()
    return found


@cache
def mcpvault(scratch: Path) -> list[str] | None:
    """The command that starts it, installed in the scratch folder."""
    node = find_node()
    folder = scratch / "mcpvault"
    program = folder / "node_modules" / "@bitbonsai" / "mcpvault" / "dist" / "server.js"
    if node is not None and not program.exists():
        folder.mkdir(exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", MCPVAULT]
        subprocess.run(command, check=False, stdout=sys.stderr)
    if node is None or not program.exists():
        print("mcpvault is left out: Node, npm or the registry is missing", file=sys.stderr)
        return None
    return [node, str(program)]

"""What finding costs, beside SQLite's own full-text search on the same texts."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import apsw

from corpus import FUNCTION_WORDS, Note, Question, notes, questions
from filling import fill, open_app, run_tool
from memotheca.app import App
from report import Line, Options, Table, Target
from timing import Stopwatch, median, percentile

LIMIT = 20
P95 = "p95 ms"
EVERY = "every manner"


def measure(options: Options) -> Table:
    each, rounds = (3, 1) if options.quick else (12, 2)
    lines: list[Line] = []
    for size in (1_000, 10_000):
        lines += _measure_size(options.scratch / str(size), size, each, rounds)
    return Table(
        name="querying",
        title=f"one `query` for the best {LIMIT}, in milliseconds",
        lines=lines,
        notes=[
            f"{each} questions of each manner, asked {'once' if rounds == 1 else 'twice'}, ours and FTS5 in turns.",
            "Ours goes through validation, dispatch, engine and contract, without the protocol around it.",
            "FTS5: apsw, porter stemmer, words joined by OR without function words, bm25 with the topic weighing 3. It "
            "returns rows; ours also counts all matches and words its answer.",
            f"found: share of questions whose own text is among the {LIMIT}, where the question was made from one.",
        ],
    )


class FullText:
    """SQLite's FTS5 as one would use it."""

    def __init__(self, folder: Path, texts: list[Note]) -> None:
        self._connection = apsw.Connection(str(folder / "fts5.db"))
        self._connection.execute("PRAGMA journal_mode=WAL").fetchall()
        self._connection.execute(
            "CREATE VIRTUAL TABLE note USING fts5(topic, content, tags, tokenize = 'porter unicode61')"
        )
        rows = [(place, text.topic, text.content, " ".join(text.tags)) for place, text in enumerate(texts)]
        with self._connection:
            self._connection.executemany("INSERT INTO note (rowid, topic, content, tags) VALUES (?, ?, ?, ?)", rows)

    def ask(self, question: Question) -> list[tuple[Any, ...]]:
        return self._connection.execute(
            "SELECT rowid, topic, content, tags FROM note WHERE note MATCH ? "
            "ORDER BY bm25(note, 3.0, 1.0, 1.0) LIMIT ?",
            (_to_match(question), LIMIT),
        ).fetchall()


def _to_match(question: Question) -> str:
    phrases = [f'"{word}"' for word in question.words if word not in FUNCTION_WORDS]
    if question.manner == "words of the topic":
        return "topic : (" + " AND ".join(phrases) + ")"
    joined = " OR ".join(phrases)
    return f'tags : "{question.tag}" AND ({joined})' if question.tag else joined


def _to_arguments(question: Question) -> dict[str, Any]:
    if question.manner == "words of the topic":
        return {"topic": " ".join(question.words)}
    spoken = question.spoken or " ".join(question.words)
    return {"content": spoken, **({"tags": [question.tag]} if question.tag else {})}


class Tally:
    """Times and finds of one manner of question."""

    def __init__(self) -> None:
        self.ours, self.fts5 = Stopwatch(), Stopwatch()
        self.found: list[tuple[bool, bool]] = []


def _measure_size(folder: Path, size: int, each: int, rounds: int) -> list[Line]:
    app, texts = open_app(folder), list(notes(size))
    fill(app, texts)
    full_text = FullText(folder, texts)
    tallies: dict[str, Tally] = defaultdict(Tally)
    asked = questions(texts, each)
    _ask(app, full_text, asked[0], Tally())
    for _ in range(rounds):
        for question in asked:
            _ask(app, full_text, question, tallies[question.manner])
    judged = Target(column=P95, bound=50)
    lines = [_line(f"{size:,} entries, {EVERY}", list(tallies.values()), target=judged)]
    return lines + [_line(f"  {manner}", [tallies[manner]]) for manner in sorted(tallies)]


def _ask(app: App, full_text: FullText, question: Question, tally: Tally) -> None:
    arguments = _to_arguments(question)
    reply = tally.ours.time(lambda: run_tool(app, "query", arguments))
    rows = tally.fts5.time(lambda: full_text.ask(question))
    if question.source >= 0:
        handles = {int(re.sub(r"\D", "", found["id"])) - 1 for found in reply.structured["items"]}
        tally.found.append((question.source in handles, question.source in {row[0] for row in rows}))


def _line(label: str, tallies: list[Tally], *, target: Target | None = None) -> Line:
    ours = [sample for tally in tallies for sample in tally.ours.wall]
    cpu = [sample for tally in tallies for sample in tally.ours.cpu]
    fts5 = [sample for tally in tallies for sample in tally.fts5.wall]
    found = [pair for tally in tallies for pair in tally.found]
    numbers = {
        "p50 ms": median(ours) * 1e3,
        P95: percentile(ours, 0.95) * 1e3,
        "min ms": min(ours) * 1e3,
        "CPU p50 ms": median(cpu) * 1e3,
        "CPU min ms": min(cpu) * 1e3,
        "FTS5 p50 ms": median(fts5) * 1e3,
        "FTS5 p95 ms": percentile(fts5, 0.95) * 1e3,
        "p50 x FTS5": median(ours) / median(fts5),
    }
    if found:
        numbers["found"] = sum(ours for ours, _ in found) / len(found)
        numbers["FTS5 found"] = sum(other for _, other in found) / len(found)
    return Line(label=label, numbers=numbers, target=target)

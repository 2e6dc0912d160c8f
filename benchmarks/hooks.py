"""What a client's hooks cost, and whether they speak at the right prompts: python benchmarks/hooks.py [DIR …]
[--size N] [--rounds N] [--scratch DIR] [--json] [--write-docs].

The first table starts `memotheca hook` as a client does, with a server that has the data open and without one, over
made-up memories (`remembering.py`). Time is that of the processor, of the hook and of the server's answer together,
since a busy machine says nothing about the wall.

Each DIR (memories.jsonl, questions.jsonl) is stored alone. Its own questions are prompts that should be answered;
those of the other DIRs and prompts about anything else should be met with silence. The bars of
`hooks/prompt_context.py` were chosen with every other question and the first list of prompts; the rest is reported."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from client import Client, cpu_of, memotheca
from machine import describe
from memotheca.admin.upkeep import index_everything
from memotheca.app import App, build
from memotheca.conversations.keep import KeepConversation, keep_conversation
from memotheca.conversations.turns import Utterance
from memotheca.entries.entries import NewEntry, blank_entry, store_entry
from memotheca.equipment import build_embedding
from memotheca.hooks.prompt_context import find_for_prompt
from memotheca.hooks.switch import ON, turn
from memotheca.model.kinds import ENTRY
from memotheca.search.chosen_embedder import Embedding
from memotheca.search.prepared import LATER
from memotheca.settings import load
from memotheca.storage.lookups import ids_labelled
from memotheca.storage.store import Transaction
from remembering import fill_memories, topic, topics_of
from report import Line, Table, Target, to_json, to_text
from section import write_section
from timing import median, percentile

PROMPTS = Path(__file__).parent / "data" / "prompts.json"
TOKENS = 400
BOUND = 150.0  # the issue's: p95 at a prompt, in milliseconds
WARM = 3
PAUSE = 0.05


def prompts_of(size: int, count: int) -> list[str]:
    """Prompts about what is stored, as a person would begin a task."""
    found: list[str] = []
    for number in range(count):
        about = topic(number * 7 % topics_of(size))
        found.append(
            f"Please look at {about.system} again: how does the {about.nouns[0]} go with the {about.nouns[1]}?"
        )
    return found


def store_answers(app: App, size: int, count: int) -> None:
    """Beside the made-up memories one for each prompt, with vectors of the shipped model, as a person would have it."""
    kernel = app.kernel.having(build_embedding())
    for number in range(count):
        about = topic(number * 7 % topics_of(size))
        body = f"{about.system}: the {about.nouns[0]} goes with the {about.nouns[1]} by way of the {about.nouns[2]}."
        new = NewEntry(title=about.system, body=body)
        with app.kernel.read() as snapshot:
            is_there = any(snapshot.entry(id) for id in ids_labelled(snapshot, about.system, kind=ENTRY))
        if not is_there:
            store_entry(kernel, new, actor="benchmark")


def measure_cost(scratch: Path, size: int, rounds: int) -> Table:
    folder = scratch / f"memories-{size}"
    app, _ = fill_memories(folder, size)
    keep_conversation(app.kernel, _conversation(), actor="benchmark")
    store_answers(app, size, rounds + WARM)
    app.kernel.store.close()
    turn(str(folder), ON)
    asked = prompts_of(size, rounds + WARM)
    client = Client(memotheca(folder))
    client.greet()
    lines: list[Line] = []
    try:
        for event, target in (("UserPromptSubmit", BOUND), ("SessionStart", None)):
            hook = Hook(folder, event, client.cpu)
            lines.append(hook.line(f"{event}, a server runs", asked, target))
    finally:
        client.close()
    alone = {
        "UserPromptSubmit": "UserPromptSubmit, no server",
        "SessionStart": "SessionStart, no server",
        "Stop": "Stop",
    }
    few = asked[: max(10, rounds // 4)]
    lines += [Hook(folder, event, lambda: 0.0).line(label, few, None) for event, label in alone.items()]
    with attendant(folder) as process:
        hook = Hook(folder, "UserPromptSubmit", lambda: cpu_of(process))
        lines.insert(1, hook.line("UserPromptSubmit, no server, after a first", asked, BOUND))
    return Table(
        name="hooks",
        title=f"a hook from its start to its end, over {size:,} memories, in milliseconds",
        lines=lines,
        notes=[
            "cpu: of the hook's program and of what answers it together; the wall is that of a busy machine.",
            "Without a server the first hook opens the data itself and goes by words alone; it leaves a program behind",
            "that answers the next ones as a server does, for ten minutes after the last.",
        ],
    )


@contextmanager
def attendant(folder: Path) -> Generator[int]:
    """The program that a hook without a server leaves behind, by its number."""
    begun = Hook(folder, "SessionStart", lambda: 0.0, minutes=10)
    begun.line("", ["begin"], None)
    doors = folder / "locks" / "doors"
    while not (signs := list(doors.glob("*.door"))):
        time.sleep(PAUSE)
    process = int(signs[0].stem)
    try:
        yield process
    finally:
        os.kill(process, signal.SIGTERM)


class Hook:
    """One hook of one client, started again and again; what its program and its server take."""

    def __init__(self, folder: Path, event: str, server_cpu: Callable[[], float], *, minutes: int = 0) -> None:
        self._folder, self._event, self._server_cpu = folder, event, server_cpu
        self._wishes = {**os.environ, "MEMOTHECA_HOOK_ATTENDANT_MINUTES": str(minutes)}

    def line(self, label: str, prompts: Sequence[str], bound: float | None) -> Line:
        cpu: list[float] = []
        wall: list[float] = []
        told = 0
        for prompt in prompts:
            began, before = time.perf_counter(), self._server_cpu()
            spent, said = self._send(prompt)
            wall.append((time.perf_counter() - began) * 1000)
            cpu.append((spent + self._server_cpu() - before) * 1000)
            told += bool(said)
        cpu, wall = cpu[WARM:] or cpu, wall[WARM:] or wall
        numbers = {
            "cpu p50": median(cpu),
            "cpu p95": percentile(cpu, 0.95),
            "wall p50": median(wall),
            "wall p95": percentile(wall, 0.95),
            "told %": 100 * told / len(prompts),
        }
        target = None if bound is None else Target(column="cpu p95", bound=bound)
        return Line(label=label, numbers=numbers, target=target)

    def _send(self, prompt: str) -> tuple[float, bytes]:
        said = {"session_id": "s", "cwd": str(self._folder), "prompt": prompt, "transcript_path": "/nowhere.jsonl"}
        command = [sys.executable, "-m", "memotheca", "hook", self._event, "--data", str(self._folder)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._wishes)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(said).encode())
        child.stdin.close()
        answer = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return usage.ru_utime + usage.ru_stime, answer


def _conversation() -> KeepConversation:
    turns = tuple(
        Utterance(speaker=("user", "assistant")[n % 2], text=f"What was said as number {n}.") for n in range(40)
    )
    return KeepConversation(client="claude-code", session="before", turns=turns, project="memories")


def measure_silence(folders: Sequence[Path], scratch: Path) -> Table:
    others: dict[str, list[str]] = json.loads(PROMPTS.read_text("utf-8"))
    asked = {folder.name: _questions(folder) for folder in folders}
    lines: list[Line] = []
    for folder in folders:
        app = _stored(folder, scratch / f"stored-{folder.name}")
        own = asked[folder.name]
        foreign = [text for name, texts in asked.items() if name != folder.name for text in texts]
        for label, kernel in (("", app.kernel), (", words alone", app.kernel.having(_no_vectors()))):
            numbers = {
                "own": _share(kernel, _held_out(own)),
                "of others": _share(kernel, _held_out(foreign)),
                "anything else": _share(kernel, others["held_out"]),
                "own, tuned": _share(kernel, [text for text in own if text not in _held_out(own)]),
                "anything else, tuned": _share(kernel, others["tuned"]),
            }
            lines.append(Line(label=f"{folder.name}{label}", numbers=numbers))
        app.kernel.store.close()
    return Table(
        name="hooks",
        title="share of prompts that are answered, in hundredths",
        lines=lines,
        notes=[
            "own: of the questions about what is stored. All else should be 0. tuned: by which the bars were chosen."
        ],
    )


def _no_vectors() -> Embedding:
    return Embedding(lambda choice: None, lambda vector: b"")


def _share(kernel: Any, prompts: Sequence[str]) -> float:
    return 100 * sum(bool(find_for_prompt(kernel, prompt, TOKENS)) for prompt in prompts) / max(1, len(prompts))


def _held_out(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if blake2b(text.encode(), digest_size=1).digest()[0] % 2]


def _questions(folder: Path) -> list[str]:
    lines = [json.loads(line) for line in (folder / "questions.jsonl").open(encoding="utf-8")]
    return [line["text"] for line in lines if line["kind"] not in ("followup", "unknown")]


def _stored(folder: Path, data: Path) -> App:
    app = build(load({"data": str(data)}, {}))
    lines = [json.loads(line) for line in (folder / "memories.jsonl").open(encoding="utf-8")]

    def act(transaction: Transaction) -> None:
        transaction.describe("CREATE")
        for line in lines:
            transaction.put(blank_entry(transaction, line.get("name") or "", line["content"], ()), LATER)

    app.kernel.write(act, actor="benchmark")
    index_everything(app.kernel, lambda done, total, message: None)
    return app


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write-docs", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        scratch: Path = asked.scratch or Path(made)
        scratch.mkdir(parents=True, exist_ok=True)
        machine = describe(scratch)
        tables = [measure_cost(scratch, asked.size, asked.rounds)] if asked.size else []
        if asked.folders:
            tables.append(measure_silence(asked.folders, Path(made)))
    print(json.dumps([to_json(table) for table in tables]) if asked.json else "\n".join(map(to_text, tables)))
    if asked.write_docs:
        write_section("hooks", machine, tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())

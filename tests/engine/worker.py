"""A process of its own at a data directory: it imports, searches when asked, or seals and merges until told to end."""

import os
import select
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from memotheca.admin import corpus
from memotheca.search.index.seal import collect_orphans
from tests.engine.desk import Desk

corpus.BATCH = 20


def say(line: object) -> None:
    os.write(1, f"{line}\n".encode())


def bring_in(desk: Desk, count: int) -> None:
    """Import, acknowledge after each batch how many lines are in, and go on when told to."""

    def acknowledge(done: float, total: float | None, message: str) -> None:
        say(int(done))
        sys.stdin.readline()

    lines = ({"_id": str(number), "text": f"tea number{number}"} for number in range(count))
    corpus.import_corpus(desk.kernel, lines, actor="importer", report=acknowledge)


def answer(desk: Desk) -> None:
    """For each line: how many passages are found, and whether the newest acknowledged one is among them."""
    say("ready")
    for line in sys.stdin:
        acknowledged = int(line)
        found = len(desk.find("tea", depth=100_000).passages)
        newest = len(desk.find(f"number{acknowledged - 1}").passages) if acknowledged else 1
        say(f"{found} {newest}")


def seal(desk: Desk) -> None:
    say("ready")
    rounds = 0
    while not select.select([sys.stdin], [], [], 0.002)[0]:
        rounds += desk.seal(15)
        collect_orphans(desk.store, desk.finder.folder, older_than=60)
    say(rounds)


def main(role: str, data: str, *more: str) -> None:
    desk = Desk(Path(data))
    {"import": bring_in, "search": answer, "seal": seal}[role](desk, *map(int, more))
    desk.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

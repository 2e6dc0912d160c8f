"""A reader that looks again and again until its stdin closes, and reports each new transaction number it sees."""

import os
import select
import sys
from pathlib import Path

from memotheca.app import open_store
from memotheca.storage.store import Store


def main(data: str) -> None:
    store = open_store(Path(data))
    seen, dismissed = -1, False
    while not dismissed:
        dismissed = bool(select.select([sys.stdin], [], [], 0.005)[0])
        found = look(store)
        if found != seen:
            seen = found
            os.write(1, f"{found}\n".encode())
    store.close()


def look(store: Store) -> int:
    """The newest transaction of a snapshot in which everything belongs together."""
    with store.read("default") as snapshot:
        newest = snapshot.commits(limit=1)
        found = newest[0].tx if newest else 0
        assert snapshot.tx == found, f"the counter says {snapshot.tx}, the newest transaction is {found}"
        assert all(version.thing is not None for version in snapshot.entries(("entry",), limit=5))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Retrievals whose outcome one signal tells, as if somebody had asked and said for months what helped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memotheca.memory.outcomes.calibrator import SIGNALS
from memotheca.storage.instruments.retrievals import STATED, RetrievalRow, ShownEntry, add_retrievals
from tests.memories.librarian import Librarian


@dataclass(frozen=True, kw_only=True)
class Planted:
    """Which signal tells, in which domain, and what was predicted of what helped, and of what did not."""

    telling: str = "cosine"
    domain: str = "General"
    right: float = 0.9
    wrong: float = 0.0


def has_helped(number: int) -> bool:
    return number % 3 != 0


def planted_rows(shown: str, count: int, planted: Planted, *, time: int) -> list[RetrievalRow]:
    rows: list[RetrievalRow] = []
    for number in range(count):
        helped = has_helped(number)
        signals = {name: 0.5 + 0.05 * ((number * (place + 2)) % 7) for place, name in enumerate(SIGNALS)}
        signals |= {"distance": 0.0, planted.telling: 0.9 if helped else 0.2}
        predicted = planted.right if helped else planted.wrong
        row = RetrievalRow(
            id=f"pred_{planted.domain}{planted.telling}{number}",
            time=time,
            session="planted",
            way="context",
            query=f"question {number} of {planted.domain} {planted.telling}",
            domain=planted.domain,
            predicted=predicted,
            shown=(ShownEntry(entry_id=shown, score=1.0, signals=signals),),
        )
        rows.append(row)
    return rows


def observed(rows: Sequence[RetrievalRow], time: int) -> list[RetrievalRow]:
    return [
        replace(row, outcome=float(has_helped(number)), observed=time, how=STATED) for number, row in enumerate(rows)
    ]


def put_outcomes(librarian: Librarian, shown: str, count: int, planted: Planted) -> None:
    """Write them down as they would be, with their outcomes."""
    kernel = librarian.kernel
    now = kernel.now()
    rows = observed(planted_rows(shown, count, planted, time=now), now)
    kernel.store.operate(lambda session: add_retrievals(session, kernel.collection, rows))

"""Callers: who has asked this process for something, and when last; gone when the process ends."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

KEPT = 100  # chosen: more clients than one person has
LONGEST = 64  # chosen: what a client calls itself is not repeated at length


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who called: how often, and when last."""

    actor: str
    calls: int
    last: int


class Callers:
    """Those of one collection; whoever was silent for longest is forgotten first."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._known: OrderedDict[str, Caller] = OrderedDict()

    def note(self, actor: str, now: int) -> None:
        name = actor[:LONGEST]
        with self._guard:
            known = self._known.pop(name, None)
            self._known[name] = Caller(name, 1 if known is None else known.calls + 1, now)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)

    def newest(self) -> list[Caller]:
        """Whoever called last comes first."""
        with self._guard:
            return list(reversed(self._known.values()))

"""A connection that does not wait for ever: where the way to the server swallows what is sent, nobody tells."""

import time
from collections.abc import Generator
from typing import Any

import psycopg
from psycopg.waiting import Ready


class PatientConnection(psycopg.Connection[Any]):
    """Lost when a statement had no answer for so many seconds."""

    patience: float = 0.0

    def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
        bounded = self._within(gen, time.monotonic() + self.patience) if self.patience else gen
        return super().wait(bounded, *given, **named)

    def _within(self, gen: Generator[Any, Any, Any], deadline: float) -> Generator[Any, Any, Any]:
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready == Ready.NONE and time.monotonic() > deadline:
                    gen.close()
                    self.pgconn.finish()
                    raise psycopg.OperationalError("no answer")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

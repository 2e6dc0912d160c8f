"""A program that dreams again and again over one store, in a hurry, and says each transaction it has made."""

import os
import sys
import time
from typing import Any

from memotheca import settings
from memotheca.app import build
from memotheca.memory.dream import night
from memotheca.memory.dream.sleeper import Sleep, sleeper_of


def main(data: str, how: str) -> None:
    app = build(settings.load({"data": data, "toolsets": "all"}, os.environ))
    night.TOGETHER = 1
    if how != "once":
        night.ids_beyond = one_again_and_again
    slumber = sleeper_of(app.kernel).fall_asleep(app.kernel, night.new_run(), 5.0, wakes_on_query=how == "lightly")
    os.write(1, b"awake\n" if slumber is None else f"asleep {slumber.sleep.run}\n".encode())
    if slumber is not None:
        slumber.spend(dream_aloud)
    app.close()


def one_again_and_again(snapshot: Any, *said: Any, **more: Any) -> list[str]:
    time.sleep(0.002)
    return [snapshot.entries(("memory",), limit=1)[0].id]


def dream_aloud(sleep: Sleep) -> None:
    write = night.Night.write

    def written(self: night.Night, why: str, act: Any) -> Any:
        result = write(self, why, act)
        os.write(1, f"{self.commits[-1].tx}\n".encode())
        return result

    night.Night.write = written
    report = night.dream(sleep, night.DreamRequest(phase="nrem"))
    os.write(1, f"ended {report['wake_reason']} {report['error']} {report['wake_latency_ms']}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])

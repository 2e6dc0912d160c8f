"""Log: what went wrong in hooks, for whoever runs the server; a client never hears of it. Bounded, and without content.

Imports next to nothing, as every hook may need it.
"""

import json
import os
import time

FILE, EARLIER = "hooks.log", "hooks.log.1"
MOST = 256_000  # chosen: bytes, about a thousand failures; as much again is kept of what was before


def note_failure(data: str, event: str, error: BaseException | str) -> None:
    """A line in the log of a data directory that is there; if that cannot be written either, nobody is told."""
    line = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "event": event[:40], **_told(error)}
    path = os.path.join(data, FILE)
    try:
        if not os.path.isdir(data):
            return
        if os.path.exists(path) and os.path.getsize(path) > MOST:
            os.replace(path, os.path.join(data, EARLIER))
        written = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(written, (json.dumps(line) + "\n").encode())
        finally:
            os.close(written)
    except OSError:
        return


def _told(error: BaseException | str) -> dict[str, str]:
    """Which failure and where; a message only where it is ours, since others' may quote what they were given."""
    if isinstance(error, str):
        return {"error": error}
    told = {"error": type(error).__name__}
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None:
        told["where"] = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    failure = getattr(error, "failure", None)
    return told | ({"code": failure.code} if failure is not None else {})


def read_failures(data: str, most: int) -> list[dict[str, str]]:
    """The last of them, the newest first; of lines that are not whole nothing is told."""
    found: list[dict[str, str]] = []
    for name in (EARLIER, FILE):
        try:
            with open(os.path.join(data, name), encoding="utf-8", errors="replace") as file:
                lines = file.readlines()
        except OSError:
            continue
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found[::-1][:most]

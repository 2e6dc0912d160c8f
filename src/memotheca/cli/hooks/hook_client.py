"""Hook: what a client starts at an event of its session. It never breaks the client: whatever happens, it ends soon,
with 0, and says nothing that is no answer.

A prompt waits for it, so that it loads next to nothing: it asks a server that has the data open, through a socket in
its directory, and loads the rest of us only where none answers.
"""

import json
import os
import socket
import sys
import threading
from typing import Any, cast

from memotheca.hooks.hook_log import note_failure
from memotheca.hooks.switch import ON, read_switch

WAITING = "hooks"  # where sessions wait to be kept
DOORS = os.path.join("locks", "doors")  # where servers say where they listen
MOST = 16_000_000  # chosen: bytes of stdin; what is longer is no event
LIMITS = {"UserPromptSubmit": 4.0, "BeforeAgent": 4.0, "SessionStart": 10.0}  # chosen: seconds that a person waits
LIMIT = 20.0  # chosen: for all else; clients have limits of their own below it
CONNECTED, ANSWERED = 0.2, 3.0  # chosen: seconds for a server; one that is suspended must not hold up a prompt
BEGINNING = "SessionStart"
ASKED = (BEGINNING, "UserPromptSubmit", "BeforeAgent")
ENDS = ("Stop", "AfterAgent", "PreCompact", "PreCompress", "SessionEnd")


def run(arguments: list[str]) -> int:
    """Answer the event on stdin."""
    options, name = _read(arguments)
    data = ""
    try:
        data = options.get("data") or os.environ.get("MEMOTHECA_DATA") or _load_notes().usual_directory()
        data = os.path.expanduser(data)
        if "keep" in options:
            _step_back()
            return _load_work().keep_waiting(options, data)
        if "attend" in options:
            return _load_attendant().attend(options, data)
        said = _hear()
        name = name or str(said.get("hook_event_name") or "")
        if read_switch(data) == ON:
            alarm = _watch(data, name)
            try:
                _attend(options, data, name, said)
            finally:
                alarm.cancel()
    except Exception as error:  # noqa: BLE001 — no failure of ours is a client's
        note_failure(data, name, error)
    _close_quietly()
    return 0


def _attend(options: dict[str, str], data: str, name: str, said: dict[str, Any]) -> None:
    if name in ASKED:
        told = _ask_servers(data, {"options": options, "event": name, "said": said})
        if told is None:
            # The next ones first: on a machine that is too busy this one may not come to its end.
            _load_work().attend_next(options, data, said)
            told = _load_work().answer_here(options, data, name, said)
        _tell(name, str(told))
    if name in ENDS or name == BEGINNING:
        _keep(options, data, name, said)


def _read(arguments: list[str]) -> tuple[dict[str, str], str]:
    """The options, whatever they are, and the event; nothing here refuses anything."""
    options: dict[str, str] = {}
    names: list[str] = []
    rest = iter(arguments)
    for each in rest:
        if each in ("--keep", "--attend"):
            options[each[2:]] = "yes"
        elif each.startswith("--"):
            name, is_whole, value = each[2:].partition("=")
            options[name] = value if is_whole else next(rest, "")
        else:
            names.append(each)
    return options, names[0] if names else ""


def _step_back() -> None:
    """Whoever keeps sessions is a program of its own, and nobody waits for it."""
    if hasattr(os, "nice"):
        os.nice(10)


def _hear() -> dict[str, Any]:
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    raw = sys.stdin.buffer.read(MOST + 1)
    if len(raw) > MOST:
        raise ValueError("too long")
    said: Any = json.loads(raw.decode("utf-8", "replace")) if raw.strip() else {}
    return cast(dict[str, Any], said) if isinstance(said, dict) else {}


def _watch(data: str, name: str) -> threading.Timer:
    """End in time, whatever hangs."""

    def end() -> None:
        note_failure(data, name, "took too long and was ended")
        os._exit(0)

    timer = threading.Timer(LIMITS.get(name, LIMIT), end)
    timer.daemon = True
    timer.start()
    return timer


def _keep(options: dict[str, str], data: str, name: str, said: dict[str, Any]) -> None:
    """Write down what ends, and have it kept; at a beginning, what was left over of others."""
    is_due = _is_anything_left(data) if name == BEGINNING else _load_notes().note_session(options, data, name, said)
    if is_due:
        _load_notes().start_keeper(options, data)


def _is_anything_left(data: str) -> bool:
    try:
        return any(each.name.endswith(".json") for each in os.scandir(os.path.join(data, WAITING)))
    except OSError:
        return False


def _ask_servers(data: str, asked: dict[str, Any]) -> str | None:
    """What a server says that has the data open, the youngest first; None where there is none that answers."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    try:
        doors = [each.path for each in os.scandir(os.path.join(data, DOORS)) if each.name.endswith(".door")]
    except OSError:
        return None
    for door in sorted(doors, key=_age):
        told = _ask(door, asked)
        if told is not None:
            return told
    return None


def _age(path: str) -> float:
    try:
        return -os.stat(path).st_mtime
    except OSError:
        return 0.0


def _ask(door: str, asked: dict[str, Any]) -> str | None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.settimeout(CONNECTED)
            line.connect(_behind(door))
            line.settimeout(ANSWERED)
            line.sendall(json.dumps(asked).encode() + b"\n")
            line.shutdown(socket.SHUT_WR)
            heard = b"".join(iter(lambda: line.recv(65536), b""))
            answer = json.loads(heard)
            return str(answer["told"]) if "told" in answer else None
        except (ConnectionRefusedError, FileNotFoundError):
            # Its server was killed.
            _remove(door)
        except (OSError, ValueError):
            pass
    return None


def _behind(door: str) -> str:
    """The socket of a door; one in a folder that others may write to is nobody's to be trusted with a prompt."""
    with open(door, encoding="utf-8") as file:
        path = file.read().strip()
    held = os.stat(os.path.dirname(path))
    if held.st_uid != os.getuid() or held.st_mode & 0o077:
        raise FileNotFoundError(path)
    return path


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _tell(name: str, told: str) -> None:
    """In the one form that all of them read."""
    if told:
        answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": told}}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _close_quietly() -> None:
    """A client that has gone must not make an error of it at our end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _load_notes() -> Any:
    """What is written down, and by whom it is kept."""
    from memotheca.cli.hooks import hook_notes

    return hook_notes


def _load_work() -> Any:
    """All the rest of us, which takes some tenths of a second."""
    from memotheca.cli.hooks import hook_work

    return hook_work


def _load_attendant() -> Any:
    """What stands in for a server."""
    from memotheca.cli.hooks import hook_attendant

    return hook_attendant

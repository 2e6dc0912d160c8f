"""The parser process: small, with one thread and all parsers loaded; it forks a child for every file and minds it."""

import gc
import os
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

from memotheca.parsing.isolation.fork_child import work
from memotheca.parsing.isolation.frames import Unpacker, pack

MAX_JOB = 1 << 20  # chosen: a name and wishes; far below it


def main() -> None:
    """Serve the control socket, which is standard input, until the other side closes it."""
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    gc.freeze()
    Nursery(control).run()


class Nursery:
    """Children at work, each with the channel to whoever waits for its file."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        wake, waker = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, _wake_up)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._selector.register(wake, selectors.EVENT_READ)
        self._selector.register(self._control, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == wake:
                    os.read(wake, 4096)
                elif key.fileobj is self._control:
                    if not self._take_job():
                        self._end()
                        return
                else:
                    self._kill(key.data)
            self._reap()

    def _take_job(self) -> bool:
        """Fork a child for the next job; false when nobody will send any more."""
        start, descriptors, _, _ = socket.recv_fds(self._control, 4, 2)
        if not start:
            return False
        body = start + _exactly(self._control, 4 - len(start))
        (length,) = struct.unpack(">I", body)
        body += _exactly(self._control, length)
        (job,) = Unpacker(MAX_JOB).feed(body)
        file, channel = descriptors
        pid = os.fork()
        if pid == 0:
            self._be_child(job, file, socket.socket(fileno=channel))
        os.close(file)
        kept = socket.socket(fileno=channel)
        self._children[pid] = kept
        self._selector.register(kept, selectors.EVENT_READ, pid)
        return True

    def _be_child(self, job: dict[str, Any], file: int, channel: socket.socket) -> None:
        code = 1
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._control.close()
            for other in self._children.values():
                other.close()
            work(job, file, channel.sendall)
            code = 0
        finally:
            os._exit(code)

    def _reap(self) -> None:
        """Tell of every child that has ended how it ended."""
        while self._children:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            channel = self._children.pop(pid, None)
            if channel is None:
                continue
            _kill_group(pid)
            self._selector.unregister(channel)
            seconds = round(used.ru_utime + used.ru_stime, 3)
            ended = pack({"exit": [os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss]})
            try:
                channel.setblocking(False)
                channel.send(ended)
            except OSError:
                pass  # nobody waits for it any more
            channel.close()

    def _kill(self, pid: int) -> None:
        """End a child and the programs it has started; one that has just begun may have no group yet."""
        if not _kill_group(pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def _end(self) -> None:
        for pid in self._children:
            self._kill(pid)
        sys.exit(0)


def _kill_group(pid: int) -> bool:
    """End what a child has started and left; says whether there was anything. Its number may be another's by now."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _wake_up(number: int, frame: FrameType | None) -> None:
    """A signal needs a handler for the pipe to be written."""


def _exactly(channel: socket.socket, length: int) -> bytes:
    body = b""
    while len(body) < length:
        part = channel.recv(length - len(body))
        if not part:
            sys.exit(0)
        body += part
    return body


if __name__ == "__main__":
    main()

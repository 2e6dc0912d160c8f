"""What a test run is started with, made alike wherever it is started: signals, folders, settings, proxies."""

import atexit
import locale
import os
import resource
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

# A shell ignores some of these for what it runs in the background, and nohup others; every program that a test starts
# would be as deaf, or would not hear of the end of its children.
HEARD = ("SIGINT", "SIGHUP", "SIGTERM", "SIGQUIT", "SIGCHLD", "SIGUSR1", "SIGUSR2")
LONGEST = 50  # chosen: letters of a folder that leave room for the path of a socket, which may have a hundred
OTHERS = {"PYTEST_CURRENT_TEST", "OPENBLAS_NUM_THREADS"}  # the runner's, and what the program wants of numpy once
HERE = "127.0.0.1,localhost,::1"


def _hear_signals() -> None:
    known = {getattr(signal, name) for name in HEARD if hasattr(signal, name)}
    for number in known:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, known)


def forget_settings() -> None:
    """Those of whoever runs the tests, and what PostgreSQL's library goes by, but for what is said to the tests."""
    for name in [name for name in os.environ if name.startswith(("MEMOTHECA_", "PG"))]:
        if not name.startswith("MEMOTHECA_TEST_"):
            del os.environ[name]


def _go_past_proxies() -> None:
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), HERE)))


def _keep_paths_short() -> None:
    short = Path("/tmp")
    if len(os.fsencode(tempfile.gettempdir())) > LONGEST and os.access(short, os.W_OK):
        os.environ["TMPDIR"] = tempfile.tempdir = str(short)


def _have_a_home() -> None:
    """Somewhere that can be written to, though nothing is ever expected there."""
    if not os.access(os.environ.get("HOME", ""), os.W_OK):
        made = tempfile.mkdtemp(prefix="memotheca-home-")
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        os.environ["HOME"] = made


def settle() -> None:
    _hear_signals()
    forget_settings()
    _go_past_proxies()
    _keep_paths_short()
    _have_a_home()


def standing() -> dict[str, Any]:
    """What of this process every later test, and every program that one starts, would go on with."""
    umask = os.umask(0o022)
    os.umask(umask)
    limits = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    # That of alarms is the runner's own.
    signals = [each for each in signal.valid_signals() if each != signal.SIGALRM]
    return {
        "niceness": os.getpriority(os.PRIO_PROCESS, 0),
        "folder": Path.cwd(),
        "umask": umask,
        "user": (os.getuid(), os.geteuid(), os.getgid(), os.getgroups()),
        "locale": locale.setlocale(locale.LC_ALL),
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        **{f"signal {each}": signal.getsignal(each) for each in signals},
        **{name: resource.getrlimit(getattr(resource, name)) for name in limits},
        **{f"${name}": value for name, value in os.environ.items() if name not in OTHERS},
    }

"""Following the vaults while a server runs: one process watches, and any completes what another has left half done."""

import logging
from dataclasses import replace
from threading import Event, Thread

from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.mounts import Mount, opened, owner_role, vaults_of
from memotheca.notes.notices import keep_warnings
from memotheca.notes.outbox import try_to_finish
from memotheca.notes.sync import Scope, Synced, folder_of, sync_folder, sync_paths
from memotheca.notes.vanished import is_settled, withheld
from memotheca.storage.database import HeldRole
from memotheca.vault.watcher import watch_folder

log = logging.getLogger(__name__)

SECONDS = 1.0  # chosen: what another process has mounted is followed at once to the eye
CHECKOUT = 20  # chosen: tenths of a second, two seconds in all, in which git has replaced its files


def follow_vaults(kernel: Kernel, stop: Event) -> None:
    """Watch as soon as nobody else does, until stopped."""
    locks = vaults_of(kernel).lock_folder
    while not stop.is_set():
        try:
            with kernel.store.database.lease(locks, owner_role(kernel.collection)) as held:
                if held is not None:
                    _watch(replace(kernel, fence=held.refuse_lost), stop, held)
                else:
                    _complete(kernel)
        except Exception:
            # Whatever it is, it ends neither the server nor the following.
            log.exception("following the vaults failed; it begins anew")
        stop.wait(SECONDS)


def _tell_absent(kernel: Kernel, told: set[str]) -> None:
    """Say once that a vault's folder has gone, and again only after it has come back."""
    for mount in vaults_of(kernel).mounts:
        if mount.root.is_dir():
            told.discard(mount.prefix)
        elif mount.prefix not in told:
            told.add(mount.prefix)
            said = f"The vault {mount.root.name!r} is not there; its notes stay as they were."
            log.warning("%s", said)
            keep_warnings(kernel, [("", said)])


def _watch(kernel: Kernel, stopped: Event, held: HeldRole) -> None:
    """Until stopped, or until another has taken over."""
    stop = Event()
    watchers = [
        Thread(target=_watch_mount, args=(kernel, mount, stop), name=f"vault {mount.prefix}", daemon=True)
        for mount in vaults_of(kernel).mounts
    ]
    watchers.append(Thread(target=_read_graph, args=(kernel,), name="graph of notes", daemon=True))
    for watcher in watchers:
        watcher.start()
    absent: set[str] = set()
    try:
        while held.is_held and not stopped.wait(SECONDS):
            _complete(kernel, absent)
    finally:
        stop.set()
        for watcher in watchers:
            watcher.join()


def _read_graph(kernel: Kernel) -> None:
    """Whoever follows the vaults needs the graph at the first change; clients need not wait for it, either."""
    try:
        with opened(kernel):
            pass
    except Refusal as refusal:
        log.warning("reading the graph of notes: %s", refusal.message)
    except Exception:
        log.exception("the graph of notes could not be read; the next who needs it tries again")


def _complete(kernel: Kernel, absent: set[str] | None = None) -> None:
    try:
        if absent is not None:
            _tell_absent(kernel, absent)
        try_to_finish(kernel)
    except Refusal as refusal:
        log.warning("a change has not reached its files yet: %s", refusal.message)
    except Exception:
        log.exception("a change has not reached its files yet")


def _look_again(kernel: Kernel, mount: Mount, stop: Event) -> None:
    """Where notes are missed, they may be back, which only a look at everything can tell; and git says last which
    commit it has checked out."""
    if withheld(kernel):
        for _ in range(CHECKOUT):
            if not is_settled(kernel, mount) or stop.wait(SECONDS / 10):
                break
        sync_folder(kernel, mount, Scope(folder_of(kernel, mount).scan), done=Synced())


def _watch_mount(kernel: Kernel, mount: Mount, stop: Event) -> None:
    folder = folder_of(kernel, mount)
    accepts = vaults_of(kernel).accepts_removals
    if not accepts:
        for told in withheld(kernel):
            log.warning("%s", told)
    while not stop.is_set():
        try:
            for changes in watch_folder(folder, stop):
                if changes.rescan is not None:
                    log.info("looking through the vault: %s", changes.rescan)
                    sync_folder(kernel, mount, Scope(folder.scan, accepts=accepts), done=Synced())
                    accepts = False
                else:
                    sync_paths(kernel, mount, folder, changes.paths)
                    _look_again(kernel, mount, stop)
        except Refusal as refusal:
            log.warning("following the vault: %s", refusal.message)
            if refusal.failure is Failure.INCOMPATIBLE:
                return
        except Exception:
            log.exception("following the vault failed; it begins anew")
        stop.wait(SECONDS)

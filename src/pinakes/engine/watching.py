"""Following the vaults while a server runs: one process watches, and any completes what another has left half done."""

import logging
from threading import Event, Thread

from pinakes.engine.filing import try_to_finish
from pinakes.engine.kernel import Kernel
from pinakes.engine.leafing import opened
from pinakes.engine.sync import Scope, Synced, folder_of, sync_folder, sync_paths
from pinakes.engine.vaults import Mount, owner_role
from pinakes.model.errors import Failure, Refusal
from pinakes.storage.locks import role
from pinakes.vault.watcher import watch_folder

log = logging.getLogger(__name__)

SECONDS = 1.0


def follow_vaults(kernel: Kernel, stop: Event) -> None:
    """Watch as soon as nobody else does, until stopped."""
    assert kernel.vaults.locks is not None
    while not stop.is_set():
        with role(kernel.vaults.locks, owner_role(kernel.collection)) as held:
            if held:
                _watch(kernel, stop)
            else:
                _complete(kernel)
        stop.wait(SECONDS)


def _watch(kernel: Kernel, stop: Event) -> None:
    watchers = [
        Thread(target=_watch_mount, args=(kernel, mount, stop), name=f"vault {mount.prefix}", daemon=True)
        for mount in kernel.vaults.mounts
    ]
    watchers.append(Thread(target=_read_graph, args=(kernel,), name="graph of notes", daemon=True))
    for watcher in watchers:
        watcher.start()
    while not stop.wait(SECONDS):
        _complete(kernel)
    for watcher in watchers:
        watcher.join()


def _read_graph(kernel: Kernel) -> None:
    """Whoever follows the vaults needs the graph at the first change; clients need not wait for it, either."""
    try:
        with opened(kernel):
            pass
    except Refusal as refusal:
        log.warning("reading the graph of notes: %s", refusal.message)


def _complete(kernel: Kernel) -> None:
    try:
        try_to_finish(kernel)
    except Refusal as refusal:
        log.warning("a change has not reached its files yet: %s", refusal.message)


def _watch_mount(kernel: Kernel, mount: Mount, stop: Event) -> None:
    folder = folder_of(kernel, mount)
    while not stop.is_set():
        try:
            for changes in watch_folder(folder, stop):
                if changes.rescan is not None:
                    log.info("looking through the vault: %s", changes.rescan)
                    sync_folder(kernel, mount, Scope(folder.scan), done=Synced())
                else:
                    sync_paths(kernel, mount, folder, changes.paths)
        except Refusal as refusal:
            log.warning("following the vault: %s", refusal.message)
            if refusal.failure is Failure.INCOMPATIBLE:
                return
        except Exception:
            log.exception("following the vault failed; it begins anew")
        stop.wait(SECONDS)

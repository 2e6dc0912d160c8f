"""Whether the mounted vaults are well: there, writable, in step with their rows, and nothing half done."""

import os
from dataclasses import replace
from pathlib import Path

from memotheca.admin.health import HealthFinding
from memotheca.kernel.kernel import Kernel
from memotheca.model.knowledge import counted
from memotheca.notes.mounts import Mount, owner_role, vaults_of
from memotheca.notes.sync import Difference, compare
from memotheca.notes.vanished import ACCEPT
from memotheca.storage import vault_index

READ_AGAIN = "memotheca vault --sync"


def inspect_vaults(kernel: Kernel) -> list[HealthFinding]:
    """Look at every vault of every collection; nothing is written."""
    return [finding for name in kernel.store.collections() for finding in inspect_collection(kernel, name)]


def inspect_collection(kernel: Kernel, collection: str) -> list[HealthFinding]:
    """Look at the vaults of one collection."""
    with kernel.store.database.read() as session:
        mounted = vault_index.read_mounted(session, collection)
        pending = [intent.vault + intent.path for intent in vault_index.pending_intents(session, collection)]
    if mounted.machine and mounted.machine != vaults_of(kernel).machine:
        return [HealthFinding(f"vaults in {collection}", True, f"they are on {mounted.host}; ask there")]
    mounts = tuple(Mount(prefix, Path(root)) for prefix, root in mounted.roots.items())
    vaults = replace(vaults_of(kernel), mounts=mounts)
    found = [_inspect(replace(kernel.having(vaults), collection=collection), mount) for mount in mounts]
    return [*found, _unfinished(collection, pending)] if mounts or pending else []


def _inspect(kernel: Kernel, mount: Mount) -> HealthFinding:
    name = f"vault {mount.prefix or mount.root.name} in {kernel.collection}"
    option = "" if kernel.collection == "default" else f" --collection {kernel.collection}"
    if not mount.root.is_dir():
        fix = f"bring the folder back, or memotheca vault --vault DIR{option}, or memotheca vault --unmount{option}"
        return HealthFinding(name, False, f"{mount.root} is not there; its notes stay as they were", fix)
    if not os.access(mount.root, os.R_OK | os.X_OK):
        return HealthFinding(name, False, f"{mount.root} cannot be read", f"chmod u+rx {mount.root}")
    if not os.access(mount.root, os.W_OK):
        told = f"{mount.root} can be read, but not written, so no note can be changed"
        return HealthFinding(name, False, told, f"chmod u+w {mount.root}, or memotheca serve --read-only")
    difference = compare(kernel, mount)
    if difference.is_first:
        return HealthFinding(name, False, f"{mount.root} has not been read to the end yet", READ_AGAIN + option)
    if difference.doubt is not None:
        told = f"{counted(difference.gone, 'note')} not to be found, but kept: {difference.doubt}"
        return HealthFinding(name, False, told, f"mount its disk; if they are meant to be gone, {ACCEPT}{option}")
    passed = f"; passed over: {counted(difference.passed_over, 'file')}" if difference.passed_over else ""
    if not difference.files:
        return HealthFinding(
            name, True, f"{mount.root} is there, writable, and as the rows say{_follower(kernel)}{passed}"
        )
    return HealthFinding(name, False, f"{_spell(difference)}{_follower(kernel)}{passed}", READ_AGAIN + option)


def _spell(difference: Difference) -> str:
    told = (
        (difference.fresh, "new"),
        (difference.changed, "changed"),
        (difference.moved, "moved"),
        (difference.gone, "gone"),
    )
    counts = ", ".join(f"{count} {word}" for count, word in told if count)
    return f"files are not as the rows say ({counts})"


def _follower(kernel: Kernel) -> str:
    """Whether a server takes in changes by itself just now."""
    holder = kernel.store.database.holder(vaults_of(kernel).lock_folder, owner_role(kernel.collection))
    return "; a server follows it" if holder else "; no server follows it just now"


def _unfinished(collection: str, pending: list[str]) -> HealthFinding:
    name = f"files on their way in {collection}"
    if not pending:
        return HealthFinding(name, True, "every change has reached its files")
    told = f"{counted(len(pending), 'file')} not written yet, the first is {pending[0]}"
    option = "" if collection == "default" else f" --collection {collection}"
    return HealthFinding(name, False, told, f"{READ_AGAIN}{option}, or start a server: either writes them")

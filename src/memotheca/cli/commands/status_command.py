"""memotheca status: what is stored."""

import argparse
from typing import Any

from memotheca import __version__
from memotheca.admin.health import count_everything
from memotheca.app import loss_of
from memotheca.cli.hooks.hook_state import hook_state, spell_hook_state
from memotheca.cli.layout import sized, table
from memotheca.cli.terminal import aimed, app_of, print_json, styled
from memotheca.hooks.switch import OFF
from memotheca.model.kinds import KINDS, NOTE, SECTION, STARTER_COLLECTION
from memotheca.model.knowledge import counted
from memotheca.notes.overview import survey
from memotheca.notes.vanished import withheld


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    store = app.kernel.store
    counts = count_everything(app.kernel)
    found: dict[str, Any] = {
        "version": __version__,
        "data": app.place or str(app.data.absolute()),
        "collection": app.kernel.collection,
        "exists": app.kernel.collection in store.collections(),
        "collections": [name for name in store.collections() if name != STARTER_COLLECTION],
        "format": store.known_format,
        "size_bytes": store.database.size(),
        **counts,
        # The links of notes stand in their files; they are no edges of their own.
        "links": survey(app.kernel).links if counts[NOTE] else 0,
    }
    if missed := withheld(app.kernel):
        found["vaults"] = [aimed(parsed, each) for each in missed]
    if told := loss_of(app):
        found["loss"] = f"{told}; {aimed(parsed, '`memotheca doctor` says which backup to restore, and how')}"
    hooks = hook_state(app.data)
    if hooks["state"] != OFF:
        found["hooks"] = hooks
    if parsed.json:
        print_json(found)
    else:
        _print(found)
    return 0


def _print(found: dict[str, Any]) -> None:
    print(styled(f"Memotheca {found['version']}", "bold"))
    held = [counted(found[kind], kind) for kind in KINDS if kind != SECTION and found[kind]]
    connected = [counted(found["edge"], "edge")]
    if found["links"]:
        connected.append(f"{counted(found['links'], 'link')} in notes")
    rows = [
        ("data", f"{found['data']} ({sized(found['size_bytes'])}, format {found['format']})"),
        ("collection", found["collection"] if found["exists"] else f"{found['collection']} (does not exist yet)"),
        ("holds", ", ".join(held) or "nothing yet"),
        ("connected", ", ".join(connected)),
        ("history", f"{counted(found['transactions'], 'transaction')}, {counted(found['versions'], 'version')}"),
    ]
    others = [name for name in found["collections"] if name != found["collection"]]
    if others:
        rows.insert(2, ("others", ", ".join(others)))
    rows += [("vaults", missed) for missed in found.get("vaults", ())]
    if "hooks" in found:
        rows.append(("hooks", spell_hook_state(found["hooks"])))
    if "loss" in found:
        rows.append(("lost", found["loss"]))
    print("\n".join(table(rows)))

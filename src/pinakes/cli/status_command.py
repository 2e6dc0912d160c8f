"""pinakes status: what is stored."""

import argparse

from pinakes import __version__
from pinakes.app import lazily
from pinakes.cli.terminal import app_of, print_json, styled
from pinakes.engine.health import count_everything


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed)
    store = app.kernel.store
    found = {
        "version": __version__,
        "data": str(app.data),
        "collection": app.kernel.collection,
        "collections": store.collections(),
        "format": store.known_format,
        "size_bytes": store.database.size(),
        **count_everything(app.kernel),
    }
    if missed := lazily("pinakes.engine.vanishing", "withheld")(app.kernel):
        found["vaults"] = missed
    if parsed.json:
        print_json(found)
        return 0
    for name, value in found.items():
        spelled = ", ".join(value) if isinstance(value, list) else value
        print(f"{styled(name.replace('_', ' '), 'bold'):<22} {spelled}")
    return 0

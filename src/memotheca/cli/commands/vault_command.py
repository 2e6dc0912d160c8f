"""memotheca vault: what is in the mounted vaults."""

import argparse
from dataclasses import asdict
from typing import Any

from memotheca.admin.upkeep import count_passages_waiting, index_everything
from memotheca.app import App
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, aimed, app_of, plain, print_json, progress, settings_of, styled
from memotheca.jobs.queue import enqueue
from memotheca.model.knowledge import counted
from memotheca.notes.mounts import vaults_of
from memotheca.notes.overview import survey
from memotheca.notes.sync import sync_everything
from memotheca.notes.unmount import unmount
from memotheca.notes.vanished import withheld

OPTIONS = ("vault", "vault-ignore", "vault-gitignore")
SHOWN = 20  # chosen: a screenful; `--json` has all

EPILOG = """examples:
  memotheca vault --vault ~/notes    mount a folder, read it, show what is in it
  memotheca vault --sync             read again what has changed on disk
  memotheca vault --accept-removals  many notes are gone, and are meant to be
  memotheca vault --unmount          forget the vault; its files stay
  memotheca vault --json | jq '.broken_links'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--unmount", action="store_true", help="forget the vaults; their files stay as they are")
    parser.add_argument(
        "--accept-removals",
        action="store_true",
        help="read what has changed, and take notes out that are gone, however many they are",
    )
    parser.add_argument("--sync", action="store_true", help="first read what has changed on disk")
    parser.add_argument("--no-wait", action="store_true", help="leave vectors to the next server that runs")


def run(parsed: argparse.Namespace) -> int:
    app = app_of(parsed, begins=bool(settings_of(parsed).names("vault")) and not parsed.unmount)
    if parsed.unmount:
        return _unmount(app, as_json=parsed.json)
    synced: dict[str, Any] | None = None
    if parsed.sync or parsed.accept_removals or not survey(app.kernel).notes:
        with progress("reading notes", quiet=parsed.json) as report:
            synced = asdict(sync_everything(app.kernel, report, accepts=parsed.accept_removals))
        synced |= _make_vectors(app, no_wait=parsed.no_wait, quiet=parsed.json)
    waiting = count_passages_waiting(app.kernel)
    found, missed = survey(app.kernel), withheld(app.kernel)
    if parsed.json:
        print_json({**asdict(found), "synced": synced, "withheld": missed, "waiting": waiting})
        return 0
    if not vaults_of(app.kernel).mounts:
        print("No vault is mounted; name its folder with --vault.")
        return 0
    for name, root in found.vaults.items():
        print(f"{styled(name or 'vault', 'bold')}  {root}")
    for line in missed:
        say(styled(aimed(parsed, line), "yellow"))
    numbers = {"note": found.notes, "link": found.links, "ghost": found.ghosts, "orphan": len(found.orphans)}
    print(", ".join(counted(number, noun) for noun, number in numbers.items()))
    if synced is not None:
        told = [f"{count} {word.removesuffix('s') if count == 1 else word}" for word, count in synced.items() if count]
        print(", ".join(told) or "nothing has changed on disk")
    if waiting:
        late = f"{counted(waiting, 'passage')} {'waits for its vector' if waiting == 1 else 'wait for their vectors'}"
        then = "the next server that runs makes them, or memotheca vault --sync. Until then words are searched."
        say(aimed(parsed, f"{late}: {then}"))
    _print_list("broken links", [f"{each['note']}: [[{each['target']}]]" for each in found.broken_links])
    _print_list("duplicate titles", [", ".join(each) for each in found.duplicate_titles])
    _print_list("orphans", found.orphans)
    return 0


def _make_vectors(app: App, *, no_wait: bool, quiet: bool) -> dict[str, int]:
    """What was read is searched by meaning, too; now, or as a job that outlives this command."""
    if no_wait:
        if count_passages_waiting(app.kernel):
            enqueue(app.kernel, "index", {}, actor=ACTOR)
        return {}
    with progress("embedding", quiet=quiet) as report:
        return {"embedded": index_everything(app.kernel, report)}


def _unmount(app: App, *, as_json: bool) -> int:
    left = unmount(app.kernel)
    if as_json:
        print_json({"unmounted": left})
    else:
        gone = f"{counted(left, 'note')} {'has' if left == 1 else 'have'} left the collection"
        say(f"Unmounted; {gone}, and every file is where it was.")
    return 0


def _print_list(title: str, lines: list[str]) -> None:
    if lines:
        print(f"\n{styled(title, 'bold')} ({len(lines)})")
        for line in lines[:SHOWN]:
            say(plain(line), lead="  ", hang="    ")
        if len(lines) > SHOWN:
            print(f"  … and {len(lines) - SHOWN} more; --json shows all")

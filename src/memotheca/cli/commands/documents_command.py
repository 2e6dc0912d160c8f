"""memotheca documents: list the files that were added."""

import argparse
from dataclasses import asdict
from pathlib import Path

from memotheca.cli.layout import say, sized
from memotheca.cli.terminal import app_of, at_least, plain, print_json, styled
from memotheca.documents.documents import list_documents
from memotheca.jobs.queue import unsettled_jobs
from memotheca.kernel.names import SHORT
from memotheca.model.knowledge import counted
from memotheca.storage.document_index import DocumentRow
from memotheca.tools.documents.contract import in_seconds

EPILOG = """examples:
  memotheca documents
  memotheca documents --sort size --limit 5
  memotheca documents --json | jq -r '.documents[].filename'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=at_least(1), default=100, metavar="N", help="how many (default: 100)")
    parser.add_argument("--offset", type=at_least(0), default=0, metavar="N", help="after how many (default: 0)")
    parser.add_argument("--sort", choices=("date_added", "filename", "size"), default="date_added", help="by what")
    parser.add_argument("--ascending", action="store_true", help="smallest, oldest or first letter first")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    listed, total = list_documents(
        kernel,
        limit=parsed.limit,
        offset=parsed.offset,
        order=parsed.sort,
        descending=not parsed.ascending,
    )
    jobs = unsettled_jobs(kernel)
    if parsed.json:
        shown = [
            {
                **asdict(each.row),
                "folder": str(Path(each.row.path).parent) if each.row.path else None,
                "added": in_seconds(each.row.added),
                "status": each.status,
                "id": each.row.handle,
            }
            for each in listed
        ]
        under_way = [{"task_id": job.id, "kind": job.kind, "status": job.state, "step": job.step} for job in jobs]
        print_json({"documents": shown, "total": total, "tasks": under_way})
        return 0
    for each in listed:
        _print(each.row, each.status)
    under_way = f", {counted(len(jobs), 'task')} under way" if jobs else ""
    print(f"{counted(total, 'document')}{under_way}.")
    return 0


def _print(row: DocumentRow, status: str) -> None:
    """The name on a line of its own, since that is what people look for; then what there is to say of it."""
    also = "" if status == "completed" else f"  {styled(status, 'yellow')}"
    say(styled(plain(row.filename), "bold") + also, hang="  ")
    numbers = [in_seconds(row.added)[:10], sized(row.size), counted(row.chunks, "passage")]
    folder = plain(str(Path(row.path).parent)) if row.path else "sent, not read from a folder"
    say("  ".join([*numbers, folder, styled(row.handle[:SHORT], "dim")]), lead="  ", hang="  ")

"""pinakes documents: list the files that were added."""

import argparse
from dataclasses import asdict

from pinakes.cli.terminal import app_of, plain, print_json, styled
from pinakes.contracts.documents import in_seconds
from pinakes.engine.documents import list_documents
from pinakes.engine.jobs import unsettled_jobs

EPILOG = """examples:
  pinakes documents
  pinakes documents --sort size --limit 5
  pinakes documents --json | jq -r '.documents[].filename'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="how many (default: 100)")
    parser.add_argument("--offset", type=int, default=0, metavar="N", help="after how many (default: 0)")
    parser.add_argument("--sort", choices=("date_added", "filename", "size"), default="date_added", help="by what")
    parser.add_argument("--ascending", action="store_true", help="smallest, oldest or first letter first")


def run(parsed: argparse.Namespace) -> int:
    kernel = app_of(parsed).kernel
    listed, total = list_documents(
        kernel,
        limit=max(0, parsed.limit),
        offset=max(0, parsed.offset),
        order=parsed.sort,
        descending=not parsed.ascending,
    )
    jobs = unsettled_jobs(kernel)
    if parsed.json:
        shown = [
            {**asdict(each.row), "added": in_seconds(each.row.added), "status": each.status, "id": each.row.handle}
            for each in listed
        ]
        under_way = [{"task_id": job.id, "kind": job.kind, "status": job.state, "step": job.step} for job in jobs]
        print_json({"documents": shown, "total": total, "tasks": under_way})
        return 0
    for each in listed:
        row = each.row
        also = "" if each.status == "completed" else f"  {styled(each.status, 'yellow')}"
        numbers = f"{in_seconds(row.added)[:10]}  {_size(row.size):>8} {row.chunks:6} passages"
        print(f"{styled(row.handle, 'dim')}  {numbers}  {plain(row.filename)}{also}")
    print(f"{total} documents{f', {len(jobs)} tasks under way' if jobs else ''}.")
    return 0


def _size(size: int) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size = round(size / 1024)
    return f"{size} GB"

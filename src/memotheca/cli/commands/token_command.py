"""memotheca token: who may reach this data over HTTP."""

import argparse
from dataclasses import asdict

from memotheca.admin.access_tokens import ROLES, AccessToken, add_token, read_tokens, revoke_token
from memotheca.admin.token_shelves import shelf_of
from memotheca.cli.layout import table
from memotheca.cli.terminal import app_of, print_json
from memotheca.model.errors import Failure, Refusal

QUOTAS = {
    "calls_per_minute": "how many calls a minute it is good for (default: any)",
    "bytes_per_minute": "how many bytes of arguments a minute (default: any)",
    "jobs": "how many of its tasks may wait or run at once (default: any)",
    "entries": "add nothing where the collection holds so many entries (default: any)",
}

EPILOG = """A token is shown once, when it is made; the data directory, or the database
that machines share, keeps only a digest of it. Servers that run take a new or
revoked token into account at once (of a database: within a second). Its name
is what `memotheca history` shows.

roles:
  read    look at everything, change nothing
  write   use every tool
  admin   as write, and told where things lie on the server's disk
  watch   read /metrics, and nothing else

examples:
  memotheca token add ada --role write
  memotheca token add pipeline --role read --for handbook
  memotheca token add guest --calls-per-minute 60 --entries 10000
  memotheca token revoke ada"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("add", "list", "revoke"), help="make one and print it, list them, end one")
    parser.add_argument("name", nargs="?", default="", help="whose it is; history has changes under this name")
    parser.add_argument("--role", choices=ROLES, default="write", help="what it may do (default: write)")
    parser.add_argument(
        "--for", dest="collections", action="append", default=[], metavar="COLLECTION", help="only there; repeatable"
    )
    for quota, doc in QUOTAS.items():
        parser.add_argument(f"--{quota.replace('_', '-')}", type=int, default=0, metavar="N", help=doc)


def run(parsed: argparse.Namespace) -> int:
    if parsed.action != "list" and not parsed.name.strip():
        raise Refusal(Failure.INVALID, f"Say whose token: memotheca token {parsed.action} NAME")
    app = app_of(parsed, begins=parsed.action == "add")
    shelf = shelf_of(app.kernel.store, app.data, is_shared=app.is_shared)
    if parsed.action == "add":
        quotas = {quota: getattr(parsed, quota) for quota in QUOTAS}
        wanted = AccessToken(name=parsed.name, role=parsed.role, collections=tuple(parsed.collections), **quotas)
        secret = add_token(shelf, wanted, clock=app.kernel.store.clock)
        if parsed.json:
            print_json(
                {"name": parsed.name, "role": parsed.role, "collections": parsed.collections, **quotas, "token": secret}
            )
        else:
            print(secret)
    elif parsed.action == "revoke":
        gone = revoke_token(shelf, parsed.name)
        print_json(_told(gone)) if parsed.json else print(f"The token of {gone.name} is worth nothing any more.")
    else:
        _list(read_tokens(shelf), is_json=parsed.json)
    return 0


def _list(tokens: list[AccessToken], *, is_json: bool) -> None:
    if is_json:
        print_json(list(map(_told, tokens)))
    elif not tokens:
        print("There are no tokens; `memotheca token add NAME` makes one.")
    else:
        print("\n".join(table([(each.name, _described(each)) for each in tokens])))


def _described(token: AccessToken) -> str:
    where = ", ".join(token.collections) or "every collection"
    quotas = "".join(f", {quota.replace('_', ' ')} {held}" for quota in QUOTAS if (held := getattr(token, quota)))
    return f"{token.role}, {where}{quotas}, since {token.created_at}"


def _told(token: AccessToken) -> dict[str, object]:
    return {name: value for name, value in asdict(token).items() if name != "digest"}

"""A client's configuration file with our server added: all else stays, and the old file is kept beside it."""

import codecs
import contextlib
import json
import os
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from memotheca.cli.commented_json import read_commented, with_member, without_member
from memotheca.model.errors import Failure, Refusal
from memotheca.views.clients import SERVER, Client, Shape, table_of

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write(client: Client, path: Path, server: Shape) -> tuple[bool, Path | None]:
    """Add the server to the file: whether it was not there already, and where the file as it was is kept."""
    target = Path(os.path.realpath(path))
    old = target.read_bytes() if target.exists() else None
    text = _text(path, old)
    added = (_add_table if client.is_toml else _add_key)(client, path, text, server)
    return _put(target, path, old, added)


def remove(client: Client, path: Path) -> tuple[bool, Path | None]:
    """Take our server out of the file: whether it was there, and where the file as it was is kept."""
    target = Path(os.path.realpath(path))
    if not target.exists() or read_server(client, path) is None:
        return False, None
    old = target.read_bytes()
    text = _text(path, old)
    return _put(target, path, old, (_drop_table if client.is_toml else _drop_key)(client, path, text))


def edit(path: Path, change: Callable[[Shape], None]) -> tuple[bool, Path | None]:
    """Change what stands in a file of JSON: whether that made a difference, and where the file as it was is kept."""
    target = Path(os.path.realpath(path))
    old = target.read_bytes() if target.exists() else None
    text = _text(path, old)
    try:
        content = json.loads(text or "{}")
        before = json.dumps(content)
        change(content)
    except (ValueError, RecursionError):
        raise _left_alone(path, "is not plain JSON") from None
    except (AttributeError, TypeError):
        raise _left_alone(path, "has something else where hooks are named") from None
    if json.dumps(content) == before:
        return False, None
    return _put(target, path, old, json.dumps(content, ensure_ascii=False, indent=_indent(text)) + "\n")


def read_server(client: Client, path: Path) -> Shape | None:
    """Our server as the file has it."""
    text = _text(path, path.read_bytes()) if path.exists() else ""
    try:
        content: Any = tomllib.loads(text) if client.is_toml else read_commented(text or "{}")
        for key in _keys(client, content):
            content = content.get(key) or {}
        return content.get(SERVER)
    except (ValueError, RecursionError, AttributeError):
        told = f"{path} is no {'TOML' if client.is_toml else 'JSON'} that can be read; nothing was changed."
        raise Refusal(Failure.INVALID, told) from None


def _put(target: Path, path: Path, old: bytes | None, text: str) -> tuple[bool, Path | None]:
    fresh = _as_before(old or b"", text)
    if fresh == (old or b""):
        return False, None
    if old is None:
        target.parent.mkdir(parents=True, exist_ok=True)
    elif not target.stat().st_mode & _WRITABLE:
        raise _left_alone(path, "is read-only")
    kept = None if old is None else _keep(target, path, old)
    _replace(target, fresh, old)
    return True, kept


def _as_before(old: bytes, text: str) -> bytes:
    """The text with the mark at its beginning and the ends of lines that editors of Windows gave the file."""
    if b"\r\n" in old and old.count(b"\n") == old.count(b"\r\n"):
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b"") + text.encode()


def _drop_key(client: Client, path: Path, text: str) -> str:
    content = read_commented(text)
    keys = _keys(client, content)
    servers = content
    for key in keys:
        servers = servers[key]
    del servers[SERVER]
    if _is_commented(text):
        return _as_wanted(path, without_member(text, (*keys, SERVER)), content)
    return json.dumps(content, ensure_ascii=False, indent=_indent(text)) + "\n"


def _drop_table(client: Client, path: Path, text: str) -> str:
    """Without the lines of our table and those below it; every other line stays as it is, and so do comments before the
    next table."""
    wanted = tomllib.loads(text)
    del wanted[client.keys[0]][SERVER]
    name = f"[{client.keys[0]}.{SERVER}"
    lines: list[str] = []
    held: list[str] = []
    ours = False
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            ours = line.startswith((f"{name}]", f"{name}."))
        if not ours:
            lines += (*held, line)
        if not ours or (line.strip() and not line.startswith("#")):
            held = []
        else:
            held.append(line)
    left = "".join((*lines, *held)).rstrip("\n")
    left += "\n" if left else ""
    after = tomllib.loads(left)
    after.setdefault(client.keys[0], {})
    if after != wanted:
        raise _left_alone(path, "has the server in a form that cannot be taken out")
    return left


def _text(path: Path, old: bytes | None) -> str:
    try:
        return "" if old is None else old.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        raise _left_alone(path, "is not UTF-8") from None


def _add_key(client: Client, path: Path, text: str, server: Shape) -> str:
    try:
        content = read_commented(text or "{}")
        keys = _keys(client, content)
        servers = content
        for key in keys:
            servers = servers.setdefault(key, {})
        if servers.get(SERVER) == server:
            return text
        servers[SERVER] = server
        if _is_commented(text):
            indent = _indent(text)
            spelled = " " * indent if isinstance(indent, int) else indent
            return _as_wanted(path, with_member(text, (*keys, SERVER), server, spelled), content)
    except (ValueError, RecursionError):
        raise _left_alone(path, "is no JSON") from None
    except (AttributeError, TypeError):
        raise _left_alone(path, "has something else where servers are named") from None
    return json.dumps(content, ensure_ascii=False, indent=_indent(text)) + "\n"


def _is_commented(text: str) -> bool:
    """Whether there is something in it that is for people, and would be lost if it were written anew."""
    try:
        json.loads(text or "{}")
    except ValueError:
        return True
    return False


def _as_wanted(path: Path, text: str, content: Any) -> str:
    """A changed text, if it says what it should and nothing else."""
    try:
        said = read_commented(text)
    except ValueError:
        said = None
    if said != content:
        raise _left_alone(path, "has comments where the server would stand")
    return text


def _keys(client: Client, content: Mapping[str, Any]) -> tuple[str, ...]:
    """The first version of OpenCode has its servers directly under `mcp`; where there are such, ours joins them."""
    if len(client.keys) == 2:
        present = cast(Mapping[str, Any], content.get(client.keys[0]) or {})
        if any(isinstance(each, dict) and "type" in each for each in present.values()):
            return client.keys[:1]
    return client.keys


def _indent(text: str) -> int | str:
    """As the file has it."""
    for line in text.splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip())]
        if blank:
            return blank
    return 2


def _add_table(client: Client, path: Path, text: str, server: Shape) -> str:
    """A table at the end, so that every line and comment that is there stays as it is."""
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise _left_alone(path, "is not valid TOML") from None
    present = before.get(client.keys[0], {})
    if isinstance(present, dict) and SERVER in present:
        if present[SERVER] == server:
            return text
        text = _drop_table(client, path, text)
    lead = text if not text or text.endswith("\n") else text + "\n"
    added = (lead + "\n" if lead.strip() else lead) + table_of(client, server)
    try:
        after = tomllib.loads(added)
    except tomllib.TOMLDecodeError:
        # As where all servers stand in one inline table.
        raise _left_alone(path, "has its servers in a form that cannot be added to") from None
    assert after[client.keys[0]][SERVER] == server
    return added


def _keep(target: Path, path: Path, old: bytes) -> Path:
    """A copy of the file as it was, under a name that no earlier copy has."""
    number = 1
    while True:
        kept = path.with_name(f"{path.name}.bak{'' if number == 1 else f'.{number}'}")
        try:
            descriptor = os.open(kept, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(old)
        shutil.copystat(target, kept)
        return kept


def _replace(target: Path, content: bytes, old: bytes | None) -> None:
    """Put the content in the file's place at one moment, with the mode and the owner that it has."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if old is not None:
            _take_after(fresh, target)
            if target.read_bytes() != old:
                raise Refusal(Failure.CONFLICT, f"{target} was changed meanwhile by somebody else; run this again.")
        os.replace(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)


def _take_after(fresh: Path, target: Path) -> None:
    status = target.stat()
    shutil.copystat(target, fresh)
    with contextlib.suppress(OSError):
        os.utime(fresh)
    own = fresh.stat()
    if (own.st_uid, own.st_gid) == (status.st_uid, status.st_gid) or not hasattr(os, "chown"):
        return
    try:
        os.chown(fresh, status.st_uid, status.st_gid)
        # Changing the owner takes some bits of the mode away.
        fresh.chmod(status.st_mode & 0o7777)
    except OSError:
        raise Refusal(
            Failure.FORBIDDEN, f"{target} belongs to another user or group; run this as that user, or edit it by hand."
        ) from None


def _left_alone(path: Path, why: str) -> Refusal:
    return Refusal(
        Failure.INVALID, f"{path} {why}, so it was left alone. Leave out --write, and add what is printed by hand."
    )

"""Content types of text blocks: the protocol's own models drop them, so they go round those in `_meta`."""

from collections.abc import Iterable
from typing import Any, cast

MIME_TYPE = "mimeType"
META = "_meta"
CARRIED = "memotheca/mimeType"


def carry_types(blocks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks as the SDK lets them pass."""
    return [_carry(block) if block["type"] == "text" and MIME_TYPE in block else block for block in blocks]


def restore_types(result: Any) -> Any:
    """A tool's result on its way out, each text block with its type where it had one."""
    if not isinstance(result, dict):
        return result
    members = cast(dict[str, Any], result)
    blocks: list[dict[str, Any]] | None = members.get("content")
    return members if blocks is None else {**members, "content": [_restore(block) for block in blocks]}


def _carry(block: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in block.items() if name != MIME_TYPE}
    return {**kept, META: {**block.get(META, {}), CARRIED: block[MIME_TYPE]}}


def _restore(block: dict[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = block.get(META) or {}
    if CARRIED not in meta:
        return block
    rest = {name: value for name, value in meta.items() if name != CARRIED}
    kept = {name: value for name, value in block.items() if name != META}
    return {**kept, MIME_TYPE: meta[CARRIED], **({META: rest} if rest else {})}

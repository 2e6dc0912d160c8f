"""Exports of chats: ChatGPT's, a tree of messages of which one path was read last; Claude's, a list of messages."""

from collections.abc import Iterator
from typing import Any, cast

from memotheca.admin.imports.foreign_content import ForeignContent, joined, name_of, read_time
from memotheca.conversations.keep import KeepConversation
from memotheca.conversations.turns import Utterance

CHATGPT, CLAUDE = "chatgpt", "claude"
_SAID = frozenset({"text", "multimodal_text"})
_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}

Json = dict[str, Any]


def is_chatgpt(value: object) -> bool:
    return isinstance(value, dict) and isinstance(cast(Json, value).get("mapping"), dict)


def is_claude(value: object) -> bool:
    return isinstance(value, dict) and isinstance(cast(Json, value).get("chat_messages"), list)


def read_chatgpt(conversations: list[Any], content: ForeignContent) -> None:
    for each in conversations:
        if not is_chatgpt(each):
            content.leave_out("conversations without messages")
            continue
        turns = tuple(_chatgpt_turns(each, content))
        name, title = each.get("conversation_id") or each.get("id"), str(each.get("title") or "")
        _add(content, CHATGPT, name, turns, title=title)


def _chatgpt_turns(conversation: Json, content: ForeignContent) -> Iterator[Utterance]:
    mapping = cast(Json, conversation["mapping"])
    path = _path(mapping, str(conversation.get("current_node") or ""))
    if path is None:
        content.leave_out(f"conversations whose messages run in a circle (“{str(conversation.get('title'))[:60]}”)")
        return
    beside = sum(1 for name in mapping.keys() - set(path) if _chatgpt_text(_message(mapping[name]), ForeignContent("")))
    if beside:
        content.leave_out("messages of branches that were left", beside)
    for name in path:
        message = _message(mapping.get(name))
        text = _chatgpt_text(message, content)
        if text:
            speaker = _SPEAKERS[str(_dict(message.get("author")).get("role"))]
            at = read_time(message.get("create_time"))
            yield Utterance(speaker=speaker, text=text, at=at, id=str(message.get("id") or name))


def _path(mapping: Json, last: str) -> list[str] | None:
    """From the first message to the one that was read last, or else to the newest end; None where it is a circle."""
    if last not in mapping:
        parents = {str(_dict(node).get("parent")) for node in mapping.values()}
        ends = [name for name in mapping if name not in parents]
        last = max(ends, key=lambda name: _moment(mapping[name]), default="")
        if not last:
            return None if mapping else []
    path: list[str] = []
    seen: set[str] = set()
    while last in mapping:
        if last in seen:
            return None
        seen.add(last)
        path.append(last)
        last = str(_dict(mapping[last]).get("parent"))
    return path[::-1]


def _moment(node: Any) -> int:
    return read_time(_message(node).get("create_time")) or 0


def _message(node: Any) -> Json:
    return _dict(_dict(node).get("message"))


def _chatgpt_text(message: Json, content: ForeignContent) -> str:
    role = str(_dict(message.get("author")).get("role"))
    said = _dict(message.get("content"))
    kind = str(said.get("content_type"))
    if (
        not message
        or role not in _SPEAKERS
        or _dict(message.get("metadata")).get("is_visually_hidden_from_conversation")
    ):
        return ""
    if kind not in _SAID or message.get("recipient") not in (None, "all"):
        content.leave_out(f"messages of type {kind}" if kind not in _SAID else "messages to tools")
        return ""
    parts = said.get("parts")
    texts: list[str] = []
    for part in cast(list[Any], parts) if isinstance(parts, list) else []:
        text = part if isinstance(part, str) else _dict(part).get("text")
        if isinstance(text, str):
            texts.append(text)
        else:
            content.leave_out("pictures, sound and files in messages")
    return joined(texts)


def read_claude(conversations: list[Any], content: ForeignContent) -> None:
    for each in conversations:
        if not is_claude(each):
            content.leave_out("conversations without messages")
            continue
        turns = tuple(_claude_turns(each, content))
        _add(content, CLAUDE, each.get("uuid"), turns, title=str(each.get("name") or ""))


def _claude_turns(conversation: Json, content: ForeignContent) -> Iterator[Utterance]:
    for message in map(_dict, conversation["chat_messages"]):
        blocks = message.get("content")
        texts: list[str] = []
        for block in map(_dict, cast(list[Any], blocks) if isinstance(blocks, list) else []):
            if block.get("type") == "text":
                texts.append(str(block.get("text") or ""))
            else:
                content.leave_out(f"blocks of type {block.get('type')}")
        files = [*_list(message.get("attachments")), *_list(message.get("files"))]
        if files:
            content.leave_out("attached files", len(files))
        text = joined(texts) or str(message.get("text") or "").strip()
        speaker = _SPEAKERS.get(str(message.get("sender")), "")
        if text and speaker:
            at = read_time(message.get("created_at"))
            yield Utterance(speaker=speaker, text=text, at=at, id=str(message.get("uuid") or ""))


def _add(content: ForeignContent, client: str, name: object, turns: tuple[Utterance, ...], *, title: str) -> None:
    if turns:
        session = name_of(name, turns[0].text)
        content.conversations.append(KeepConversation(client=client, session=session, title=title, turns=turns))
    else:
        content.leave_out("conversations in which nothing was said")


def _dict(value: Any) -> Json:
    return cast(Json, value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []

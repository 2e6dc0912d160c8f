"""Transcripts of Gemini CLI: a record of the session, then one for each message; some change or take back others.

A message may come again under its id, with more in it; `$set` may name all messages anew, `$rewindTo` takes back one
and what came after it. Until 2026 the whole session was one document.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from memotheca.admin.imports.agent_transcripts import INSERTED, SIDE, THOUGHTS, TOOL_CALLS, read_objects
from memotheca.admin.imports.foreign_content import ForeignContent, joined, name_of, read_time
from memotheca.conversations.keep import KeepConversation
from memotheca.conversations.turns import Utterance

GEMINI = "gemini"
_SPEAKERS = {"user": "user", "gemini": "assistant"}
# What the client puts into a person's words: what hooks told it, and what it tells of the folder it works in.
_ADDED = re.compile(r"<(hook_context|session_context)>.*?(?:</\1>|\Z)", re.DOTALL)


def is_gemini(value: Any) -> bool:
    """Whether an object begins a session, or is a whole one."""
    return isinstance(value, dict) and "sessionId" in value and "projectHash" in value


def read_gemini(lines: Iterable[str], *, is_strict: bool = True) -> ForeignContent:
    """What was said in a session and not taken back."""
    gathered = ForeignContent(GEMINI)
    session: dict[str, Any] = {}
    messages: dict[str, dict[str, Any]] = {}
    for record in read_objects(_as_lines(lines), gathered, is_strict=is_strict):
        changed = cast(dict[str, Any], record["$set"]) if isinstance(record.get("$set"), dict) else record
        if isinstance(record.get("$rewindTo"), str):
            _rewind(messages, record["$rewindTo"])
        elif isinstance(record.get("id"), str):
            messages[record["id"]] = record
        else:
            session |= {name: value for name, value in changed.items() if name != "messages"}
            if isinstance(changed.get("messages"), list):
                messages = {str(each["id"]): each for each in _objects(changed["messages"]) if "id" in each}
    turns = list(_turns(messages.values(), gathered))
    if session.get("kind") == "subagent":
        gathered.leave_out(SIDE, len(turns))
        return gathered
    if turns:
        name = name_of(session.get("sessionId"), turns[0].text)
        title = str(session.get("summary") or "")
        gathered.conversations.append(KeepConversation(client=GEMINI, session=name, title=title, turns=tuple(turns)))
    return gathered


def _as_lines(lines: Iterable[str]) -> Iterator[str]:
    """A document that is spread over lines as one; what begins with a whole object is lines already."""
    rest = iter(lines)
    for first in rest:
        if first.strip() == "{":
            yield "".join((first, *rest))
            return
        yield first


def _rewind(messages: dict[str, dict[str, Any]], id: str) -> None:
    if id in messages:
        names = list(messages)
        for name in names[names.index(id) :]:
            del messages[name]


def _turns(messages: Iterable[dict[str, Any]], gathered: ForeignContent) -> Iterator[Utterance]:
    for message in messages:
        speaker = _SPEAKERS.get(str(message.get("type")))
        if speaker is None:
            gathered.leave_out(INSERTED)
            continue
        for kind, what in (("toolCalls", TOOL_CALLS), ("thoughts", THOUGHTS)):
            if held := _objects(message.get(kind)):
                gathered.leave_out(what, len(held))
        shown = message.get("displayContent") or message.get("content")
        text = _ADDED.sub("", _text(shown)).strip()
        if text:
            at = read_time(message.get("timestamp"))
            yield Utterance(speaker=speaker, text=text, at=at, id=str(message["id"]))
        else:
            gathered.leave_out(INSERTED)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return joined(str(part.get("text") or "") for part in _objects(content) if not part.get("thought"))


def _objects(value: Any) -> list[dict[str, Any]]:
    listed = cast(list[Any], value) if isinstance(value, list) else [value]
    return [cast(dict[str, Any], each) for each in listed if isinstance(each, dict)]

"""The transcripts of agents are read as conversations: what people and agents said, and what was stored from it."""

import json
from dataclasses import replace

import pytest

from memotheca.admin.imports.agent_transcripts import read_claude_code, read_codex
from memotheca.admin.imports.foreign_content import BrokenFile
from memotheca.conversations.keep import keep_conversation
from memotheca.model.clock import from_iso


def claude_lines():
    def line(type, content, id, **more):
        said = {"type": type, "uuid": id, "sessionId": "s-1", "cwd": "/home/ada/engine"}
        said |= {"timestamp": f"2026-02-01T10:00:0{id[-1]}.000Z", "message": {"role": type, "content": content}}
        return json.dumps({**said, **more})

    tool = {"type": "tool_use", "id": "t1", "name": "mcp__memotheca__store", "input": {"topic": "port"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": '{"id": "e-1"}'}]}
    return [
        json.dumps({"type": "summary", "summary": "The port of the engine", "leafUuid": "m3"}),
        json.dumps({"type": "file-history-snapshot", "messageId": "m1"}),
        line("user", "<command-name>/clear</command-name>", "m0"),
        line("user", "Remember that the engine listens on 8123.", "m1"),
        line("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I will."}, tool], "m2"),
        line("user", [result], "m3"),
        line("assistant", [{"type": "text", "text": "Done."}], "m4"),
        line("assistant", [{"type": "text", "text": "from a sub-agent"}], "m5", isSidechain=True),
        line("user", "meta", "m6", isMeta=True),
    ]


def test_a_transcript_of_claude_code_is_what_was_said():
    gathered = read_claude_code(claude_lines())
    (talk,) = gathered.conversations
    assert (talk.client, talk.session, talk.title, talk.project) == (
        "claude-code",
        "s-1",
        "The port of the engine",
        "engine",
    )
    assert [(turn.speaker, turn.text, turn.id) for turn in talk.turns] == [
        ("user", "Remember that the engine listens on 8123.", "m1"),
        ("assistant", "I will.", "m2"),
        ("assistant", "Done.", "m4"),
    ]
    assert talk.turns[0].at == from_iso("2026-02-01T10:00:01Z")
    assert talk.turns[0].stored == ("e-1",)
    assert gathered.left_out["thoughts"] == 1
    assert gathered.left_out["lines of sub-agents"] == 1


def test_kept_while_it_grows_it_is_kept_once_and_linked_to_what_was_stored(agent):
    fact = agent.store("engine", "It listens on 8123.")
    assert fact == "e-1"
    lines = claude_lines()
    (begun,) = read_claude_code(lines[:5]).conversations
    assert keep_conversation(agent.kernel, begun, actor="hook").added == 2
    (whole,) = read_claude_code(lines).conversations
    kept = keep_conversation(agent.kernel, whole, actor="hook")
    assert (kept.added, kept.known, kept.linked) == (1, 2, 1)


def codex_lines():
    def message(role, text):
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    meta = {"id": "c-9", "cwd": "C:\\work\\engine", "cli_version": "0.65.0"}
    call = {"type": "function_call", "name": "memotheca__store", "call_id": "k", "arguments": "{}"}
    payloads = [
        message("developer", "be brief"),
        message("user", "<environment_context>…</environment_context>"),
        message("user", "what is 2+2?"),
        {"type": "reasoning", "summary": []},
        call,
        {"type": "function_call_output", "call_id": "k", "output": "e-7"},
        message("assistant", "4"),
    ]
    at = "2026-02-01T10:00:00.000Z"
    return [
        json.dumps({"timestamp": at, "type": "session_meta", "payload": meta}),
        json.dumps({"timestamp": at, "type": "turn_context", "payload": {"model": "m"}}),
        *(json.dumps({"timestamp": at, "type": "response_item", "payload": each}) for each in payloads),
        json.dumps({"timestamp": at, "type": "event_msg", "payload": {"type": "agent_message", "message": "4"}}),
    ]


def test_a_rollout_of_codex_is_what_was_said():
    (talk,) = read_codex(codex_lines()).conversations
    assert (talk.client, talk.session, talk.project) == ("codex", "c-9", "engine")
    assert [(turn.speaker, turn.text, turn.stored) for turn in talk.turns] == [
        ("user", "what is 2+2?", ("e-7",)),
        ("assistant", "4", ()),
    ]


def test_an_older_rollout_without_payloads_is_read_too():
    lines = [json.dumps({"id": "old", "timestamp": "2025-06-01T00:00:00Z"})]
    lines += [json.dumps(json.loads(line)["payload"]) for line in codex_lines()[2:-1]]
    (talk,) = read_codex(lines).conversations
    assert (talk.session, [turn.text for turn in talk.turns]) == ("old", ["what is 2+2?", "4"])


def test_a_line_that_is_being_written_is_left_and_a_broken_one_named():
    lines = claude_lines()
    cut = [*lines, '{"type":"assistant","mess']
    gathered = read_claude_code(cut)
    assert len(gathered.conversations[0].turns) == 3
    assert gathered.left_out["lines that are not whole"] == 1
    with pytest.raises(BrokenFile, match="line 5"):
        read_claude_code([*lines[:4], "{", *lines[4:]])
    assert len(read_claude_code([*lines[:4], "{", *lines[4:]], is_strict=False).conversations[0].turns) == 3


def test_nothing_said_is_no_conversation():
    assert read_claude_code([]).conversations == []
    assert read_codex(["", '{"type":"session_meta","payload":{"id":"x"}}']).conversations == []


def test_odd_lines_are_no_trouble():
    deep = "[" * 100_000
    message = {"type": "user", "message": {"content": [None, 3, {"type": "image"}, {"text": 1}]}, "timestamp": "never"}
    odd = [json.dumps(message), json.dumps({"type": "user", "message": None}), "7", deep]
    assert read_claude_code(odd, is_strict=False).conversations == []
    (talk,) = read_claude_code(
        [json.dumps({**message, "message": {"content": "hi"}, "timestamp": 1e300})]
    ).conversations
    assert talk.turns[0].at is None
    assert replace(talk.turns[0], at=None).text == "hi"

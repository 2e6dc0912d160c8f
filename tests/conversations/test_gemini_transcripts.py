"""Transcripts of Gemini CLI are read as what was said and not taken back."""

import json

import pytest

from memotheca.admin.imports.gemini_transcripts import read_gemini
from memotheca.model.clock import from_iso

SESSION = {"sessionId": "g-1", "projectHash": "abc", "startTime": "2026-11-18T10:00:00Z", "kind": "main"}


def message(id, type, content, **more):
    return {"id": id, "timestamp": "2026-11-18T10:00:01Z", "type": type, "content": content, **more}


MESSAGES = [
    message("m1", "user", [{"text": "Where is the port?"}, {"text": "<hook_context>told</hook_context>"}]),
    message("m2", "gemini", "Let me"),
    {"$set": {"lastUpdated": "2026-11-18T10:00:02Z"}},
    message("m2", "gemini", "Let me see: 8123.", thoughts=[{"subject": "x"}], toolCalls=[{"name": "grep"}]),
    message("m3", "info", "Update available"),
    message("m4", "user", "wrong"),
    message("m5", "gemini", "wrong too"),
    {"$rewindTo": "m4"},
    message("m6", "user", "<session_context>the folder</session_context>"),
]


def lines(records):
    return [json.dumps(record) for record in records]


def test_what_was_said_is_read_as_it_was_last_and_what_was_taken_back_is_not():
    gathered = read_gemini(lines([SESSION, *MESSAGES]))
    (talk,) = gathered.conversations
    assert (talk.client, talk.session) == ("gemini", "g-1")
    assert [(turn.speaker, turn.text, turn.id) for turn in talk.turns] == [
        ("user", "Where is the port?", "m1"),
        ("assistant", "Let me see: 8123.", "m2"),
    ]
    assert talk.turns[0].at == from_iso("2026-11-18T10:00:01Z")
    assert (gathered.left_out["thoughts"], gathered.left_out["tool calls and their results"]) == (1, 1)


def test_all_messages_may_be_named_anew_and_a_sub_agent_is_nobody():
    anew = {"$set": {"messages": [message("n1", "user", "only this")]}}
    (talk,) = read_gemini(lines([SESSION, *MESSAGES, anew])).conversations
    assert [turn.text for turn in talk.turns] == ["only this"]
    assert read_gemini(lines([{**SESSION, "kind": "subagent"}, *MESSAGES])).conversations == []


@pytest.mark.parametrize("indent", [None, 2])
def test_a_session_may_be_one_document(run, tmp_path, indent):
    path = tmp_path / "session-1.json"
    path.write_text(
        json.dumps({**SESSION, "summary": "The port", "messages": [MESSAGES[0], MESSAGES[3]]}, indent=indent)
    )
    code, out, err = run("import", path)
    assert code == 0, err
    assert "gemini: 1 conversation with 2 new turns" in " ".join(out.split())
    assert run("show", "c-1")[1].startswith("The port")
    assert "nothing new" in run("import", path)[1]


def test_lines_are_known_by_what_is_in_them_and_a_half_written_end_is_none(run, tmp_path):
    path = tmp_path / "session-1.jsonl"
    path.write_text("\n".join([*lines([SESSION, *MESSAGES]), '{"id": "m7", "ty']))
    assert "2 new turns" in " ".join(run("import", path)[1].split())


def test_odd_members_are_passed_over():
    odd = [{"id": "x"}, {"id": "y", "type": "user", "content": {"text": 7}}, {"$set": 7}, {"$rewindTo": "nobody"}]
    assert read_gemini(lines([SESSION, *odd])).conversations[0].turns[0].text == "7"

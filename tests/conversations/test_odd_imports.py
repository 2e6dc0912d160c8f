"""What is odd in files of other programs: halves of letters, and things without a name."""

import json
from typing import Any

import pytest

from tests.conversations.test_import_formats import GRAPH, account, claude


def test_halves_of_letters_are_left_out_of_lines_too(run, tmp_path):
    for name, content in {
        "graph.json": GRAPH,
        "corpus.jsonl": b'{"_id": "a", "text": "Half \\udfffa letter"}\n',
    }.items():
        (tmp_path / name).write_bytes(content)
        account(run, tmp_path / name)
    assert run("search", "letter")[1].count("Half a letter") == 2


@pytest.mark.parametrize("nameless", [None, "", "\x00", {"a": 1}])
def test_what_has_no_name_there_is_known_again_by_what_it_says(run, tmp_path, nameless):
    file = tmp_path / "conversations.json"
    said: Any = {"uuid": "1", "sender": "human", "text": "Which bus?"}
    other = claude(uuid=nameless, chat_messages=[said])
    file.write_text(json.dumps([claude(uuid=nameless)]))
    assert account(run, file)["conversations"] == 1
    file.write_text(json.dumps([other, claude(uuid=nameless)]))
    told = account(run, file)
    assert (told["conversations"], told["known"]) == (1, 2)

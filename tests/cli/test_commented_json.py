"""Settings that people have commented are added to and taken from without touching what they wrote."""

import json
import re

import pytest

from memotheca.cli.commented_json import read_commented, with_member, without_member

ZED = """// Settings of Zed, see "https://zed.dev/docs"
{
  "theme": "One", // mine
  /* the "servers", all of them */
  "context_servers": { // here
    // the other
    "other": {"command": "x", "args": ["// no comment", "/* nor */", ",]"],},
  },
}
"""
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
PATH = ("context_servers", "memotheca")


@pytest.mark.parametrize(
    "text",
    [
        ZED,
        ZED.replace("    ", "\t\t").replace("  ", "\t"),
        "// none yet\n{}",
        "{ /* none\n yet */ }",
        "{\n  // none yet\n}\n",
        '{"context_servers": {}, /* all */}',
        '{"context_servers": {"other": 1,}}',
        '{ // first\n  "a": 1,\n  "context_servers": { // first\n  }\n}',
    ],
)
def test_what_is_put_there_is_read_and_taken_out_and_all_else_stays(text):
    before = read_commented(text)
    put = with_member(text, PATH, {"command": "m"}, "  ")
    after = read_commented(put)
    assert after.pop("context_servers")["memotheca"] == {"command": "m"}
    assert after == {name: value for name, value in before.items() if name != "context_servers"}
    again = with_member(put, PATH, {"command": "n"}, "  ")
    assert again == put.replace('"command": "m"', '"command": "n"')
    taken = without_member(again, PATH)
    assert read_commented(taken) == {**before, "context_servers": before.get("context_servers", {})}
    assert COMMENT.findall(taken) == COMMENT.findall(text)


def test_a_last_member_goes_with_the_comma_before_it():
    text = '{"servers": {"a": 1, // one\n "memotheca": {} // two\n}, // three\n}'
    taken = without_member(text, ("servers", "memotheca"))
    assert read_commented(taken) == {"servers": {"a": 1}}
    assert json.loads(without_member('{"s": {"memotheca": 1}}', ("s", "memotheca"))) == {"s": {}}


def test_a_client_is_connected_checked_and_disconnected_in_commented_settings(run, tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(ZED)
    assert run("connect", "zed", "--write", "--file", file)[0] == 0
    assert read_commented(file.read_text())["context_servers"]["memotheca"]["args"][0] == "serve"
    assert run("connect", "zed", "--write", "--file", file)[1].count("nothing was changed") == 1
    assert run("connect", "zed", "--remove", "--file", file)[0] == 0
    assert file.read_text() == ZED
    file.write_text('{"context_servers": {"memotheca": {"command": "echo", "args": ["hello"]}}} // odd')
    assert "did not answer" in run("connect", "zed", "--check", "--file", file)[2]
    file.write_text("{")
    assert "nothing was changed" in run("connect", "zed", "--remove", "--file", file)[2]


@pytest.mark.parametrize(
    "text", ["{} /* never closed", "{} /*/", '{"name": "never closed}', '{"a": "/* b", "c": /* d}']
)
def test_what_is_never_closed_is_no_settings(text):
    with pytest.raises(json.JSONDecodeError):
        read_commented(text)

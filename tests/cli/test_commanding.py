"""What a person types: options anywhere, help for everything, arguments without JSON, and completion."""

import json
import shutil
import subprocess

import pytest

from memotheca import __version__
from memotheca.cli.main import COMMANDS


def test_options_of_every_command_may_stand_before_it(run, tmp_path):
    for name in ("other", "last"):
        assert run("call", "store", "topic=tea", "content=black", "--data", tmp_path / name)[0] == 0
    for before in (("--data", tmp_path / "other"), (f"--data={tmp_path / 'other'}",)):
        code, out, err = run(*before, "--json", "--collection", "team", "status")
        assert code == 0, err
        found = json.loads(out)
        assert (found["data"], found["collection"]) == (str(tmp_path / "other"), "team")
    assert json.loads(run("--data", tmp_path / "other", "status", "--data", tmp_path / "last", "--json")[1])[
        "data"
    ] == str(tmp_path / "last")
    assert run("--nonsense", "status")[0] == 2
    assert run("--data")[0] == 0


def test_other_options_may_stand_before_the_command_too(run, tmp_path):
    code, out, err = run("--read-only", "--write", "connect", "cursor")
    assert (code, "Wrote" in out) == (0, True), err
    assert run("--data", tmp_path / "x", "--limit", "3", "--json", "history", "--data", tmp_path / "y")[0] == 1
    code, _, err = run("--jsno", "status")
    assert (code, "unrecognized arguments: --jsno. Did you mean --json?" in " ".join(err.split())) == (2, True)


@pytest.mark.parametrize(
    "typed",
    [
        ("connect", "curser"),
        ("search",),
        ("history", "--limit", "x"),
        ("status", "--nonsense"),
        ("serach",),
        ("undo", "3"),
    ],
)
def test_a_script_is_told_in_json_what_was_not_understood(run, typed):
    for spelled in ((*typed, "--json"), ("--json", *typed)):
        code, out, err = run(*spelled)
        error = json.loads(out)["error"]
        assert (code, err, error["code"]) == (2, "", "invalid"), error
        assert error["message"]
    assert json.loads(run("version", "--json")[1]) == {"version": __version__}


def test_help_and_version_are_commands_too(run):
    assert run("help")[1] == run("--help")[1]
    for name in COMMANDS:
        assert run("help", name) == run(name, "--help")
    assert run("version")[1] == f"memotheca {__version__}\n" == run("--version")[1]


def test_a_misspelled_command_is_answered_with_the_one_that_was_meant(run):
    for typed, meant in (("serach", "search"), ("colections", "collections")):
        code, _, err = run(typed)
        assert (code, f"Did you mean {meant}?" in err) == (2, True)
    assert "memotheca help lists them" in run("xyzzy")[2]
    assert "Did you mean search?" in run("help", "serach")[2]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("connect", "curser"), "cursor"),
        (("search", "tea", "--limt", "3"), "--limit"),
        (("status", "--log-level", "debgu"), "debug"),
        (("token", "ad", "ada"), "add"),
    ],
)
def test_a_misspelled_option_or_choice_is_answered_with_the_one_that_was_meant(run, typed, meant):
    code, _, err = run(*typed)
    assert (code, f"Did you mean {meant}?" in " ".join(err.split())) == (2, True)


def test_arguments_of_a_tool_need_no_json(run):
    code, out, err = run("call", "store", "topic=tea", "content=a=b", "tags=people", "confidence=0.5", "--json")
    assert code == 0, err
    stored = json.loads(out)
    assert (stored["topic"], stored["content"], stored["tags"], stored["confidence"]) == ("tea", "a=b", ["people"], 0.5)
    code, out, err = run("call", "store", "topic=2", "content=true", 'tags=["x", "y"]', "--json")
    assert code == 0, err
    assert (json.loads(out)["topic"], json.loads(out)["content"], json.loads(out)["tags"]) == ("2", "true", ["x", "y"])
    assert len(json.loads(run("call", "query", "content=tea", "limit=1", "--json")[1])["items"]) == 1
    assert run("call", "query", "limit=many")[0] == 1
    assert run("call", "query", "limit=1", "{}")[0] == 2
    assert run("call", "query", "nonsense")[0] == 2


def test_an_answer_is_printed_once(run):
    _, out, _ = run("call", "store", "topic=tea", "content=xyzzy")
    assert out.count("xyzzy") == 1
    _, out, _ = run("call", "search_patterns", "q=circuit breaker")
    assert out.count("circuit-breaker:") <= 1
    assert not out.lstrip().startswith("{")
    _, out, _ = run("call", "knowledge-show")
    assert out.count('"documents"') <= 1


def test_completion_knows_every_command_and_option(run, tmp_path):
    words = json.loads(run("completion", "bash", "--json")[1])
    assert set(words) == set(COMMANDS)
    assert "--vault" in words["connect"]
    assert "cursor" in words["connect"]
    for shell in ("bash", "zsh", "fish"):
        code, out, _ = run("completion", shell)
        assert code == 0
        for name in COMMANDS:
            assert name in out
        if shutil.which(shell):
            script = tmp_path / shell
            script.write_text(out)
            subprocess.run([shell, "-n", str(script)], check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(run, tmp_path):
    script = tmp_path / "completion"
    script.write_text(run("completion", "bash")[1])

    def complete(*words):
        listed = " ".join(f"'{word}'" for word in words)
        asked = (
            f"source {script}; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _memotheca; echo ${{COMPREPLY[@]}}"
        )
        return subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout.split()

    assert complete("memotheca", "coll") == ["collections"]
    assert complete("memotheca", "connect", "cu") == ["cursor"]
    assert complete("memotheca", "search", "--as-of-") == ["--as-of-tx"]


def test_options_may_stand_between_arguments_and_a_question_without_quotes(run):
    assert run("remember", "Ada", "takes", "--tag", "tea", "it", "black")[0] == 0
    code, out, _ = run("search", "what", "does", "--limit", "3", "Ada", "take")
    assert (code, "Ada takes it black" in out) == (0, True)
    called = ("call", "store_memory", "--toolsets", "memory", "content=Ada likes rye.", "rationale=She said so today.")
    assert run(*called)[0] == 0


def test_a_tool_that_is_not_shown_is_told_with_its_toolset_and_a_misspelled_one_with_what_was_meant(run):
    for _ in range(2):
        code, _, err = run("call", "store_memory", "content=x")
        assert (code, "add --toolsets memories" in err) == (2, True)
        assert "Did you mean query?" in run("call", "querry")[2]
        assert "memotheca call --list" in run("call", "xyzzy")[2]
        assert run("remember", "Ada takes it black.")[0] == 0


def test_somebody_new_is_told_how_to_begin(run, monkeypatch):
    monkeypatch.delenv("MEMOTHECA_DATA")
    for command in (("history",), ("search", "tea"), ("status",), ("undo",)):
        code, _, err = run(*command)
        assert (code, "memotheca remember" in err, "memotheca connect" in err) == (1, True, True), command
    assert "--data" in run("history", "--data", "/nowhere/at/all")[2]


def test_connect_without_a_client_names_them(run):
    code, _, err = run("connect")
    assert code == 2
    assert all(client in err for client in ("claude-code", "codex", "zed"))

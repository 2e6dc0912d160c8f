"""Telling a client about Memotheca: what is printed works when it is pasted, and what is written harms nothing."""

import json
import os
import shlex
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.patience import PATIENCE

CLIENTS = (
    "claude-code",
    "claude-desktop",
    "cline",
    "codex",
    "cursor",
    "gemini",
    "opencode",
    "vscode",
    "windsurf",
    "zed",
)
URL = "http://127.0.0.1:3000/mcp"


@pytest.fixture
def run(run, monkeypatch):
    """Nothing in the environment says where clients keep their files."""
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "APPDATA", "MEMOTHECA_TOKEN", "CLINE_MCP_SETTINGS_PATH"):
        monkeypatch.delenv(name, raising=False)
    return run


def shown(run, *arguments):
    code, out, err = run("connect", *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def server_in(content):
    """The one server in a configuration, however deep."""
    while "memotheca" not in content:
        (content,) = content.values()
    return content["memotheca"]


def words_of(server):
    command = server["command"]
    return command if isinstance(command, list) else [command, *server["args"]]


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_is_told_to_start_a_server_that_exists_on_the_same_data(run, tmp_path, client):
    words = words_of(server_in(shown(run, client)["content"]))
    assert words[1:] == ["serve", "--data", str(tmp_path / "data")]
    assert os.access(words[0], os.X_OK)


def test_a_database_is_passed_on_unless_the_directory_names_it_or_it_has_a_password(run, tmp_path, monkeypatch):
    address, secret = "postgresql://ada@db.example/team", "postgresql://ada:hunter2@db.example/team"
    words = words_of(server_in(shown(run, "cursor", "--database", address)["content"]))
    assert words[1:] == ["serve", "--data", str(tmp_path / "data"), "--database", address]
    hooked = run("connect", "claude-code", "--hooks", "--database", address)[1]
    assert f"hook --data {tmp_path / 'data'} --database {address}" in hooked
    monkeypatch.setenv("MEMOTHECA_DATABASE", secret)
    for more in ((), ("--write",), ("--hooks", "--url", URL)):
        code, out, err = run("connect", "claude-code", *more)
        assert code == 2
        assert "hunter2" not in out + err
        assert "memotheca.toml" in err
    assert run("connect", "claude-code", "--url", URL)[0] == 0
    assert "--database would not reach it" in run("connect", "cursor", "--url", URL, "--database", address)[2]
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "memotheca.toml").write_text(f'database = "{secret}"')
    words = words_of(server_in(shown(run, "cursor")["content"]))
    assert words[1:] == ["serve", "--data", str(tmp_path / "data")]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_chosen_here_is_passed_to_the_server(run, tmp_path, monkeypatch, client):
    (tmp_path / "my notes").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMOTHECA_ROOTS", "files")
    chosen = ("--vault", "my notes", "--toolsets", "entries,memories", "--read-only", "--collection", "team")
    words = words_of(server_in(shown(run, client, *chosen, "--data", "here")["content"]))
    assert words[1:] == [
        "serve", "--data", str(tmp_path / "here"), "--collection", "team", "--toolsets", "entries,memories",
        "--read-only", "--vault", str(tmp_path / "my notes"), "--roots", str(tmp_path / "files"),
    ]  # fmt: skip


def test_what_no_server_would_take_is_refused(run, tmp_path):
    assert run("connect", "cursor", "--vault", tmp_path / "nowhere")[0] == 2
    assert run("connect", "cursor", "--toolsets", "nonsense")[0] == 2
    assert run("connect", "nonsense")[0] == 2


def test_what_would_not_be_heeded_is_refused(run, tmp_path):
    file = tmp_path / "mcp.json"
    for given in (
        ("--url", URL, "--vault", tmp_path),
        ("--url", URL, "--toolsets", "memory"),
        ("--url", URL, "--read-only"),
        ("--url", URL, "--collection", "team"),
        ("--url", "127.0.0.1:3000"),
        ("--url", "http:///mcp"),
        ("--url", "http://[::1/mcp"),
        ("--token-file", file),
    ):
        code, _, err = run("connect", "cursor", "--write", "--file", file, *given)
        assert (code, "--" in err or "looks like http://" in err) == (2, True), (given, err)
        assert not file.exists()


def test_a_file_that_is_not_to_be_written_is_left_alone(run, tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    file.chmod(0o400)
    code, _, err = run("connect", "cursor", "--write", "--file", file)
    assert (code, "is read-only" in err, file.read_text()) == (2, True, "{}")
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize("client", ["cursor", "codex", "zed"])
def test_marks_and_ends_of_lines_of_windows_stay(run, tmp_path, client):
    file = tmp_path / "settings"
    text = {"cursor": '{\n  "a": 1\n}\n', "codex": 'a = 1\n\n[b]\nc = """\nd"""\n', "zed": '{\n  "a": 1, // x\n}\n'}[
        client
    ]
    old = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    file.write_bytes(old)
    assert run("connect", client, "--write", "--file", file)[0] == 0
    written = file.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    assert written.count(b"\n") == written.count(b"\r\n") > 5
    assert "already" in run("connect", client, "--write", "--file", file)[1]
    assert run("connect", client, "--remove", "--file", file)[0] == 0
    left = file.read_bytes()
    assert old.strip() in left if client == "codex" else b'"a": 1' in left
    assert (b"memotheca" in left, left.count(b"\n") == left.count(b"\r\n")) == (False, True)


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "codex"])
def test_a_configuration_is_written_where_the_client_looks_and_all_else_stays(run, tmp_path, client):
    told = shown(run, client)
    file = Path(told["file"])
    assert tmp_path / "home" in file.parents
    assert run("connect", client, "--write")[0] == 0
    assert json.loads(file.read_text()) == told["content"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (key,) = told["content"]
    file.write_text(json.dumps({"other": 1, key: {"x": {}}}, indent=4))
    assert run("connect", client, "--write")[0] == 0
    written = json.loads(file.read_text())
    assert written["other"] == 1
    assert written[key]["x"] == {}
    assert server_in({key: {name: each for name, each in written[key].items() if name != "x"}})
    assert '\n    "other": 1' in file.read_text()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_written_file_keeps_its_mode_and_so_does_its_copy(run, tmp_path, mode):
    file = tmp_path / "config.json"
    file.write_text('{"key": "secret"}')
    file.chmod(mode)
    assert run("connect", "claude-code", "--write", "--file", file)[0] == 0
    for each in (file, tmp_path / "config.json.bak"):
        assert stat.S_IMODE(each.stat().st_mode) == mode


def test_a_linked_file_stays_a_link_and_its_target_is_written(run, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles" / "claude.json"
    target.write_text("{}")
    link = tmp_path / ".claude.json"
    link.symlink_to("dotfiles/claude.json")
    assert run("connect", "claude-code", "--write", "--file", link)[0] == 0
    assert link.is_symlink()
    assert "memotheca" in json.loads(target.read_text())["mcpServers"]


def test_no_earlier_copy_is_ever_overwritten_and_no_change_makes_none(run, tmp_path):
    file = tmp_path / "config.json"
    file.write_text('{"first": true}')
    for folder in ("one", "two", "three"):
        assert run("connect", "cursor", "--write", "--file", file, "--data", tmp_path / folder)[0] == 0
    code, out, _ = run("connect", "cursor", "--write", "--file", file, "--data", tmp_path / "three")
    assert (code, "already" in out) == (0, True)
    kept = sorted(tmp_path.glob("config.json.*"))
    assert [path.name for path in kept] == ["config.json.bak", "config.json.bak.2", "config.json.bak.3"]
    assert [json.loads(path.read_text()).get("mcpServers", {}) != {} for path in kept] == [False, True, True]
    assert not list(tmp_path.glob(".config*"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{ /* a\n */ "mcpServers": {} /* b', "is no JSON"),
        ("{broken", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[1]", "has something else where servers are named"),
        ('{"mcpServers": []}', "has something else where servers are named"),
    ],
    ids=["open comment", "broken", "deep", "a list", "a list of servers"],
)
def test_a_file_that_cannot_be_added_to_is_left_alone(run, tmp_path, text, reason):
    file = tmp_path / "config.json"
    file.write_text(text)
    code, _, err = run("connect", "cursor", "--write", "--file", file)
    assert (code, "left alone" in err, reason in err, file.read_text()) == (2, True, True, text)
    assert list(tmp_path.glob("*.bak")) == []


def test_a_table_is_added_to_toml_without_touching_a_line_of_it(run, tmp_path):
    file = tmp_path / "config.toml"
    before = '# mine\nmodel = "o3"  # the best\n\n[mcp_servers.other]\ncommand = "x"\n'
    file.write_text(before)
    assert run("connect", "codex", "--write", "--file", file, "--data", tmp_path / 'a "b" \\c')[0] == 0
    assert file.read_text().startswith(before)
    servers = tomllib.loads(file.read_text())["mcp_servers"]
    assert servers["other"] == {"command": "x"}
    assert servers["memotheca"]["args"] == ["serve", "--data", str(tmp_path / 'a "b" \\c')]
    after = file.read_text()
    assert run("connect", "codex", "--write", "--file", file, "--data", tmp_path / 'a "b" \\c')[0] == 0
    assert file.read_text() == after


def test_connected_once_more_it_is_named_as_it_is_wanted_now_and_every_other_line_stays(run, tmp_path):
    file = tmp_path / "config.toml"
    above, below = '# mine\nmodel = "o3"\n\n', '\n# the other\n[mcp_servers.other]\ncommand = "x"\n'
    file.write_text(
        above + '[mcp_servers.memotheca]\n# old\ncommand = "old"\n\n[mcp_servers.memotheca.env]\na = "b"\n' + below
    )
    assert run("connect", "codex", "--write", "--file", file, "--data", tmp_path / "other")[0] == 0
    assert file.read_text().startswith(above + below)
    assert tomllib.loads(file.read_text())["mcp_servers"]["memotheca"]["args"][-1] == str(tmp_path / "other")
    assert '"old"' in file.with_name("config.toml.bak").read_text()
    assert run("connect", "codex", "--remove", "--file", file)[0] == 0
    assert file.read_text() == above + below


@pytest.mark.parametrize("text", ['mcp_servers = { x = { command = "y" } }\n', "[broken\n"])
def test_toml_that_cannot_be_added_to_is_left_alone(run, tmp_path, text):
    file = tmp_path / "config.toml"
    file.write_text(text)
    assert run("connect", "codex", "--write", "--file", file)[0] == 2
    assert file.read_text() == text


def test_servers_of_the_first_opencode_are_joined(run, tmp_path):
    file = tmp_path / "opencode.json"
    file.write_text('{"mcp": {"x": {"type": "local", "command": ["y"]}}}')
    assert run("connect", "opencode", "--write", "--file", file)[0] == 0
    assert set(json.loads(file.read_text())["mcp"]) == {"x", "memotheca"}


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_printed_command_survives_a_shell(run, tmp_path, client):
    data = tmp_path / "Application Support" / "it's $HOME"
    _, out, _ = run("connect", client, "--data", data)
    line = out.strip().splitlines()[-1]
    script = f'{client.split("-")[0]}() {{ printf "%s\\n" "$@"; }}; {line}'
    words = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
    assert words[-3:] == ["serve", "--data", str(data)]


def test_on_windows_commands_are_quoted_for_its_two_shells():
    from memotheca.views.shells import spell_command

    assert spell_command(["claude", "C:\\Program Files\\x", "--data", "C:\\me"], "win32") == [
        'claude "C:\\Program Files\\x" --data C:\\me'
    ]
    assert spell_command(["a", "C:\\My Data\\"], "win32") == [
        'a "C:\\My Data\\\\"    (cmd)',
        "a 'C:\\My Data\\'    (PowerShell)",
    ]
    assert spell_command(["a", "it's $5"], "win32") == ['a "it\'s $5"    (cmd)', "a 'it''s $5'    (PowerShell)"]


def test_claude_desktop_gets_no_address_that_its_cloud_cannot_reach(run):
    code, _, err = run("connect", "claude-desktop", "--url", URL)
    assert (code, "leave out --url" in err) == (1, True)


@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "claude-desktop"])
def test_a_token_is_sent_as_a_header_and_never_shown(run, tmp_path, monkeypatch, client):
    assert "earer" not in run("connect", client, "--url", URL)[1]
    monkeypatch.setenv("MEMOTHECA_TOKEN", "hidden-secret")
    code, out, _ = run("connect", client, "--url", URL)
    assert code == 0
    assert "earer" in out
    assert "hidden-secret" not in out
    file = tmp_path / "config"
    assert run("connect", client, "--url", URL, "--write", "--file", file)[0] == 0
    assert "Bearer hidden-secret" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_shell_puts_the_token_into_the_printed_command(run, tmp_path, monkeypatch):
    token = tmp_path / "the token"
    token.write_text("from-file\nmore\n")
    for given, environment, expected in (
        (("--token-file", str(token)), {}, "from-file"),
        ((), {"MEMOTHECA_TOKEN": "from-environment"}, "from-environment"),
    ):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        _, out, _ = run("connect", "claude-code", "--url", URL, *given)
        script = f'claude() {{ printf "%s\\n" "$@"; }}; {out.strip().splitlines()[-1]}'
        said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
        assert said[-2:] == ["--header", f"Authorization: Bearer {expected}"]


def announced(tmp_path, *arguments, **environment):
    """What a server over HTTP says when it starts."""
    home = {"HOME": str(tmp_path / "home"), "MEMOTHECA_DATA": str(tmp_path / "some data"), **environment}
    command = [sys.executable, "-m", "memotheca.cli.main", "serve", "--transport", "http", "--port", "0", *arguments]
    server = subprocess.Popen(command, env={**os.environ, **home}, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    lines = []
    try:
        for line in server.stdout:
            lines.append(line.rstrip("\n"))
            if "connect cline --url" in line:
                break
    finally:
        server.terminate()
        server.wait(PATIENCE)
        server.stdout.close()
    return lines


def test_a_server_says_where_its_data_is_and_how_each_client_is_told(tmp_path):
    lines = announced(tmp_path)
    assert f"Its data is in {tmp_path / 'some data'}" in lines
    said = "\n".join(lines)
    assert "connector" not in said
    assert "claude mcp add --transport http memotheca http://127.0.0.1:" in said
    desktop = shlex.split(next(line for line in lines if "connect claude-desktop" in line))
    assert desktop[-3:] == ["--data", str(tmp_path / "some data"), "--write"]
    assert os.access(desktop[0], os.X_OK)


def test_a_server_on_every_address_tells_one_that_answers_and_sends_the_token(tmp_path):
    lines = announced(tmp_path, "--host", "0.0.0.0", MEMOTHECA_TOKEN="hidden-secret")
    said = "\n".join(lines)
    assert "0.0.0.0" not in said
    assert "hidden-secret" not in said
    assert '--header "Authorization: Bearer $MEMOTHECA_TOKEN"' in said
    assert "--allowed-hosts NAME:" in said
    lines = announced(tmp_path, "--host", "0.0.0.0", "--allowed-hosts", "box:4000", MEMOTHECA_TOKEN="hidden-secret")
    assert "From other machines: http://box:4000/mcp" in lines


@pytest.mark.parametrize("place", ["file", "settings"])
def test_what_a_server_with_a_token_prints_leads_to_the_token(run, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "the token").write_text("hidden-secret\n")
    (tmp_path / "some data").mkdir()
    if place == "settings":
        (tmp_path / "some data" / "memotheca.toml").write_text('token = "hidden-secret"\n')
    lines = announced(tmp_path, *(("--token-file", "the token") if place == "file" else ()))
    monkeypatch.chdir("/")
    config = tmp_path / "config"
    words = shlex.split(next(line for line in lines if "connect cline" in line))[1:]
    assert run(*words, "--write", "--file", config)[0] == 0
    assert "Bearer hidden-secret" in config.read_text()
    # These clients read the token from a variable that nobody has set yet.
    assert {"  Codex (MEMOTHECA_TOKEN has to be set to the token)"} <= set(lines)
    assert any(line.startswith("  VS Code (MEMOTHECA_TOKEN") for line in lines)
    if place == "file":
        assert f"$(head -n 1 '{tmp_path / 'the token'}')" in "\n".join(lines)
        assert "  Claude Code" in lines


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_written_is_taken_out_again_and_all_else_stays(run, client):
    path = Path(shown(run, client)["file"])
    path.parent.mkdir(parents=True)
    before = (
        '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "o"\n'
        if path.suffix == ".toml"
        else '{\n  "mine": 1\n}\n'
    )
    path.write_text(before)
    assert run("connect", client, "--write")[0] == 0
    code, out, err = run("connect", client, "--remove")
    assert (code, err) == (0, "")
    assert "The file as it was is" in out
    assert "memotheca" not in path.read_text()
    left = tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_text())
    assert left.get("mine", left.get("model")) in (1, "x")
    assert path.suffix != ".toml" or path.read_text() == before
    assert "nothing was changed" in run("connect", client, "--remove")[1]


@pytest.mark.parametrize("client", ["codex", "opencode"])
def test_a_check_starts_what_the_configuration_names_and_says_what_it_sees(run, client):
    code, _, err = run("connect", client, "--check")
    assert code == 1
    assert f"connect {client} --write adds it" in err
    run("connect", client, "--write", "--toolsets", "memory")
    code, out, err = run("connect", client, "--check", "--json")
    assert code == 0, err
    seen = json.loads(out)
    assert (seen["name"], "store_memory" in seen["tools"], len(seen["tools"])) == ("memotheca", True, 9)


def test_a_check_says_what_is_wrong_with_a_server_that_does_not_start(run, tmp_path):
    path = tmp_path / "mcp.json"
    for command, words in (("/nowhere/memotheca", "cannot be started"), (sys.executable, "did not answer. It said")):
        server = {"command": command, "args": ["-c", "raise SystemExit('no')"]}
        path.write_text(json.dumps({"mcpServers": {"memotheca": server}}))
        code, _, err = run("connect", "cursor", "--check", "--file", path)
        assert (code, words in " ".join(err.split())) == (1, True), err
    path.write_text('{"mcpServers": {"memotheca": {"url": "http://127.0.0.1:9/mcp"}}}')
    assert "cannot be reached" in " ".join(run("connect", "cursor", "--check", "--file", path)[2].split())

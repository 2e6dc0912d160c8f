"""Every command on every console: in eighty columns, in an encoding of forty years ago, and with nonsense typed in."""

import contextlib
import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest

from memotheca.cli.bars import Bars
from memotheca.cli.layout import cut, sized, width_of, wrap
from memotheca.cli.main import COMMANDS, main
from memotheca.cli.terminal import progress
from memotheca.model.knowledge import counted

LONG = "Für die Kaffeepause 休憩時間 “quoted” ☕ — " + "donaudampfschifffahrtsgesellschaft " * 4
SEEN = (
    ("status",),
    ("collections",),
    ("history",),
    ("documents",),
    ("search", "Kaffeepause"),
    ("search", "Kaffeepause", "--explain"),
    ("search", "Kaffeepause", "--json"),
    ("show", "e-1"),
    ("show", "papers.txt"),
    ("show", "t-1", "--json"),
    ("graph", "index.md", "--depth", "2"),
    ("graph", "e-1"),
    ("graph", "Ada ☕"),
    ("graph", "Ada ☕", "--format", "mermaid"),
    ("graph", "Ada ☕", "--format", "dot"),
    ("memory",),
    ("vault",),
    ("patterns", "list"),
    ("patterns", "search", "retry"),
    ("doctor",),
    ("call", "--list"),
    ("call", "query", "content=Kaffeepause"),
    ("connect", "codex"),
    ("connect", "zed"),
    ("help",),
    *(("help", name) for name in COMMANDS),
)
NONSENSE = (
    ("rename", "☕", "tea"),
    ("rename", "t-1", "tea"),
    ("remember", " "),
    ("show", "☕"),
    ("graph", "☕"),
    ("remove", "☕", "--yes"),
    ("erase", "☕", "--yes"),
    ("erase", "e-1"),
    ("undo", "--tx", "999"),
    ("undo", "--count", "☕"),
    ("history", "--type", "☕"),
    ("history", "--limit", "-1"),
    ("search", "x", "--as-of", "☕"),
    ("search", "x", "--limit", "0"),
    ("documents", "--limit", "0"),
    ("documents", "--offset", "-1"),
    ("memory", "--limit", "0"),
    ("memory", "--release", "☕"),
    ("graph", "e-1", "--depth", "-1"),
    ("add", "/nowhere/☕.pdf"),
    ("add", "/nowhere/☕.pdf", "--set", "oops"),
    ("import", "/nowhere/☕.json"),
    ("export", "/nowhere/☕/x.jsonl"),
    ("backup", "/nowhere/☕/x.db"),
    ("patterns", "import", "/nowhere/☕"),
    ("patterns", "show", "☕"),
    ("patterns", "search", "x", "--limit", "0"),
    ("call", "☕"),
    ("call", "store", "☕"),
    ("call", "store", "topic=☕"),
    ("connect", "☕"),
    ("connect", "zed", "--toolsets", "☕"),
    ("reindex", "--embedder", "☕"),
    ("reindex", "--chunk-size", "-5"),
    ("status", "--collection", ""),
    ("vault", "--vault", "/nowhere/☕"),
    ("serve", "--transport", "☕"),
    ("serve", "--transport", "http", "--port", "☕"),
    ("completion", "☕"),
    ("☕",),
    ("--☕",),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data directory with long and odd words in everything."""
    folder = tmp_path_factory.mktemp("odd")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMOTHECA_DATA", str(folder / "data"))
        patched.setenv("HOME", str(folder / "home"))
        (folder / "vault").mkdir()
        (folder / "vault" / "index.md").write_text(f"# {LONG}\n[[kaffee]] [[{'nirgendwo ' * 12}]]")
        (folder / "vault" / "kaffee.md").write_text("[[index]] ☕")
        deep = folder / ("ein ordner mit einem langen namen " * 3).strip() / "休憩"
        deep.mkdir(parents=True)
        (deep / "papers.txt").write_text(LONG * 20)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["reindex", "--embedder", "none", "--json"])
            main(["call", "store", json.dumps({"topic": LONG[:100], "content": LONG})])
            main(["call", "relate", '{"subject": "Ada ☕", "predicate": "works_at", "object": "休憩"}'])
            main(["add", str(deep)])
            main(["vault", "--vault", str(folder / "vault")])
            memory = json.dumps({"content": LONG, "rationale": "so"})
            main(["call", "store_memory", memory, "--toolsets", "all"])
    return folder


@pytest.fixture
def run(folder, monkeypatch, invoke):
    monkeypatch.setenv("MEMOTHECA_DATA", str(folder / "data"))
    monkeypatch.setenv("HOME", str(folder / "home"))
    return invoke


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("command", [each for each in SEEN if "--json" not in each], ids=" ".join)
def test_every_command_fits_the_terminal(run, monkeypatch, command, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = run(*command)
    assert code == 0, out + err
    # Lines of code, and what is to be pasted or given to a program, are whole; an example is written for eighty.
    if (
        command[0] in ("connect", "help")
        or "--format" in command
        or command[:2] in (("call", "query"), ("patterns", "search"))
    ):
        return
    for line in (out + err).splitlines():
        # A path is never broken.
        is_path = os.sep in line and len(line.split()) <= 2
        assert is_path or width_of(line) <= columns, line


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_fits_eighty_columns(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    for line in run("help", *([name] if name else []))[1].splitlines():
        assert width_of(line) <= 80, line


@contextlib.contextmanager
def console(monkeypatch, encoding):
    """Stdout and stderr as a console of that encoding has them."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    with monkeypatch.context() as patched:
        for name, stream in streams.items():
            patched.setattr(sys, name, stream)
        yield streams
        for stream in streams.values():
            stream.flush()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("command", [*SEEN, *NONSENSE], ids=" ".join)
def test_no_encoding_ends_a_command(run, monkeypatch, command, encoding):
    with console(monkeypatch, encoding) as streams:
        try:
            code = main(list(command))
        except SystemExit as leaving:
            code = leaving.code
    said = streams["stdout"].buffer.getvalue()
    assert code in ((0,) if command in SEEN else (0, 1, 2))
    assert b"Traceback" not in said + streams["stderr"].buffer.getvalue()
    if "--json" in command:
        assert "Kaffeepause" in json.dumps(json.loads(said.decode(encoding)), ensure_ascii=False) or "t-1" in command


def test_an_export_is_utf_8_on_any_console(run, monkeypatch):
    with console(monkeypatch, "cp1252") as streams:
        assert main(["export", "-"]) == 0
    lines = streams["stdout"].buffer.getvalue().decode("utf-8").splitlines()
    assert any("休憩時間" in line for line in lines)
    assert all(json.loads(line) for line in lines)


def test_json_from_a_pipe_is_utf_8_on_any_console(folder):
    environment = {**os.environ, "MEMOTHECA_DATA": str(folder / "piped"), "PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "-m", "memotheca.cli.main", "call", "store", "-", "--json"]
    done = subprocess.run(
        command, input='{"topic": "休憩", "content": "ü"}'.encode(), env=environment, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["topic"] == "休憩"


@pytest.mark.parametrize("command", NONSENSE, ids=" ".join)
def test_nonsense_is_answered_in_words(run, command):
    code, out, err = run(*command)
    assert "Traceback" not in out + err
    if code:
        assert code in (1, 2)
        assert (out + err).strip()


class Terminal(io.StringIO):
    """Something that says it is a terminal and keeps what was written."""

    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_a_bar_never_reaches_the_last_column(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal = Terminal()
    bars = Bars(terminal)
    step = "Generating embeddings (48 of 128 passages)"
    bars.show({"/x/a.pdf": (0.3, step), f"/x/{'休憩時間' * 9}.pdf": (1.7, step), f"/x/{'n' * 90}": (-1, step)}, 12)
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 4
    for line in lines:
        assert width_of(line) <= columns - 1, line


def test_bars_are_as_wide_as_the_terminal_they_are_drawn_on():
    ours, theirs = pty.openpty()
    try:
        import fcntl
        import struct
        import termios

        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
        with os.fdopen(theirs, "w", closefd=False) as terminal:
            bars = Bars(terminal)
            bars.show({"/x/a.pdf": (0.5, "Generating embeddings (48 of 128 passages)")}, 0)
        drawn = os.read(ours, 10_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert 40 < width_of(drawn.strip("\r\n")) <= 49


def test_bars_in_a_terminal_that_was_made_narrower_wipe_all_that_they_became(monkeypatch):
    terminal = Terminal()
    bars = Bars(terminal)
    for width in (80, 30, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        bars.show({"/x/a.pdf": (0.5, "Generating embeddings (48 of 128 passages)")}, 3)
    # At 80 columns the bar took 79, which are three lines of 30; what waits is short.
    assert re.findall(r"\033\[(\d+)A\033\[J", terminal.getvalue()) == ["4", "2"]


def test_progress_in_a_terminal_that_was_made_narrower_goes_on_in_one_line(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress("importing") as report:
        for width, done in ((80, 1), (30, 2), (30, 3)):
            monkeypatch.setenv("COLUMNS", str(width))
            report(done, 3, "")
    assert terminal.getvalue().count("\033[2A\r\033[J") == 1


def test_text_is_broken_between_words_and_wide_letters_count_twice():
    assert wrap("a bb  ccc", lead="- ", hang="  ", width=7) == ["- a bb", "  ccc"]
    assert wrap("x" * 12, lead="> ", hang="  ", width=7) == ["> xxxxx", "  xxxxx", "  xx"]
    path = "/data/backups/copy.db."
    assert wrap(f"Kept in {path} It is whole.", width=12) == ["Kept in", path, "It is whole."]
    assert [width_of(line) for line in wrap("休憩時間 " * 3, width=10)] == [8, 8, 8]
    assert width_of("\033[1mé\u0301\033[0m") == 1
    assert cut("休憩時間", 5) == "休憩…"
    assert (counted(1, "entry"), counted(2, "entry"), counted(0, "passage")) == ("1 entry", "2 entries", "0 passages")
    assert (sized(999), sized(1380352), sized(3 << 30)) == ("999 B", "1.3 MB", "3.0 GB")


def commanded(folder, *words, **variables):
    environment = {**os.environ, "MEMOTHECA_DATA": str(folder / "typed"), **variables}
    return subprocess.run(
        [sys.executable, "-m", "memotheca", *words], env=environment, capture_output=True, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes on POSIX")
@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_what_is_typed_in_utf_8_is_kept_whatever_the_locale_says(folder, locale):
    speaking = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (("remember", "Grüße an Ada"), ("call", "store", "topic=tea", "content=Ωmega")):
        done = commanded(folder, *words, **speaking)
        assert done.returncode == 0, done.stderr
    found = str(json.loads(commanded(folder, "history", "--json", **speaking).stdout))
    assert "Grüße an Ada" in found
    assert "Ωmega" in found


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes on POSIX")
def test_what_is_no_text_is_refused_in_words(folder):
    for words in (("remember", b"Gr\xfc\xdfe"), ("search", b"\xff"), ("call", "store", b"content=\xe4")):
        done = commanded(folder, *words, PYTHONUTF8="1")
        assert done.returncode == 2
        assert b"neither UTF-8 nor in the encoding of this terminal" in done.stderr
        assert b"Traceback" not in done.stderr

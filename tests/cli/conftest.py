"""How a command is run in a test, and whose home it is run in."""

import pytest

from memotheca.cli.main import main


@pytest.fixture
def invoke(capsys):
    """Run a command: exit code, stdout, stderr."""

    def call(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            code = leaving.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def run(tmp_path, monkeypatch, invoke):
    """Run a command as somebody with an empty home and a data directory of their own."""
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return invoke

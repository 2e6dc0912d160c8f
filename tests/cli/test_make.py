"""Make for somebody new: one data directory with the command line, and a plain word about an old Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def make(folder, *arguments, **environment):
    given = {name: value for name, value in os.environ.items() if name != "MEMOTHECA_DATA"} | environment
    return subprocess.run(["make", *arguments], cwd=folder, env=given, capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path):
    """A clone that is set up, whose `memotheca` says with what it was started."""
    shutil.copy(MAKEFILE, tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    program = tmp_path / ".venv" / "bin" / "memotheca"
    program.write_text('#!/bin/sh\necho "ran: $* [$MEMOTHECA_DATA]"\n')
    program.chmod(0o755)
    # What makes the model and the page has done so.
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/bin/true")
    for name in ("requirements.lock", "pyproject.toml", ".venv/.setup-run"):
        (tmp_path / name).touch()
    return tmp_path


def test_make_run_and_the_command_line_share_a_data_directory(clone):
    assert "ran: serve --transport http []" in make(clone, "run").stdout
    assert "ran: serve --transport http [elsewhere]" in make(clone, "run", MEMOTHECA_DATA="elsewhere").stdout


def test_an_old_python_gets_one_plain_sentence(clone):
    old = clone / "python3.10"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    (clone / ".venv" / ".setup-run").unlink()
    done = make(clone, "--no-print-directory", "run", f"PYTHON={old}")
    assert done.returncode != 0
    assert done.stdout == "Memotheca needs Python 3.11 or newer; name one, as in: make run PYTHON=python3.12\n"

"""The README: it names what there is, so that nobody has to guess."""

import re
import shlex
from pathlib import Path

from memotheca.app import load_catalog
from memotheca.cli.main import COMMANDS, build_parser, load_command
from memotheca.views.clients import CLIENTS

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_every_tool_of_the_usual_toolsets_and_every_toolset_is_named():
    catalog = load_catalog()
    for listing in catalog.listed():
        assert f"`{listing.name}`" in README
    for toolset in ("entries", "documents", "patterns", "notes", "memories"):
        catalog.choose([toolset])
        assert f"`{toolset}`" in README


def test_every_client_that_connect_knows_is_named():
    for name in CLIENTS:
        assert name in README


def test_every_command_line_in_it_is_understood():
    lines = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("memotheca ")]
    assert len(commands) > 20
    for _, name, *arguments in commands:
        assert name in COMMANDS
        build_parser(name, load_command(name)).parse_args(arguments)

"""Building the page: done where there is a Node that is new enough, and never a reason to do without the rest."""

import sys

import pytest

from scripts import build_page


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Sources of a page that was not built."""
    monkeypatch.setattr(build_page, "SOURCES", tmp_path / "web")
    monkeypatch.setattr(build_page, "BUILT", tmp_path / "page")
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "build.mjs").write_text("")
    return tmp_path


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["build_page.py", *arguments])
    return build_page.main()


def test_without_node_it_says_so_in_one_line_and_a_wheel_is_refused(checkout, monkeypatch, capsys):
    assert run(monkeypatch, "--optional", "--node", str(checkout / "none")) == 0
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert "everything else works" in told
    assert run(monkeypatch, "--node", str(checkout / "none")) == 1


def test_a_node_that_is_too_old_is_none(checkout):
    old = checkout / "node"
    old.write_text("#!/bin/sh\necho v18.19.0\n")
    old.chmod(0o755)
    assert build_page.find_node(str(old)) is None
    old.write_text("#!/bin/sh\necho v20.1.0\n")
    assert build_page.find_node(str(old)) == str(old)


def test_what_is_newer_than_its_sources_is_not_built_again(checkout, monkeypatch):
    (checkout / "page").mkdir()
    (checkout / "page" / "index.html").write_text("built")
    assert run(monkeypatch, "--node", str(checkout / "none")) == 0

"""The newcomer's trial, played over a real server, is what its page says."""

import os
from pathlib import Path

from tests.server.newcomer import play
from tests.server.raw import RawServer

PAGE = Path(__file__).parent.parent.parent / "docs" / "newcomers-trial.md"


def test_golden_the_page_is_what_happens(tmp_path):
    server = RawServer(tmp_path / "data", "--toolsets", "memories").begin()

    def ask(tool, **arguments):
        result = server.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result.get("isError"), (tool, arguments, result["structuredContent"])
        return {**result["structuredContent"], "said": result["content"][0]["text"]}

    page = play(ask)
    server.close()
    if os.environ.get("UPDATE_GOLDENS"):
        PAGE.write_text(page, "utf-8")
    assert page == PAGE.read_text("utf-8")

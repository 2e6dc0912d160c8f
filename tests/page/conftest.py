"""A browser and a server for the scenarios of a module."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.page.playing import Browser
from tests.server.test_http import HttpServer


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(tmp_path_factory.mktemp("page") / "data", errors=subprocess.DEVNULL)
    yield server
    server.close()

"""Playing scenarios in Chromium: what is needed for it, and one browser for all that a module plays."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memotheca.server.page_files import is_built
from tests.patience import PATIENCE

HERE = Path(__file__).parent
TOOLS = HERE.parent / "clients"


def missing() -> str | None:
    """Why the page cannot be looked at here."""
    if shutil.which("node") is None:
        return "there is no Node (20 or newer)"
    if shutil.which("chromium") is None:
        return "there is no Chromium (apt-get install chromium)"
    if not (TOOLS / "node_modules" / "playwright-core").is_dir():
        return "playwright-core is not installed (make setup-dev)"
    return None if is_built() else "the page is not built (make page)"


REASON = missing()
# On a machine that does much else a scenario takes minutes; what it waits for it waits for by itself (patience.mjs).
SLOW = pytest.mark.timeout(2400)


class Browser:
    """One Chromium for all scenarios; each has a context of its own."""

    def __init__(self) -> None:
        command = ["node", str(HERE / "browser.mjs"), str(TOOLS), str(shutil.which("chromium"))]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def play(self, scenario: str, **given: Any) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        print(json.dumps({"scenario": scenario, **given}), file=self._child.stdin, flush=True)
        return json.loads(self._child.stdout.readline())

    def close(self) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        self._child.wait(PATIENCE)
        self._child.stdout.close()

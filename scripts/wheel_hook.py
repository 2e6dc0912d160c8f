"""Before a wheel is built: make the model and the page, so that installing the wheel alone gives semantic search and
something to look at."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    """Runs both builds, and fails where one does; an editable install takes what `make setup` has built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del build_data
        if version != "editable":
            for script in ("build_model.py", "build_page.py"):
                subprocess.run([sys.executable, str(Path(self.root) / "scripts" / script)], check=True)

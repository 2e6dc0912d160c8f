"""Our own server over a folder that `remembering.py` has filled, whose texts have made-up vectors, so that what the
shipped model takes is left out of a call: python benchmarks/memory_server.py FOLDER stdio|http."""

import json
import sys
from pathlib import Path

from memotheca.kernel.gc import calm_collector
from memotheca.server.adapter import Adapter
from memotheca.server.operation.operation import build_operation
from memotheca.server.stdio import run_stdio
from memotheca.server.web import run_web
from memotheca.settings import load
from remembering import Clock, open_memories


def announce(host: str, port: int) -> None:
    print(json.dumps({"endpoint": f"http://{host}:{port}/mcp"}), flush=True)


def main() -> None:
    folder, transport = Path(sys.argv[1]), sys.argv[2]
    clock = Clock()
    clock.now = json.loads((folder / "memories.json").read_text())["now"]
    clock.run()
    app = open_memories(folder, clock)
    calm_collector()
    if transport == "stdio":
        run_stdio(Adapter(app))
    else:
        settings = load({"data": folder, "transport": "http", "port": "0", "toolsets": "all"}, {})
        run_web(Adapter(app, operation=build_operation(settings)), settings, announce=announce)


if __name__ == "__main__":
    main()

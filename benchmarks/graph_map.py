"""What the map of the whole graph costs: laid out on the server, on its way, and moved in Chromium, which draws without
a GPU: python benchmarks/graph_map.py [--sizes NODES:LINKS …] [--write-docs] [--scratch DIR] [--keep].

With `--keep` the graphs that were planted in the scratch directory stay there and are used again."""

import argparse
import json
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from client import memotheca
from filling import open_app, run_tool
from machine import ROOT, describe
from memotheca.views.graph_map import draw_map
from memotheca.views.graph_rows import read_graph
from planted_graph import plant_graph
from report import Line, Table, Target, to_text
from section import write_section

CLIENTS = ROOT / "tests" / "clients"
FRAMES = 300
SIZES = ("1000:10000", "10000:100000", "100000:1000000")
NEEDED = "first picture ms", "page CPU ms a frame"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/graph_map.py", description=__doc__)
    parser.add_argument("--sizes", nargs="*", default=SIZES, metavar="NODES:LINKS", help="which graphs")
    parser.add_argument("--write-docs", action="store_true", help="put the results into docs/benchmarks.md")
    parser.add_argument("--scratch", type=Path, metavar="DIR", help="where to write; a real disk, not memory")
    parser.add_argument("--keep", action="store_true", help="leave the graphs there, or use those that are")
    return parser.parse_args()


def draw(folder: Path) -> dict[str, float]:
    """Read, lay out and pack, in this process alone, so that its memory is what that takes."""
    app = open_app(folder)
    pauses = [time.perf_counter()]
    began = time.process_time()
    rows = read_graph(app.kernel, lambda: pauses.append(time.perf_counter()))
    read = time.process_time()
    map = draw_map(rows, None, lambda: pauses.append(time.perf_counter()))
    drawn = time.process_time()
    draw_map(rows, map.seats, lambda: None)
    again = time.process_time()
    app.close()
    return {
        "nodes": len(rows.ids),
        "links": len(rows.sources),
        "reading CPU s": read - began,
        "layout and packing CPU s": drawn - read,
        "packing again CPU s": again - drawn,
        "packed MB": len(map.columns) / 1e6,
        "process MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def look(folder: Path) -> dict[str, float]:
    """The same map in a browser, once the server has it."""
    app = open_app(folder)
    while not run_tool(app, "console_map", {"wait": 30}).structured["fresh"]:  # pyright: ignore[reportOptionalSubscript]
        pass
    app.close()
    command = memotheca(folder, "--transport", "http", "--port", "0", "--json")
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert child.stdout is not None
        port = urlsplit(json.loads(child.stdout.readline())["endpoint"]).port
        base = f"http://127.0.0.1:{port}"
        _warm(f"{base}/mcp")
        looking = [str(Path(__file__).with_suffix(".mjs")), str(CLIENTS), str(shutil.which("chromium"))]
        looking += [base, str(FRAMES)]
        done = subprocess.run(["node", *looking], stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    finally:
        child.terminate()
        child.wait(30)
    return json.loads(done.stdout)


def _warm(endpoint: str) -> None:
    """Have the server draw its map: what is measured in the browser is the browser's share and the way there."""
    asked = {"name": "console_map", "arguments": {"wait": 20}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    while True:
        with urlopen(Request(endpoint, json.dumps(message).encode(), headers), timeout=60) as answer:
            if json.load(answer)["result"]["structuredContent"]["fresh"]:
                return


def to_line(size: str, told: Mapping[str, float], largest: bool) -> Line:
    numbers = {
        NEEDED[0]: told["first"],
        "page CPU ms till then": told["firstCpu"],
        "page CPU ms for all links": told["restCpu"],
        NEEDED[1]: told["frameCpu"],
        "frames a second": told["pictures"] / told["seconds"],
        "heap MB": told["heap"] / 1e6,
    }
    return Line(label=size, numbers=numbers, target=Target(column=NEEDED[1], bound=10) if largest else None)


def main() -> None:
    parsed = parse()
    machine = describe(parsed.scratch or Path(tempfile.gettempdir()))
    drawn: list[Line] = []
    looked: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="memotheca-bench-", dir=parsed.scratch) as passing:
        for size in parsed.sizes:
            nodes, links = map(int, size.split(":"))
            label = f"{nodes:,} nodes, {links:,} links"
            folder = (parsed.scratch if parsed.keep and parsed.scratch else Path(passing)) / f"graph-{nodes}-{links}"
            if not folder.exists():
                plant_graph(folder, nodes, links).close()
            with get_context("spawn").Pool(1) as pool:
                drawn.append(Line(label=label, numbers=pool.apply(draw, (folder,))))
            looked.append(to_line(label, look(folder), largest=size == parsed.sizes[-1]))
    tables = [
        Table(
            name="graph_map",
            title="the whole graph drawn on the server",
            lines=drawn,
            notes=["once, in a thread that gives way to calls; after that the map is kept, and newcomers join it."],
        ),
        Table(
            name="graph_map",
            title="the same in Chromium without a GPU, 1,120 x 648 pixels",
            lines=looked,
            notes=[
                "first picture: from the click on Graph, the server's map being ready: call, unpacking, drawing.",
                "CPU is the page's main thread's; the machine is shared, so wall time and frames a second are poor.",
                f"while moving: {FRAMES} moves of the mouse, button held; a picture for each that the screen shows.",
            ],
        ),
    ]
    for table in tables:
        print(to_text(table))
    if parsed.write_docs:
        write_section("graph_map", machine, tables)


if __name__ == "__main__":
    main()

"""Write the generated files: the catalogue of tools and the documentation of tools and settings."""

import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from memotheca import settings
from memotheca.app import build
from memotheca.cli.main import COMMANDS, EVERYWHERE, load_command
from memotheca.model.clock import SECOND, from_iso
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.toolkit.bounds import LONGEST, MOST_MEMBERS
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call, Listing, Tool
from memotheca.tools import SELECTIONS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.catalogue import find_tools, generate_catalog  # noqa: E402
from scripts.manual import render_selection, render_tool, render_toolset  # noqa: E402

BEGAN = from_iso("2026-02-10T14:30:00Z")
SAMPLE_ID = "5f0c3a52-8f0e-4d1b-9c1e-2a7b6d4e8f10"


def run_example(tool: Tool) -> Reply:
    """Run a tool's example in a fresh directory, at a fixed time, so that the page does not change by itself."""
    ticks = itertools.count(BEGAN, SECOND)
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        vault.mkdir()
        given = {"data": str(Path(folder) / "data"), "toolsets": "all", "vault": str(vault)}
        app = build(settings.load(given, {}), clock=lambda: next(ticks))
        # Vectors differ in the last digits from processor to processor; words do not.
        for collection in (app.kernel.collection, STARTER_COLLECTION) if not tool.needs else ():
            choose_embedder(app.kernel.store, collection, "none")
        call: Call[Any] = Call(kernel=app.kernel, actor="docs")
        answered: dict[str, Any] = {}
        for name, arguments in tool.example.after:
            answered |= app.dispatcher.run(name, filled(arguments, answered), call).structured or {}
        reply = app.dispatcher.run(tool.name, filled(tool.example.arguments, answered), call)
        app.kernel.store.close()
    if reply.failed:
        raise SystemExit(f"the example of {tool.name} fails: {reply.structured}")
    return steadied(reply, folder)


def filled(arguments: Mapping[str, Any], answered: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with what the last answer that had it holds in the place of `$name`."""
    return {name: _filled(value, answered) for name, value in arguments.items()}


def _filled(value: Any, answered: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(each, answered) for each in cast(list[Any], value)]
    return answered[value[1:]] if isinstance(value, str) and value.startswith("$") else value


def steadied(reply: Reply, folder: str) -> Reply:
    """The reply without what differs from run to run: random ids, measured times, the directory."""

    def steady(text: str) -> str:
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[457][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", SAMPLE_ID, text)
        text = re.sub(r"node_[0-9a-f]{8,32}", f"node_{SAMPLE_ID[-8:]}", text)
        text = re.sub(r"task_[0-9a-f]{16}", "task_5f0c2d9e8b7a6431", text)
        text = re.sub(r"pred_[0-9a-f]{10}\b", "pred_5f0c2d9e8b", text)
        text = re.sub(r"\b(topic|goal|pv)_[0-9a-f]{8,12}\b", rf"\1_{SAMPLE_ID[-8:]}", text)
        text = re.sub(r"\b[0-9a-f]{52}(?=[0-9a-f]{12}\b)", "5" * 52, text)
        text = re.sub(r'("score": ?0\.\d)\d*', r"\1", text)
        text = re.sub(
            r'("(?:retrieval_ms|latency_ms|recovery_time_ms|query_time_ms|ms)":\s*)[0-9.]+', r"\g<1>0.5", text
        )
        text = re.sub(r'"latency_ms":\s*\{[^}]*\}', lambda found: re.sub(r": *[0-9.]+", ": 0.5", found.group()), text)
        text = re.sub(r"dream_[0-9a-f]{16}", "dream_5f0c2d9e8b7a6431", text)
        text = re.sub(r'("(?:duration_ms|longest_slice_ms|slices)":\s*)[0-9.]+', r"\g<1>5", text)
        text = re.sub(r'("name": "disk_free_bytes",\s*"value":\s*)\d+', r"\g<1>80000000000", text)
        text = re.sub(r'("(?:process|bytes)":\s*)\d+', r"\g<1>4096", text)
        text = re.sub(r'("since":\s*")[^"]+', r"\g<1>2026-11-01T09:00:00.000000Z", text)
        text = re.sub(r'("slices_over_budget":\s*)[0-9]+', r"\g<1>0", text)
        text = re.sub(r'("search_time_ms":\s*)[0-9.]+', r"\g<1>5", text)
        # A job is looked at now and then, and its last step may not be among what is seen of it.
        text = re.sub(r'("done":\s*)\d+(,\s*"total":\s*)\d+', r"\g<1>1\g<2>1", text)
        text = re.sub(r'("processing_time_seconds":\s*)[0-9.]+', r"\g<1>0.1", text)
        return text.replace(folder, "/data")

    blocks = [{**block, "text": steady(block["text"])} if "text" in block else block for block in reply.blocks]
    return Reply(blocks=blocks, structured=json.loads(steady(json.dumps(reply.structured))), failed=reply.failed)


def tools_page(catalog: dict[str, Any]) -> str:
    toolsets, found = find_tools()
    listings = {line["name"]: Listing(**line) for line in catalog["tools"]}
    sections = [
        render_toolset(
            toolset,
            [
                render_tool(listings[tool.name], tool, run_example(tool))
                for tool, name, _ in found
                if name == toolset.name
            ],
        )
        for toolset in toolsets
    ]
    head = (
        "# Tools\n\nGenerated by `make update`; every example below was run.\n\n"
        "Every text and every list has a bound, and whoever says more is told where and how much there may be. Where\n"
        f"none is stated, a text has at most {LONGEST:,} characters and a list at most {MOST_MEMBERS:,} members.\n"
        "These bounds hold also where a published schema, which contracts give word for word, does not state them.\n"
    )
    return "\n".join([head, *map(render_selection, SELECTIONS), *sections])


def settings_page() -> str:
    rows = [
        f"| {_flag(option)} | `{option.variable}` | `{option.name}` "
        f"| {option.default or ('no' if option.default is False else 'none')} | {option.doc} |"
        for option in settings.OPTIONS
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            "Generated by `make update`. A flag wins over the environment, the environment over `memotheca.toml` in",
            "the data directory, the file over the default. The data directory is `--data`, then `MEMOTHECA_DATA`,",
            "then the platform's place for application data.",
            "",
            "| flag, and the commands that have it | environment | file | default | meaning |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _flag(option: settings.Option) -> str:
    """The flag, and which commands have it; of the rest a server and its client take what stands in the file."""
    if not option.flag:
        return ""
    if option.name in EVERYWHERE:
        return f"`--{option.name}`, every command"
    having = [name for name in COMMANDS if option.name in getattr(load_command(name), "OPTIONS", ())]
    return f"`--{option.name}`, {' '.join(having)}"


def generated() -> Iterator[tuple[Path, str]]:
    """The catalogue first: the examples of a new tool are run by what it lists."""
    catalog = generate_catalog()
    yield ROOT / "src/memotheca/tools/catalog.json", json.dumps(catalog, ensure_ascii=False, indent=1) + "\n"
    yield ROOT / "docs/tools.md", tools_page(catalog)
    yield ROOT / "docs/settings.md", settings_page()


def main() -> int:
    checking = "--check" in sys.argv
    stale: list[Path] = []
    for path, content in generated():
        if path.exists() and path.read_text("utf-8") == content:
            continue
        stale.append(path)
        if checking:
            print(f"{path.relative_to(ROOT)} is out of date; run make update", file=sys.stderr)
            break
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 1 if checking and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())

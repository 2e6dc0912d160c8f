"""Draw what the tutorial shows of a terminal, as SVG in docs/pictures: every line of an answer is what was really
answered, in a home with nothing in it.

What a person says to an agent is drawn with the call that an agent makes of it; which words an agent chooses is its own
matter. Drawn anew by hand, as names and dates change.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
MEMOTHECA = Path(sys.executable).with_name("memotheca")
COLUMNS = 80
LETTER, LINE, EDGE = 7.8, 18, 16  # chosen: of a terminal's usual letters, in pixels
COLOURS = {"typed": "#9ece6a", "said": "#7dcfff", "called": "#bb9af7", "answered": "#d5d9e8"}
LETTERS = "ui-monospace, Menlo, Consolas, monospace"
BACKGROUND = "#1a1b26"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line, and who it is from: a person at the shell or to an agent, the agent's call, the answer."""

    kind: str
    text: str


def typed(home: Path, *words: str) -> list[Spoken]:
    """A command and what it prints."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "COLUMNS": str(COLUMNS)}
    done = subprocess.run([MEMOTHECA, *words], env=environment, capture_output=True, text=True, check=True)
    shown = done.stdout.replace(str(home), "~").rstrip().splitlines()
    return [Spoken("typed", f"$ memotheca {' '.join(words)}"), *(Spoken("answered", line) for line in shown)]


def asked(home: Path, said: str, tool: str, **arguments: Any) -> list[Spoken]:
    """What a person says, the call of an agent, and the text that it is answered with."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "1"}}
    calls = [("initialize", hello), ("tools/call", {"name": tool, "arguments": arguments})]
    lines = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
        for number, (method, params) in enumerate(calls)
    )
    serve = [MEMOTHECA, "serve", "--toolsets", "memory"]
    done = subprocess.run(serve, input=lines, env=environment, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])["result"]
    given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    told = answer["content"][0]["text"].splitlines()
    return [
        Spoken("said", f"> {said}"),
        Spoken("called", f"{tool}({given})"),
        *(Spoken("answered", line) for line in told),
    ]


def drawn(spoken: Sequence[Spoken], title: str) -> str:
    rows: list[tuple[str, str]] = []
    for place, each in enumerate(spoken):
        if place and each.kind in ("typed", "said"):
            rows.append(("answered", ""))
        hang = "  " if each.kind != "answered" else "    "
        lines = textwrap.wrap(each.text, COLUMNS, subsequent_indent=hang, break_on_hyphens=False) or [""]
        rows += [(each.kind, line) for line in lines]
    width, height = round(COLUMNS * LETTER + 2 * EDGE), len(rows) * LINE + 2 * EDGE
    texts = [
        f'<text x="{EDGE}" y="{EDGE + LINE * place + 13}" fill="{COLOURS[kind]}">{escape(line)}</text>'
        for place, (kind, line) in enumerate(rows)
        if line
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'{head} role="img" xml:space="preserve" font-family="{LETTERS}" font-size="13">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
            *texts,
            "</svg>\n",
        ]
    )


def pictures(home: Path) -> dict[str, str]:
    first, later = {"source": "user"}, {"source": "user", "rationale": "The user said so."}
    return {
        "connecting": drawn(
            [
                *typed(home, "connect", "claude-code", "--write", "--toolsets", "memory"),
                *typed(home, "connect", "claude-code", "--check"),
            ],
            "A client is connected and checked",
        ),
        "telling": drawn(
            asked(
                home,
                "Remember that we release on Tuesdays, because support is staffed on Wednesdays.",
                "store_memory",
                content="We release on Tuesdays.",
                rationale="Support is staffed on Wednesdays.",
                **first,
            ),
            "An agent is told something to remember",
        ),
        "asking": drawn(
            asked(
                home,
                "What do you know about our releases, and since when?",
                "inject_context",
                query="What do we know about our releases?",
            ),
            "An agent is asked what it knows",
        ),
        "changing": drawn(
            asked(
                home,
                "From now on we release on Thursdays.",
                "store_memory",
                content="From now on we release on Thursdays.",
                **later,
            ),
            "A new value, and what it replaces",
        ),
        "taking-back": drawn(
            [*typed(home, "history"), *typed(home, "undo")], "History, and the last change taken back"
        ),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PICTURES, help="where they go")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        for name, picture in pictures(Path(home)).items():
            (out / f"{name}.svg").write_text(picture, "utf-8", newline="\n")
            print(f"{len(picture):6,} bytes  {name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""pinakes graph: draw what is around a node."""

import argparse
import json
from typing import Any

from pinakes.app import lazily
from pinakes.cli.terminal import app_of, print_json, styled
from pinakes.model.errors import Failure, Refusal

draw_around = lazily("pinakes.engine.surveying", "draw_around")

OPTIONS = ("vault",)
FORMATS = ("tree", "mermaid", "dot", "json")

EPILOG = """examples:
  pinakes graph notes/index.md                          a tree: > links to, < is linked from
  pinakes graph notes/index.md --depth 2 --format mermaid
  pinakes graph notes/index.md --format dot | dot -Tsvg > around.svg"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("node", help="a note's path, or any handle")
    parser.add_argument("--depth", type=int, default=1, metavar="N", help="how many links away (default: 1)")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="how many nodes at most (default: 50)")
    parser.add_argument("--format", choices=FORMATS, default="tree", help="how to draw it (default: tree)")


def run(parsed: argparse.Namespace) -> int:
    drawn = draw_around(app_of(parsed).kernel, parsed.node, depth=max(0, parsed.depth), limit=max(1, parsed.limit))
    if drawn is None:
        raise Refusal(Failure.NOT_FOUND, f"There is no node {parsed.node!r}.")
    if parsed.json or parsed.format == "json":
        print_json({"nodes": drawn.nodes, "edges": drawn.edges, "left_out": drawn.left_out})
        return 0
    lines = {"mermaid": _mermaid, "dot": _dot, "tree": _tree}[parsed.format](drawn)
    print("\n".join(lines))
    return 0


def _tree(drawn: Any) -> list[str]:
    shown = {node["id"]: _label(node) for node in drawn.nodes}
    lines = [shown[drawn.center]]

    def grow(parent: str, indent: str) -> None:
        children = drawn.children.get(parent, [])
        for place, (child, arrow) in enumerate(children):
            last = place == len(children) - 1
            lines.append(f"{indent}{'└' if last else '├'}─{arrow} {shown[child]}")
            grow(child, indent + ("   " if last else "│  "))

    grow(drawn.center, "")
    return [*lines, f"… and {drawn.left_out} more; --limit shows more"] if drawn.left_out else lines


def _label(node: dict[str, Any]) -> str:
    if node["ghost"]:
        return f"{node['title']}  {styled('(not there)', 'dim')}"
    return f"{styled(node['title'], 'bold')}  {styled(node['id'], 'dim')}"


def _numbers(drawn: Any) -> dict[str, str]:
    return {node["id"]: f"n{number}" for number, node in enumerate(drawn.nodes)}


def _mermaid(drawn: Any) -> list[str]:
    numbers = _numbers(drawn)
    lines = ["graph LR"]
    for node in drawn.nodes:
        title = node["title"].replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
        lines.append(f'  {numbers[node["id"]]}["{title}"]{":::ghost" if node["ghost"] else ""}')
    lines += [f"  {numbers[edge['source']]} --> {numbers[edge['target']]}" for edge in drawn.edges]
    return [*lines, "  classDef ghost stroke-dasharray: 4"]


def _dot(drawn: Any) -> list[str]:
    numbers = _numbers(drawn)
    lines = ["digraph notes {", "  rankdir=LR;"]
    for node in drawn.nodes:
        label = json.dumps(node["title"], ensure_ascii=False)
        lines.append(f"  {numbers[node['id']]} [label={label}{', style=dashed' if node['ghost'] else ''}];")
    lines += [f"  {numbers[edge['source']]} -> {numbers[edge['target']]};" for edge in drawn.edges]
    return [*lines, "}"]

"""memotheca graph: draw what is around a thing."""

import argparse
import json
from typing import Any

from memotheca.admin.neighbourhood import draw_around
from memotheca.cli.layout import wrap
from memotheca.cli.terminal import app_of, at_least, plain, print_json, styled

OPTIONS = ("vault",)
# What the drawing says of a note's link; arrows say it already.
LINK = "links to"
FORMATS = ("tree", "mermaid", "dot", "json")

EPILOG = """examples:
  memotheca graph notes/index.md         a tree: > leads to, < comes from
  memotheca graph Ada --depth 2          a name, e-1, report.pdf, node_1a2b3c
  memotheca graph notes/index.md --depth 2 --format mermaid
  memotheca graph Ada --format dot | dot -Tsvg > around.svg"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("node", help="a note's path, a name, a file, or any handle")
    parser.add_argument("--depth", type=at_least(0), default=1, metavar="N", help="how many links away (default: 1)")
    parser.add_argument("--limit", type=at_least(1), default=50, metavar="N", help="how many at most (default: 50)")
    parser.add_argument("--format", choices=FORMATS, default="tree", help="how to draw it (default: tree)")


def run(parsed: argparse.Namespace) -> int:
    drawn = draw_around(app_of(parsed).kernel, parsed.node, depth=parsed.depth, limit=parsed.limit)
    if parsed.json or parsed.format == "json":
        print_json({"nodes": drawn.nodes, "edges": drawn.edges, "left_out": drawn.left_out})
        return 0
    lines = {"mermaid": _mermaid, "dot": _dot, "tree": _tree}[parsed.format](drawn)
    print("\n".join(lines))
    return 0


def _tree(drawn: Any) -> list[str]:
    shown = {node["id"]: _label(node) for node in drawn.nodes}
    lines = wrap(shown[drawn.center], hang="  ")

    def grow(parent: str, indent: str) -> None:
        children = drawn.children.get(parent, [])
        for place, branch in enumerate(children):
            last = place == len(children) - 1
            said = "" if branch.predicate == LINK else f"{plain(branch.predicate)}: "
            below = indent + ("   " if last else "│  ")
            lines.extend(
                wrap(said + shown[branch.other], lead=f"{indent}{'└' if last else '├'}─{branch.arrow} ", hang=below)
            )
            grow(branch.other, below)

    grow(drawn.center, "")
    return [*lines, f"… and {drawn.left_out} more; --limit shows more"] if drawn.left_out else lines


def _label(node: dict[str, Any]) -> str:
    title = plain(node["title"])
    if node["ghost"]:
        return f"{title}  {styled('(not there)', 'dim')}"
    return styled(title, "bold") + ("" if node["id"] == node["title"] else f"  {styled(plain(node['id']), 'dim')}")


def _numbers(drawn: Any) -> dict[str, str]:
    return {node["id"]: f"n{number}" for number, node in enumerate(drawn.nodes)}


def _mermaid(drawn: Any) -> list[str]:
    numbers = _numbers(drawn)
    lines = ["graph LR"]
    lines += [
        f'  {numbers[node["id"]]}["{_escaped(node["title"])}"]{":::ghost" if node["ghost"] else ""}'
        for node in drawn.nodes
    ]
    lines += [f"  {numbers[edge['source']]} -->{_says(edge)} {numbers[edge['target']]}" for edge in drawn.edges]
    return [*lines, "  classDef ghost stroke-dasharray: 4"]


def _says(edge: dict[str, str]) -> str:
    return "" if edge["predicate"] == LINK else f'|"{_escaped(edge["predicate"])}"|'


def _escaped(text: str) -> str:
    return text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


def _dot(drawn: Any) -> list[str]:
    numbers = _numbers(drawn)
    lines = ["digraph notes {", "  rankdir=LR;"]
    for node in drawn.nodes:
        label = json.dumps(node["title"], ensure_ascii=False)
        lines.append(f"  {numbers[node['id']]} [label={label}{', style=dashed' if node['ghost'] else ''}];")
    for edge in drawn.edges:
        label = "" if edge["predicate"] == LINK else f" [label={json.dumps(edge['predicate'], ensure_ascii=False)}]"
        lines.append(f"  {numbers[edge['source']]} -> {numbers[edge['target']]}{label};")
    return [*lines, "}"]

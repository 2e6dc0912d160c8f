"""The part of docs/benchmarks.md that belongs to one benchmark which is run by itself."""

from collections.abc import Mapping, Sequence

from machine import ROOT
from report import Table, to_markdown

DOCS = ROOT / "docs" / "benchmarks.md"


def write_section(name: str, machine: Mapping[str, str], tables: Sequence[Table]) -> None:
    """Put the tables between this benchmark's own marks, at the end of the page where there are none yet."""
    begin, end = f"<!-- {name}: written by benchmarks/{name}.py --write-docs -->", f"<!-- end of {name} -->"
    facts = [f"- {fact}: {value}" for fact, value in machine.items()]
    written = "\n".join([begin, "", *facts, "", *(to_markdown(table) for table in tables), end])
    text = DOCS.read_text("utf-8")
    if begin in text:
        before, _, rest = text.partition(begin)
        DOCS.write_text(before + written + rest.partition(end)[2], "utf-8")
    else:
        DOCS.write_text(f"{text.rstrip()}\n\n{written}\n", "utf-8")

"""JSON as lines that say where each value stands; notebooks as their cells; what does not parse as it is."""

import json
from collections.abc import Iterator
from typing import Any, cast

from memotheca.parsing.builder import DocumentBuilder, one_line
from memotheca.parsing.document import Document
from memotheca.parsing.markdown import plain_document, read_markdown
from memotheca.parsing.source import Source
from memotheca.text.encoding import clean, decode

MAX_DEPTH = 200  # chosen: deeper than people nest, and below what the recursion of Python takes


def read_json(source: Source) -> Document:
    # Cleaned only afterwards: it makes line ends of what may well stand within a value.
    text = decode(source.content)
    try:
        value = _parse(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return plain_document("json", clean(text))
    if (
        isinstance(value, dict)
        and "nbformat" in value
        and isinstance(cells := cast("dict[str, Any]", value).get("cells"), list)
    ):
        return _notebook(cast("list[Any]", cells))
    draft = DocumentBuilder()
    draft.block("\n".join(_lines(value)))
    return draft.finish("json")


def _parse(text: str) -> Any:
    """One value, or one in every line."""
    try:
        return json.loads(text, strict=False)
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        return [json.loads(line, strict=False) for line in lines]


def _lines(value: Any) -> Iterator[str]:
    """`path: value` for every leaf, in order; a stack of our own, since files may be deeper than ours."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        path, held = waiting.pop()
        if isinstance(held, dict) and held:
            fields = cast("dict[str, Any]", held).items()
            waiting += [(f"{path}.{name}" if path else name, one) for name, one in reversed(fields)]
        elif isinstance(held, list) and held:
            values = cast("list[Any]", held)
            waiting += [(f"{path}[{place}]", values[place]) for place in reversed(range(len(values)))]
        else:
            shown = held if isinstance(held, str) else json.dumps(held)
            yield f"{one_line(path)}: {one_line(shown)}" if path else one_line(shown)


def _notebook(cells: list[Any]) -> Document:
    draft = DocumentBuilder()
    for cell in cells:
        fields = cast("dict[str, Any]", cell) if isinstance(cell, dict) else {}
        lines = fields.get("source", "")
        text = "".join(map(str, cast("list[Any]", lines))) if isinstance(lines, list) else str(lines)
        if fields.get("cell_type") == "markdown":
            draft.include(read_markdown(Source(name="cell.md", content=text.encode("utf-8", "replace"))))
        else:
            draft.code(text)
    return draft.finish("json")

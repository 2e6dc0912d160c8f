"""Text in charts and diagrams of office documents."""

from xml.etree.ElementTree import Element

from memotheca.parsing.office.package import children, descend, local


def chart_lines(tree: Element) -> list[str]:
    """A chart's titles, then each series with its categories and values."""
    lines = ["".join(text.text or "" for text in descend(title, "t")) for title in descend(tree, "title")]
    for series in descend(tree, "ser"):
        name = " ".join(_values(series, "tx"))
        categories, values = (
            _values(series, "cat") or _values(series, "xVal"),
            _values(series, "val") or _values(series, "yVal"),
        )
        points = [" ".join(pair) for pair in zip(categories, values, strict=False)] if categories else values
        lines.append(f"{name}: {', '.join(points)}" if name else ", ".join(points))
    return [line for line in lines if line.strip()]


def _values(series: Element, part: str) -> list[str]:
    return [value.text or "" for one in children(series, part) for value in descend(one, "v")]


def diagram_lines(tree: Element) -> list[str]:
    """The text of each point of a diagram."""
    lines = (text_of(point) for point in descend(tree, "pt"))
    return [line for line in lines if line.strip()]


def text_of(element: Element) -> str:
    """The paragraphs of a drawing's text, one a line."""
    return "\n".join(paragraph_text(paragraph) for paragraph in descend(element, "p"))


def paragraph_text(paragraph: Element) -> str:
    words: list[str] = []
    for node in paragraph.iter():
        if local(node) == "t":
            words.append(node.text or "")
        elif local(node) in ("br", "tab"):
            words.append(" ")
    return "".join(words)

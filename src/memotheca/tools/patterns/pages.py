"""Patterns as pages for people: markdown that reads well in a chat, an editor and a terminal."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memotheca.tools.patterns.shapes import (
    Categories,
    Details,
    ExampleShape,
    Markers,
    NeedsInput,
    Provenance,
    SkillDetails,
    SkillList,
    Summary,
)

INDEX_MARKER = "<!-- kind:pattern-index:v1 -->"
CARD_MARKER = "<!-- kind:pattern-card:v1 -->"
SHOWN_LINES = 30  # chosen: a screenful; `get_pattern` has all

_FOREIGN_MARKER = re.compile(r"<!--(\s*)kind:")


@dataclass(frozen=True, slots=True)
class CardPage:
    """What a card shows beyond what search results carry."""

    pattern: Summary
    summary: str
    use_when: str
    example: ExampleShape | None


def count_markers(pages: Sequence[str]) -> Markers:
    """Counted in the text that is sent, not assumed."""
    text = "\n".join(pages)
    return Markers(index=text.count(INDEX_MARKER), cards=text.count(CARD_MARKER), version="v1")


def index_page(words: str, patterns: Sequence[Summary], *, total: int, suggestions: Mapping[str, Sequence[str]]) -> str:
    shown = f", the best **{len(patterns)}** below" if len(patterns) < total else ""
    head = f'# Search Results for "{_inline(words)}"\nFound **{total}** pattern{"" if total == 1 else "s"}{shown}.'
    parts = [head, INDEX_MARKER]
    if patterns:
        rows = [
            f"| **{_cell(each.title)}** (`{_cell(each.id)}`) | {_cell(each.category)} | {each.difficulty} "
            f"| {_cell(', '.join(each.tags))} |"
            for each in patterns
        ]
        parts.append("\n".join(["| Pattern | Category | Difficulty | Tags |", "|---|---|---|---|", *rows]))
    elif suggestions.get("q"):
        parts.append("Close by: " + ", ".join(f"*{_inline(name)}*" for name in suggestions["q"]))
    if not patterns and suggestions.get("category"):
        parts.append("Categories: " + ", ".join(f"`{name}`" for name in suggestions["category"]))
    return "\n\n".join(parts) + "\n"


def card_page(card: CardPage, *, is_first: bool) -> str:
    """A card in search results; a rule separates it from the one before."""
    pattern = card.pattern
    parts = [] if is_first else ["---"]
    parts += [f"## {_inline(pattern.title)}", CARD_MARKER, _facts(pattern.id, pattern.category, pattern.difficulty)]
    parts.append(f"**Summary:** {_plain(card.summary or pattern.description)}")
    if card.use_when:
        parts.append(f"**Use when:** {_plain(card.use_when)}")
    if pattern.tags:
        parts.append("**Tags:** " + ", ".join(f"`{_inline(tag)}`" for tag in pattern.tags))
    if card.example is not None:
        parts.append(_code(card.example, limit=SHOWN_LINES))
    return "\n\n".join(parts) + "\n"


def provenance_page(provenance: Provenance) -> str:
    rows = [
        f"| {name} | {_cell(value)} |"
        for name, value in (
            ("Source", provenance.source),
            ("Timestamp", provenance.timestamp),
            ("Version", provenance.version),
            ("Marker", provenance.marker),
        )
    ]
    return "\n".join(["## Provenance", "", "| | |", "|---|---|", *rows]) + "\n"


def details_pages(details: Details, sections: Sequence[tuple[str, str]]) -> list[str]:
    """The card of a pattern, then each of its sections."""
    parts = [f"# {_inline(details.title)}", CARD_MARKER, _facts(details.id, details.category, details.difficulty)]
    parts.append(f"**Summary:** {_plain(details.summary)}")
    guidance = details.useGuidance
    if guidance.useWhen:
        parts.append(f"**Use when:** {_plain(str(guidance.useWhen))}")
    if guidance.avoidWhen:
        parts.append(f"**Avoid when:** {_plain(str(guidance.avoidWhen))}")
    if details.tags:
        parts.append("**Tags:** " + ", ".join(f"`{_inline(tag)}`" for tag in details.tags))
    if details.relatedPatterns:
        parts.append("**Related:** " + ", ".join(f"`{_inline(name)}`" for name in details.relatedPatterns))
    pages = ["\n\n".join(parts) + "\n"]
    for title, content in sections:
        heading = f"## {_inline(title)}\n\n" if title else ""
        pages.append(f"{heading}{_unmarked(content)}\n")
    return pages


def question_page(heading: str, question: NeedsInput, lines: Sequence[str] = ()) -> str:
    """What is missing, and what could be said."""
    body = f"## {heading}\n\n{_plain(question.message)}\n"
    return body + ("\n" + "\n".join(lines) + "\n" if lines else "")


def choices(title: str, counted: Mapping[str, int]) -> str:
    return f"- **{title}:** " + ", ".join(f"`{_inline(name)}` ({count})" for name, count in counted.items())


def categories_page(categories: Categories) -> str:
    rows = [
        f"| `{_cell(each.category)}` | {each.count} | "
        + ", ".join(f"{count} {name}" for name, count in each.difficulties.items())
        + " |"
        for each in categories.categories
    ]
    table = "\n".join(["| Category | Patterns | Difficulty |", "|---|---|---|", *rows])
    return f"# Categories\n\n**{categories.totalCount}** patterns.\n\n{table}\n"


def skills_page(skills: SkillList) -> str:
    count = skills.totalCount
    rows = [
        f"| **{_cell(each.title)}** (`{_cell(each.slug)}`) | {_cell(each.category)} | {_cell(each.description)} |"
        for each in skills.skills
    ]
    table = (
        "\n".join(["| Skill | Category | What it is for |", "|---|---|---|", *rows]) if rows else "No skill matches."
    )
    shown = f", the first **{len(rows)}** below; a limit shows more" if len(rows) < count else ""
    return f"# Skills\n\nFound **{count}** skill{'' if count == 1 else 's'}{shown}.\n\n{table}\n"


def skill_page(skill: SkillDetails) -> str:
    return f"# {_inline(skill.title)}\n\n**Use it for:** {_plain(skill.description)}\n\n{_unmarked(skill.content)}\n"


def _facts(id: str, category: str, difficulty: str) -> str:
    return f"`{_inline(id)}` · {_inline(category)} · {difficulty}"


def _code(example: ExampleShape, *, limit: int) -> str:
    lines = example.code.split("\n")
    kept = map(_unmarked, lines[:limit])
    longest = max((len(run) for run in re.findall(r"`{3,}", example.code)), default=2)
    fence = "`" * max(3, longest + 1)
    more = [f"\n{len(lines) - limit} more lines in the whole pattern."] if len(lines) > limit else []
    return "\n".join([f"{fence}{'' if example.language == 'text' else example.language}", *kept, fence, *more])


def _unmarked(text: str) -> str:
    """A catalogue's own text must not be taken for our markers."""
    return _FOREIGN_MARKER.sub(r"<!--\1kind :", text)


def _plain(text: str) -> str:
    return _unmarked(text.strip())


def _inline(text: str) -> str:
    """On one line, without what would end the construct it stands in."""
    return _unmarked(" ".join(text.split())).replace("`", "'")


def _cell(text: str) -> str:
    return _inline(text).replace("|", "\\|")

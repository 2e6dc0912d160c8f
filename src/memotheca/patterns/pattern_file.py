"""From a file of a catalogue to a pattern: which field is which, and what had to be assumed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from memotheca.model.knowledge import fold
from memotheca.patterns.pattern_frontmatter import PatternParts, UnreadablePattern, open_text
from memotheca.patterns.pattern_sections import PatternSection, clean_text, prose, split_sections
from memotheca.text.markdown_lines import heading_of

PATTERN_FORM = "pattern"
SKILL_FORM = "skill"
SKILL_FILE = "skill.md"

DIFFICULTIES = ("beginner", "intermediate", "advanced")
_MAPPED = {
    "beginner": "basic basics easy simple novice intro introductory entry junior fundamental fundamentals low 1",
    "intermediate": "medium moderate mid middle normal regular standard 2",
    "advanced": "hard difficult complex expert senior master high 3",
}
MAPPED = {word: difficulty for difficulty, words in _MAPPED.items() for word in words.split()}

NAMES = {
    "id": ("id", "slug", "patternid", "key"),
    "title": ("title", "name", "heading"),
    "category": ("category", "categories", "applicationpatternid", "usecase", "usecases", "topic", "group", "area"),
    "difficulty": ("difficulty", "skilllevel", "level", "complexity", "expertise"),
    "summary": ("summary", "excerpt", "abstract", "tldr", "shortdescription", "subtitle"),
    "description": ("description", "intent", "longdescription"),
    "tags": ("tags", "keywords", "labels", "tag"),
    "use_when": ("usewhen", "whentouse", "use"),
    "avoid_when": ("avoidwhen", "whennottouse", "dontusewhen", "avoid"),
    "related": ("related", "relatedpatterns", "seealso", "relatedto"),
    "rule": ("rule", "guideline"),
    "author": ("author", "authors"),
}
UNCATEGORIZED = "uncategorized"
SUMMARY_LENGTH = 200  # specification: a summary has about 200 characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A reusable pattern, or a skill, as a file told it."""

    slug: str
    title: str
    category: str
    difficulty: str
    summary: str
    description: str
    text: str
    tags: tuple[str, ...] = ()
    use_when: str = ""
    avoid_when: str = ""
    related: tuple[str, ...] = ()
    author: str = ""
    path: str = ""
    form: str = PATTERN_FORM


@dataclass(frozen=True, slots=True)
class ParsedPattern:
    """A pattern that was read, and what the reader had to assume or mend."""

    pattern: Pattern
    warnings: tuple[str, ...] = ()


def read_pattern(content: bytes, path: str) -> ParsedPattern:
    """Read one file; `path` is relative to its catalogue. Raises `UnreadablePattern` with the reason."""
    opened = _opened(content)
    warnings = list(opened.warnings)
    is_skill = path.rsplit("/", 1)[-1].lower() == SKILL_FILE
    said = {field: _first(opened.fields, names) for field, names in NAMES.items()}
    if is_skill:
        said |= _as_skill(opened.fields, said)
    text = clean_text(opened.text)
    title = _line(said["title"]) or _heading(text) or _from_path(path)
    if not _line(said["title"]):
        warnings.append(f"it has no title; taken from the {'heading' if _heading(text) else 'file name'}")
    sections = split_sections(text, title)
    described = _description(said, sections)
    summary = _line(said["summary"]) or shorten(described)
    if not text.strip() and not summary:
        raise UnreadablePattern("it has no text")
    pattern = Pattern(
        slug=_slug(said["id"], path, warnings),
        title=title,
        category=_category(said["category"], path, warnings, is_skill=is_skill),
        difficulty=_difficulty(said["difficulty"], warnings, is_skill=is_skill),
        summary=summary,
        description=described or summary,
        text=text,
        tags=_words(said["tags"]),
        use_when=_text(said["use_when"]) or _section_prose(sections, "use-when") or _rule(said["rule"]),
        avoid_when=_text(said["avoid_when"]) or _section_prose(sections, "avoid-when"),
        related=tuple(to_slug(name) for name in _words(said["related"])),
        author=", ".join(_words(said["author"])),
        path=path,
        form=SKILL_FORM if is_skill else PATTERN_FORM,
    )
    return ParsedPattern(pattern, tuple(warnings))


def _as_skill(fields: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """A skill's name is its id, and its description is what a list of skills shows."""
    name = _line(said["id"] or fields.get("name"))
    title = fields.get("title") or name.replace("-", " ").capitalize() or None
    return {"id": name or None, "title": title, "summary": said["summary"] or said["description"]}


def _opened(content: bytes) -> PatternParts:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadablePattern(f"it is not UTF-8 text (byte {error.start})") from None
    opened = open_text(text.replace("\0", "\ufffd"))
    return replace(opened, warnings=(*opened.warnings, "it holds NUL characters")) if "\0" in text else opened


def to_slug(text: str) -> str:
    """The form in which ids, categories and names of relations are written."""
    folded = fold(text.strip())
    return (folded if re.fullmatch(r"[\w.-]+", folded) else re.sub(r"[^\w.]+", "-", folded)).strip("-.")


def shorten(text: str, length: int = SUMMARY_LENGTH) -> str:
    """The beginning of a text on one line, cut between words."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    cut = flat[: length - 1]
    return (cut[: cut.rfind(" ")] if " " in cut else cut).rstrip(" ,;:-") + "…"


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "", [], {})), None)


def _text(value: Any) -> str:
    if value is None or isinstance(value, Mapping):
        return ""
    if isinstance(value, list):
        return "; ".join(_text(member) for member in cast(list[Any], value) if _text(member))
    return str(value).strip()


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _words(value: Any) -> tuple[str, ...]:
    """A list, or one line with commas."""
    if isinstance(value, list):
        found = [_line(member) for member in cast(list[Any], value)]
    else:
        found = [part.strip(" []'\"#") for part in _text(value).split(",")]
    return tuple(dict.fromkeys(word for word in found if word))


def _heading(text: str) -> str:
    found = (heading for line in text.split("\n") if (heading := heading_of(line)))
    return next((title.replace("`", "") for level, title in found if level == 1 and title), "")


def _from_path(path: str) -> str:
    return _stem(path).replace("-", " ").replace("_", " ").capitalize()


def _stem(path: str) -> str:
    """A file's own name; that of its folder where the file is called as all others are."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return folders[-1] if folders and stem.lower() in ("index", "readme", "skill", "pattern") else stem


def _slug(value: Any, path: str, warnings: list[str]) -> str:
    said = _line(value)
    slug = to_slug(said or _stem(path))
    if not slug:
        raise UnreadablePattern("it has no id, and its file name gives none")
    if not said:
        warnings.append("it has no id; taken from the file name")
    elif fold(said) != slug:
        warnings.append(f"its id {said!r} is written {slug}")
    return slug


def _category(value: Any, path: str, warnings: list[str], *, is_skill: bool) -> str:
    words = _words(value)
    if words and to_slug(words[0]):
        return to_slug(words[0])
    folder = "" if is_skill else to_slug(path.partition("/")[0]) if "/" in path else ""
    if not is_skill:
        warnings.append(f"it has no category; taken as {folder or UNCATEGORIZED}")
    return folder or UNCATEGORIZED


def _difficulty(value: Any, warnings: list[str], *, is_skill: bool) -> str:
    said = to_slug(_line(value))
    if said in DIFFICULTIES:
        return said
    mapped = MAPPED.get(said, "intermediate")
    if said:
        known = "read" if said in MAPPED else "not one of the three; taken"
        warnings.append(f"its difficulty {_line(value)!r} is {known} as {mapped}")
    elif not is_skill:
        warnings.append(f"it has no difficulty; taken as {mapped}")
    return mapped


def _rule(value: Any) -> str:
    return _text(cast(Mapping[str, Any], value).get("description")) if isinstance(value, Mapping) else _text(value)


def _description(said: Mapping[str, Any], sections: list[PatternSection]) -> str:
    """What the pattern is about, in full: as the file says, else its leading section's prose."""
    if _text(said["description"]):
        return _text(said["description"])
    leading = [section for section in sections if section.type == "description"] or sections[:1]
    return next((words for section in leading if (words := prose(section.content))), _line(said["summary"]))


def _section_prose(sections: list[PatternSection], type: str) -> str:
    return next((words for each in sections if each.type == type and (words := prose(each.content))), "")

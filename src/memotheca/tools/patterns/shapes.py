"""The payloads of the patterns family, each told apart by its kind."""

from dataclasses import dataclass

from memotheca.toolkit.fields import UNSET, Unset, choice, free, integer, many, one, text, texts
from memotheca.tools.patterns.contract import CATEGORIES, DETAILS, FORMATS, NEEDS_INPUT, SEARCH_RESULTS, SKILL, SKILLS


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternQueryShape:
    """What was asked for; what was not said is left out."""

    q: str | Unset = text(default=UNSET)
    category: str | Unset = text(default=UNSET)
    difficulty: str | Unset = text(default=UNSET)
    limit: int | Unset = integer(default=UNSET)
    format: str = choice(FORMATS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    index: int = integer()
    cards: int = integer()
    version: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    totalCount: int = integer()
    categories: dict[str, int] = free()
    difficulties: dict[str, int] = free()
    renderedCards: int = integer()
    renderedCardIds: tuple[str, ...] = texts()
    contractMarkers: Markers = one(Markers)
    mode: str = text()
    suggestions: dict[str, tuple[str, ...]] | Unset = free(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A pattern as search results have it."""

    id: str = text()
    title: str = text()
    category: str = text()
    difficulty: str = text()
    description: str = text()
    tags: tuple[str, ...] = texts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    source: str = text()
    timestamp: str = text()
    version: str = text()
    marker: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    kind: str = choice((SEARCH_RESULTS,))
    query: PatternQueryShape = one(PatternQueryShape)
    metadata: Metadata = one(Metadata)
    patterns: tuple[Summary, ...] | Unset = many(Summary, default=UNSET)
    provenance: Provenance | Unset = one(Provenance, default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class UseGuidance:
    useWhen: str | Unset = text(default=UNSET)
    avoidWhen: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSectionShape:
    title: str = text()
    content: str = text()
    type: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleShape:
    code: str = text()
    language: str = text()
    description: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A whole pattern."""

    kind: str = choice((DETAILS,))
    id: str = text()
    title: str = text()
    category: str = text()
    difficulty: str = text()
    summary: str = text()
    description: str = text()
    tags: tuple[str, ...] = texts()
    useGuidance: UseGuidance = one(UseGuidance)
    sections: tuple[PatternSectionShape, ...] | Unset = many(PatternSectionShape, default=UNSET)
    examples: tuple[ExampleShape, ...] | Unset = many(ExampleShape, default=UNSET)
    relatedPatterns: tuple[str, ...] = texts(default=())
    provenance: Provenance = one(Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryShape:
    category: str = text()
    count: int = integer()
    difficulties: dict[str, int] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    kind: str = choice((CATEGORIES,))
    totalCount: int = integer()
    categories: tuple[CategoryShape, ...] = many(CategoryShape)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSummary:
    slug: str = text()
    title: str = text()
    category: str = text()
    description: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    kind: str = choice((SKILLS,))
    query: PatternQueryShape = one(PatternQueryShape)
    totalCount: int = integer()
    skills: tuple[SkillSummary, ...] = many(SkillSummary)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDetails:
    kind: str = choice((SKILL,))
    slug: str = text()
    title: str = text()
    category: str = text()
    description: str = text()
    content: str = text()
    provenance: Provenance = one(Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    fields: tuple[str, ...] = texts()
    reason: str = text()
    suggestions: dict[str, tuple[str, ...]] = free()


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionShape:
    label: str = text()
    value: str = text()
    description: str = text()
    field: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsInput:
    """A question instead of an answer."""

    kind: str = choice((NEEDS_INPUT,))
    type: str = choice(("elicitation",))
    message: str = text()
    needsInput: Needed = one(Needed)
    options: tuple[OptionShape, ...] | Unset = many(OptionShape, default=UNSET)

"""Search the catalogue."""

import logging
from dataclasses import dataclass, replace

from memotheca.kernel.kernel import Kernel
from memotheca.patterns.pattern_cache import Card, count_categories, count_difficulties
from memotheca.patterns.pattern_file import to_slug
from memotheca.patterns.pattern_search import PatternMatches, PatternQuery, Vectors, find_patterns, near_cards
from memotheca.patterns.read_patterns import all_cards, state_of
from memotheca.toolkit.fields import UNSET, choice, flag, integer, said, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.patterns.contract import DIFFICULTIES, FORMATS, SEARCH_RESULTS, Format, Presented
from memotheca.tools.patterns.input_questions import (
    LONGEST_WORDS,
    ask_for_words,
    ask_to_narrow,
    narrowing_form,
    words_form,
)
from memotheca.tools.patterns.pages import CardPage, card_page, count_markers, index_page, provenance_page
from memotheca.tools.patterns.provenance import first_example, provenance_of
from memotheca.tools.patterns.shapes import Metadata, NeedsInput, PatternQueryShape, SearchResults, Summary

log = logging.getLogger(__name__)

SEARCH_TOO_BROAD_THRESHOLD = 20  # specification: the threshold has this name there
SUGGESTED = 4  # chosen: a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    q: str | None = text("What to look for.", "", nullable=True, maxLength=LONGEST_WORDS)
    category: str = text("", UNSET)
    difficulty: str = choice(DIFFICULTIES, "", UNSET)
    limit: int = integer("All matches without it.", UNSET, minimum=1, maximum=100)
    format: Format = choice(FORMATS, "", "markdown")
    limitCards: int = integer("Cards shown in markdown.", 3, minimum=1, maximum=10)
    includeProvenancePanel: bool = flag("", False)
    includeStructuredPatterns: bool = flag("", True)


EXAMPLE = Example(arguments={"q": "retry with backoff", "limit": 2, "limitCards": 1})


@tool(contract="patterns", effect="read", models=(Input, SearchResults, NeedsInput), example=EXAMPLE)
def search_patterns(call: Call[Kernel], input: Input) -> Answer:
    """Find proven patterns with example code: practices of agent memory, knowledge curation, Python services, and the
    user's own catalogues. get_pattern has the whole of one."""
    if not (input.q or "").strip():
        suggestions = _suggested_words(call.kernel)
        answer = call.ask(words_form(suggestions))
        if not answer.accepted:
            return ask_for_words(suggestions, input.format)
        input = replace(input, q=answer.content["q"])
    vectors: Vectors = {}
    found = find_patterns(call.kernel, _wanted(input), vectors)
    if _is_too_broad(input, found):
        counted = count_categories(found.cards), count_difficulties(found.cards)
        answer = call.ask(narrowing_form(len(found.cards), *counted))
        if not answer.accepted:
            return ask_to_narrow(len(found.cards), *counted, format=input.format)
        chosen = {name: answer.content[name] for name in ("category", "difficulty") if answer.content.get(name)}
        input = replace(input, **chosen)
        found = find_patterns(call.kernel, _wanted(input), vectors)
    suggestions = {} if found.cards else _suggestions(call.kernel, input.q or "", vectors)
    return _results(call.kernel, input, found, suggestions)


def _wanted(input: Input) -> PatternQuery:
    given = said(input)
    return PatternQuery(
        words=input.q or "", category=to_slug(given.get("category", "")), difficulty=given.get("difficulty", "")
    )


def _is_too_broad(input: Input, found: PatternMatches) -> bool:
    filtered = bool(said(input).get("category") or said(input).get("difficulty"))
    return len(found.cards) > SEARCH_TOO_BROAD_THRESHOLD and not filtered


def _suggested_words(kernel: Kernel) -> list[str]:
    return [name.replace("-", " ") for name in list(count_categories(all_cards(kernel)))[:SUGGESTED]]


def _results(kernel: Kernel, input: Input, found: PatternMatches, suggestions: dict[str, list[str]]) -> Answer:
    listed = found.cards[: said(input).get("limit", len(found.cards))]
    summaries = tuple(_summary(card) for card in listed)
    shown = [] if input.format == "json" else listed[: input.limitCards]
    pages = [index_page(input.q or "", summaries, total=len(found.cards), suggestions=suggestions)]
    pages += [card_page(_card_page(kernel, card), is_first=place == 0) for place, card in enumerate(shown)]
    provenance = state_of(kernel, found.cards) if input.includeProvenancePanel else None
    if provenance is not None:
        pages.append(provenance_page(provenance_of(provenance)))
    markers = count_markers([] if input.format == "json" else pages)
    if markers.cards != len(shown):
        log.warning("%d cards are marked, %d were rendered", markers.cards, len(shown))
    payload = SearchResults(
        kind=SEARCH_RESULTS,
        query=_echo(input),
        metadata=Metadata(
            totalCount=len(found.cards),
            categories=count_categories(found.cards),
            difficulties=count_difficulties(found.cards),
            renderedCards=len(shown),
            renderedCardIds=tuple(card.slug for card in shown),
            contractMarkers=markers,
            mode=found.mode,
            suggestions={name: tuple(values) for name, values in suggestions.items()} or UNSET,
        ),
        patterns=summaries if input.includeStructuredPatterns else UNSET,
        provenance=UNSET if provenance is None else provenance_of(provenance),
    )
    return Answer(f"Found {len(found.cards)} patterns.", "", Presented(payload, pages, input.format))


def _echo(input: Input) -> PatternQueryShape:
    given = said(input)
    return PatternQueryShape(
        **{name: given[name] for name in ("q", "category", "difficulty", "limit", "format") if name in given}
    )


def _summary(card: Card) -> Summary:
    return Summary(
        id=card.slug,
        title=card.title,
        category=card.category,
        difficulty=card.difficulty,
        description=card.description,
        tags=card.tags,
    )


def _card_page(kernel: Kernel, card: Card) -> CardPage:
    return CardPage(_summary(card), card.summary, card.use_when, first_example(kernel, card))


def _suggestions(kernel: Kernel, words: str, vectors: Vectors) -> dict[str, list[str]]:
    """Where nothing was found: titles that look alike, and the categories there are."""
    near = [card.title for card in near_cards(kernel, words, vectors=vectors)]
    categories = list(count_categories(all_cards(kernel)))[:10]
    return {name: values for name, values in (("q", near), ("category", categories)) if values}

"""What the patterns family asks back: as a payload for every client, and as a form where the client can show one."""

from collections.abc import Mapping, Sequence

from memotheca.toolkit.ask import Form, choice_of
from memotheca.toolkit.tool import Answer
from memotheca.tools.patterns.contract import NEEDS_INPUT, Format, Presented
from memotheca.tools.patterns.pages import choices, question_page
from memotheca.tools.patterns.shapes import Needed, NeedsInput, OptionShape

LONGEST_WORDS = 4096  # chosen: the bound of a question everywhere (`toolkit/bounds.py`)

WORDS_MESSAGE = "What pattern are you looking for? Please provide a search query."


def words_form(suggestions: Sequence[str]) -> Form:
    hint = f"Such as {', '.join(suggestions)}." if suggestions else "Words to search for."
    described = {
        "type": "string",
        "title": "Search query",
        "description": hint,
        "minLength": 1,
        "maxLength": LONGEST_WORDS,
    }
    return Form(message=WORDS_MESSAGE, fields={"q": described}, required=("q",))


def ask_for_words(suggestions: Sequence[str], format: Format) -> Answer:
    payload = NeedsInput(
        kind=NEEDS_INPUT,
        type="elicitation",
        message=WORDS_MESSAGE,
        needsInput=Needed(
            fields=("q",),
            reason="Search query is required to find relevant patterns",
            suggestions={"q": tuple(suggestions)},
        ),
    )
    lines = [f"- {words}" for words in suggestions]
    return _answer("Search Query Needed", payload, lines, format)


def narrowing_form(total: int, categories: Mapping[str, int], difficulties: Mapping[str, int]) -> Form:
    fields = {
        name: choice_of(tuple(counted), [f"{value} ({count})" for value, count in counted.items()])
        for name, counted in (("category", categories), ("difficulty", difficulties))
        if counted
    }
    return Form(message=_narrowing_message(total), fields=fields)


def ask_to_narrow(
    total: int, categories: Mapping[str, int], difficulties: Mapping[str, int], *, format: Format
) -> Answer:
    payload = NeedsInput(
        kind=NEEDS_INPUT,
        type="elicitation",
        message=_narrowing_message(total),
        needsInput=Needed(
            fields=("category", "difficulty"),
            reason=f"Too many results ({total}). Narrowing filters will help find the right pattern.",
            suggestions={"category": tuple(categories), "difficulty": tuple(difficulties)},
        ),
        options=tuple(
            OptionShape(label=value, value=value, description=f"Filter by {value} {field}", field=field)
            for field, counted in (("category", categories), ("difficulty", difficulties))
            for value in counted
        ),
    )
    lines = [choices("Category", categories), choices("Difficulty", difficulties)]
    return _answer("Narrow Your Search", payload, lines, format)


def id_form(subject: str, id: str, near: Mapping[str, str]) -> Form:
    """`near` has titles by id; where there are none, any may be written."""
    kind = "ID" if subject == "Pattern" else "slug"
    written = {"type": "string", "title": f"{subject} {kind}", "minLength": 1}
    described = choice_of(tuple(near), [f"{title} ({name})" for name, title in near.items()]) if near else written
    return Form(message=_missing_message(subject, id, kind), fields={"id": described}, required=("id",))


def ask_for_id(subject: str, id: str, near: Mapping[str, str], *, field: str, format: Format) -> Answer:
    kind = "ID" if field == "id" else field
    payload = NeedsInput(
        kind=NEEDS_INPUT,
        type="elicitation",
        message=_missing_message(subject, id, kind),
        needsInput=Needed(
            fields=(field,),
            reason=f'{subject} {kind} "{id}" is invalid or does not exist',
            suggestions={field: tuple(near)},
        ),
        options=tuple(
            OptionShape(label=name, value=name, description=f"{subject} {kind}: {name}", field=field) for name in near
        ),
    )
    lines = [f"- `{name}`: {title}" for name, title in near.items()]
    return _answer(f"{subject} Not Found", payload, lines, format)


def _narrowing_message(total: int) -> str:
    return f"Found {total} patterns. Would you like to narrow your search by category or difficulty?"


def _missing_message(subject: str, id: str, kind: str) -> str:
    return f'{subject} "{id}" not found. Please provide a valid {subject.lower()} {kind}.'


def _answer(heading: str, payload: NeedsInput, lines: Sequence[str], format: Format) -> Answer:
    return Answer(payload.message, "", Presented(payload, [question_page(heading, payload, lines)], format))

"""The filters of a search of documents as they stand on the wire: a document's members by name, refused where one is
unknown or of another kind."""

from collections.abc import Mapping
from typing import Any, cast

from memotheca.documents.document_search import DocumentFilters
from memotheca.model.clock import DAY, from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.formats import EXTENSIONS, FORMATS

FILTERS = ("format", "date_range", "filename", "document_id", "processing_method", "tags", "metadata")
METHODS = ("text_extraction", "ocr", "hybrid", "image_analysis")


def read_filters(given: Mapping[str, Any]) -> DocumentFilters:
    """What was given, checked; a member that is null filters nothing."""
    unknown = given.keys() - set(FILTERS)
    if unknown:
        raise _refused(f"{min(unknown)} is not a filter; there are {', '.join(FILTERS)}.", min(unknown))
    held = {name: value for name, value in given.items() if value is not None}
    texts = {name: _texts(value, name) for name, value in held.items() if name not in ("date_range", "metadata")}
    for method in texts.get("processing_method", ()):
        if method not in METHODS:
            raise _refused(f"processing_method must be one of {', '.join(METHODS)}.", "processing_method")
    since, until = _days(held["date_range"]) if "date_range" in held else (None, None)
    return DocumentFilters(
        formats=tuple(map(_format, texts.get("format", ()))),
        filenames=texts.get("filename", ()),
        document_ids=texts.get("document_id", ()),
        methods=texts.get("processing_method", ()),
        tags=texts.get("tags", ()),
        metadata=_mapping(held.get("metadata", {}), "metadata"),
        since=since,
        until=until,
    )


def _format(text: str) -> str:
    spelled = text.lower().lstrip(".")
    if spelled not in EXTENSIONS and spelled not in FORMATS:
        raise _refused(f"format must be one of {', '.join(FORMATS)}.", "format")
    return EXTENSIONS.get(spelled, spelled)


def _days(value: Any) -> tuple[int | None, int | None]:
    """Days are whole ones, UTC, both included; a moment is taken as it is."""
    given = _mapping(value, "date_range")
    if unknown := given.keys() - {"start", "end"}:
        raise _refused(f"date_range has start and end, not {min(unknown)}.", "date_range")
    try:
        low = None if given.get("start") is None else from_iso(str(given["start"]))
        high = None if given.get("end") is None else from_iso(str(given["end"]))
    except ValueError:
        raise _refused("date_range needs dates such as 2025-01-31.", "date_range") from None
    if high is not None and len(str(given["end"]).strip()) <= len("2025-01-31"):
        high += DAY - 1
    return low, high


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _refused(f"{name} must be an object.", name)
    return cast(Mapping[str, Any], value)


def _texts(value: Any, name: str) -> tuple[str, ...]:
    given = cast(list[Any], value if isinstance(value, list | tuple) else [value])
    if not given or not all(isinstance(each, str) for each in given):
        raise _refused(f"{name} must be a text or a list of texts.", name)
    return tuple(given)


def _refused(message: str, name: str) -> Refusal:
    return Refusal(Failure.INVALID, message, field=f"filters.{name}", details={"allowed_filters": list(FILTERS)})

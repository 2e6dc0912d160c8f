"""The filters of a search of documents, as they are given."""

from typing import Any

import pytest

from memotheca.documents.document_search import DocumentFilters
from memotheca.model.clock import DAY, from_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.tools.documents.search_filters import FILTERS, read_filters


def test_each_filter_is_read_and_null_filters_nothing() -> None:
    given = {
        "format": [".HTM", "pdf"],
        "date_range": {"start": "2026-01-01", "end": "2026-01-31"},
        "filename": "tea",
        "document_id": "doc:1",
        "processing_method": "ocr",
        "tags": ["ops", "tea"],
        "metadata": {"team": "kitchen"},
    }
    assert given.keys() == set(FILTERS)
    assert read_filters(given) == DocumentFilters(
        formats=("html", "pdf"),
        filenames=("tea",),
        document_ids=("doc:1",),
        methods=("ocr",),
        tags=("ops", "tea"),
        metadata={"team": "kitchen"},
        since=from_iso("2026-01-01"),
        until=from_iso("2026-01-31") + DAY - 1,
    )
    assert read_filters(dict.fromkeys(FILTERS)) == DocumentFilters()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"colour": "red"}, "colour"),
        ({"format": "exe"}, "format"),
        ({"format": []}, "format"),
        ({"tags": [1]}, "tags"),
        ({"filename": {"is": "tea"}}, "filename"),
        ({"processing_method": "magic"}, "processing_method"),
        ({"metadata": "team"}, "metadata"),
        ({"date_range": "2026"}, "date_range"),
        ({"date_range": {"from": "2026-01-01"}}, "date_range"),
        ({"date_range": {"start": "soon"}}, "date_range"),
    ],
)
def test_what_is_no_filter_is_refused_by_its_name(given: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_filters(given)
    assert refused.value.failure is Failure.INVALID
    assert refused.value.field == f"filters.{field}"
    assert refused.value.details["allowed_filters"] == list(FILTERS)

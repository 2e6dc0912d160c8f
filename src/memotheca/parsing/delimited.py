"""Comma-separated values and their kin, as a table."""

import csv
import io
import sys

from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.markdown import plain_document
from memotheca.parsing.office.sheets import write_rows
from memotheca.parsing.source import Source
from memotheca.text.encoding import clean, decode

# Chosen: the sniffer takes time in the square of what it is given.
_SAMPLE = 8 * 1024
_DELIMITERS = ",;\t|"


def read_csv(source: Source) -> Document:
    text = clean(decode(source.content))
    csv.field_size_limit(sys.maxsize)
    draft = DocumentBuilder()
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text[:_SAMPLE]))
        write_rows(draft, ((number, list(cells)) for number, cells in enumerate(rows)))
    except csv.Error:
        return plain_document("csv", text)
    return draft.finish("csv")


def _delimiter(sample: str) -> str:
    """The sniffer's word where it has one, else the sign that the first line has most of."""
    try:
        return csv.Sniffer().sniff(sample, _DELIMITERS).delimiter
    except csv.Error:
        first = sample.partition("\n")[0]
        return max(_DELIMITERS, key=first.count)

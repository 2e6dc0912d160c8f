"""Rich text: its words, and what its header says."""

import re
from itertools import groupby
from typing import Any, cast

from striprtf import striprtf

from memotheca.parsing.builder import DocumentBuilder, one_line
from memotheca.parsing.document import Document
from memotheca.parsing.source import Source

_TITLE = re.compile(r"\{\\title\s+([^{}\\]+)")
_AUTHOR = re.compile(r"\{\\author\s+([^{}\\]+)")


def read_rtf(source: Source) -> Document:
    raw = source.content.decode("latin-1")
    draft = DocumentBuilder()
    words: str = cast("Any", striprtf).rtf_to_text(raw, errors="replace")
    for is_table, lines in groupby(words.split("\n"), key=lambda line: line.rstrip().endswith("|")):
        if is_table:
            draft.table([line.strip().removesuffix("|").split("|") for line in lines])
        else:
            for line in lines:
                draft.paragraph(line)
    header = raw[:16_384]
    title, author = _TITLE.search(header), _AUTHOR.search(header)
    return draft.finish(
        "rtf", title=one_line(title[1]) if title else None, author=one_line(author[1]) if author else None
    )

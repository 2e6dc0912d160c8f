"""A triple as people say it, and as an entry for whoever shows entries."""

import re
from typing import cast

from memotheca.entries.edge_ends import EdgeWithEnds
from memotheca.model.commits import Version
from memotheca.model.kinds import TRIPLE
from memotheca.model.knowledge import Edge, Entry, handle_of

_JOINTS = re.compile(r"[_\-]")


def sentence_of(related: EdgeWithEnds) -> str:
    """A triple as people say it: `works_at` is `works at`."""
    edge = cast(Edge, related.version.thing)
    return " ".join((_name(related.source), spoken_predicate(edge.predicate), _name(related.target)))


def spoken_predicate(predicate: str) -> str:
    return " ".join(_JOINTS.sub(" ", predicate).split())


def _name(end: Entry | None) -> str:
    return "?" if end is None else end.title or handle_of(end)


def as_entry(related: EdgeWithEnds) -> Version:
    """A triple for whoever shows entries: its sentence is its title and its text."""
    version, edge = related.version, cast(Edge, related.version.thing)
    sentence = sentence_of(related)
    told = Entry(
        id=edge.id,
        kind=TRIPLE,
        title=sentence,
        body=f"{sentence}.",
        attributes={**edge.attributes, "confidence": edge.confidence},
        aliases=edge.aliases,
        validity=edge.validity,
        created_at=edge.created_at,
        updated_at=edge.updated_at,
    )
    return Version(id=edge.id, tx=version.tx, time=version.time, subject="edge", kind=TRIPLE, thing=told)

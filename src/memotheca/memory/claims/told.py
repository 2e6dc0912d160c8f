"""What an entry tells, as it is compared with others: its statements, what it is about, who said it, and when."""

from dataclasses import dataclass
from functools import lru_cache

from memotheca.memory.claims.statement import Statement, cues_of, statements_in, terms_of_text
from memotheca.memory.claims.values import Value
from memotheca.memory.spaces.fingerprint import SESSION
from memotheca.model.knowledge import Entry
from memotheca.text.caches import once

USER = "user"


@dataclass(frozen=True)
class ToldEntry:
    """`said` are the terms of all its statements, `about` also those of the reason it was stored for and of its tags;
    `cues` are what that reason says of it: new, repeated, disputed."""

    id: str
    statements: tuple[Statement, ...]
    said: frozenset[str]
    about: frozenset[str]
    reasons: frozenset[str]
    cues: frozenset[str]
    tags: frozenset[str]
    title: str
    source: str
    session: str
    at: int

    @once
    def values(self) -> tuple[Value, ...]:
        """Those of all its statements."""
        return tuple(value for statement in self.statements for value in statement.values)


def tell(entry: Entry) -> ToldEntry:
    """An entry as it is compared."""
    return _tell(_Key.of(entry))


@dataclass(frozen=True, slots=True)
class _Key:
    """All of an entry that what it tells is made of."""

    id: str
    title: str
    body: str
    tags: tuple[str, ...]
    reason: str
    source: str
    session: str
    at: int

    @staticmethod
    def of(entry: Entry) -> "_Key":
        said = entry.attributes
        reason, source = str(said.get("rationale") or ""), str(said.get("source") or USER)
        session = str(said.get(SESSION) or "")
        return _Key(entry.id, entry.title, entry.body, entry.tags, reason, source, session, entry.created_at)


@lru_cache(maxsize=2048)
def _tell(key: _Key) -> ToldEntry:
    statements = statements_in(key.title, key.body)
    said = frozenset(term for each in statements for term in each.terms)
    reasons = frozenset(terms_of_text(key.reason))
    labels = frozenset(term for tag in key.tags for term in terms_of_text(tag))
    return ToldEntry(
        id=key.id,
        statements=statements,
        said=said,
        about=said | reasons | labels,
        reasons=reasons,
        cues=cues_of(key.reason),
        tags=frozenset(key.tags),
        title=key.title,
        source=key.source,
        session=key.session,
        at=key.at,
    )

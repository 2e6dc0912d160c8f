"""Words for relations: what type of edge a word means, which way it points, and what such an edge is called."""

import re
from dataclasses import dataclass

from memotheca.model.kinds import CAUSAL, EDGE_TYPES, HIERARCHICAL, MENTIONS, RELATIONAL, SEMANTIC, TEMPORAL
from memotheca.model.knowledge import fold

CAUSES, PREVENTS = "causes", "prevents"
PART_OF, IS_A = "part of", "is a"
SUPERSEDES, CONTRADICTS, SAME_AS, RESOLVES = "supersedes", "contradicts", "same as", "resolves"
CONSISTENT = "consistent with"
PRECEDES, DEPENDS_ON, RESEMBLES, LINKS_TO = "precedes", "depends on", "resembles", "links to"


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge's type and predicate; turned, it leads from what was named to whoever named it."""

    type: str
    predicate: str
    is_turned: bool = False

    def ends(self, one: str, other: str) -> tuple[str, str]:
        """Source and target where one says this of the other."""
        return (other, one) if self.is_turned else (one, other)


# Predicate, type, the words that say it of the first about the second, and those that say it the other way round.
_WORDS: tuple[tuple[str, str, str, str], ...] = (
    (
        CAUSES,
        CAUSAL,
        "cause|caused|causing|cause of|root cause of|lead to|leads to|led to|leading to|result in|results in|"
        "resulted in|resulting in|bring about|brings about|brought about|trigger|triggers|triggered|produce|produces|"
        "produced|gives rise to|gave rise to|contributes to|contributed to|reason for|responsible for|explains|"
        "has effect|has consequence",
        "caused by|cause is|has cause|because|because of|due to|owing to|thanks to|on account of|result from|"
        "results from|resulted from|resulting from|result of|as a result of|consequence of|effect of|triggered by|"
        "brought about by|produced by|stem from|stems from|stemmed from|arise from|arises from|arose from|comes from|"
        "explained by|reason is|led to by",
    ),
    (
        PREVENTS,
        CAUSAL,
        "prevent|prevented|preventing|inhibits|inhibited|hinders|hindered|averts|averted",
        "prevented by|inhibited by|hindered by|averted by",
    ),
    (
        PART_OF,
        HIERARCHICAL,
        "belong to|belongs to|belonging to|member of|component of|contained in|contained by|included in|section of|"
        "child of|subset of",
        "has part|has parts|contain|contains|containing|include|includes|including|consists of|comprises|composed of|"
        "has member|has component|parent of|has child|superset of",
    ),
    (
        IS_A,
        HIERARCHICAL,
        "is an|kind of|a kind of|type of|a type of|sort of|instance of|example of|subclass of|subtype of|case of",
        "has kind|has type|has instance|has example|superclass of|supertype of|generalises|generalizes",
    ),
    (
        SUPERSEDES,
        RELATIONAL,
        "supersede|superseding|replace|replaces|replacing|update|updates|update of|overrides|obsoletes|deprecates|"
        "corrects|correction of|revises|revision of|successor of",
        "superseded by|replaced by|updated by|overridden by|obsoleted by|deprecated by|corrected by|revised by|"
        "predecessor of",
    ),
    (
        RESOLVES,
        RELATIONAL,
        "resolve|resolved|fix|fixes|fixed|fix for|fix of|solve|solves|solved|solution to|solution of|solution for|"
        "closes|closed|repairs|repaired|remedies|settles|settled|answers|answer to",
        "resolved by|fixed by|solved by|closed by|repaired by|remedied by|settled by|answered by",
    ),
    (
        CONTRADICTS,
        RELATIONAL,
        "contradict|contradicted by|in contradiction to|disputes|disputed by|disagrees with|conflicts with|"
        "in conflict with|refutes|denies|inconsistent with",
        "refuted by|denied by",
    ),
    (SAME_AS, RELATIONAL, "duplicate of|duplicates|identical to|equals|equal to|equivalent to|restates|repeats", ""),
    (CONSISTENT, RELATIONAL, "compatible with|agrees with|fine with|no conflict with|distinct from|not same as", ""),
    (PRECEDES, TEMPORAL, "before|precede|preceded|preceding|earlier than|prior to|followed by", "after|follow|follows|"
     "following|later than|preceded by|since"),
    (
        DEPENDS_ON,
        RELATIONAL,
        "depend on|depending on|dependent on|requires|require|needs|relies on|blocked by|builds on",
        "required by|needed by|prerequisite of|prerequisite for|dependency of|blocks",
    ),
    (RESEMBLES, SEMANTIC, "similar to|is like|like|resemble", ""),
    (MENTIONS, RELATIONAL, "mention|mentioned|refers to|about|concerns|names", "mentioned by|mentioned in|"
     "referred to by|subject of|named by"),
    (LINKS_TO, RELATIONAL, "linked to|related to|relates to|see also|connected to|connects to|associated with", ""),
)  # fmt: skip

_PARTING = re.compile(r"[\s_\-]+")
# What may stand before a word without changing what it says: "was caused by", "is the cause of".
_BEFORE = re.compile(r"(?:(?:is|are|was|were|be|been|being|has|have|had|got|gets|the|directly|also)\s)+")


def _table() -> dict[str, Relation]:
    table = {type.lower(): Relation(type, type.lower()) for type in EDGE_TYPES}
    table[CAUSAL.lower()] = Relation(CAUSAL, CAUSES)
    for predicate, type, said, turned in _WORDS:
        table |= {word: Relation(type, predicate) for word in (predicate, *said.split("|")) if word}
        table |= {word: Relation(type, predicate, True) for word in turned.split("|") if word}
    return table


_TABLE = _table()


def read_relation(said: str) -> Relation:
    """What a word for a relation means, whatever its case, hyphens and underscores; one that is not known is kept as
    it was said."""
    spelled = _PARTING.sub(" ", fold(said)).strip()
    if not spelled:
        return Relation(RELATIONAL, LINKS_TO)
    bare = _BEFORE.sub("", f"{spelled} ", count=1).strip() if _BEFORE.match(spelled) else spelled
    return _TABLE.get(spelled) or _TABLE.get(bare) or Relation(RELATIONAL, " ".join(said.split()))

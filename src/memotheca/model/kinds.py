"""The kinds of entries and of jobs, and the types of edges."""

ENTRY = "entry"
ENTITY = "entity"
NOTE = "note"
DOCUMENT = "document"
SECTION = "section"
PATTERN = "pattern"
MEMORY = "memory"
CONVERSATION = "conversation"

# What the memory has learned or was told about itself: a threshold's value, a topic's name, a profile. In history, undo
# and export like everything else, but no knowledge: never searched or counted as such.
TUNING = "tuning"

# What edges between entities are called where they are shown among entries.
TRIPLE = "triple"

KINDS = (ENTRY, ENTITY, NOTE, DOCUMENT, SECTION, PATTERN, MEMORY, CONVERSATION)
# Where several are spoken of.
PLURALS = {kind: f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s" for kind in KINDS}

DEFAULT_COLLECTION = "default"
# The patterns that ship are in a collection of their own, and so in nobody's counts, history or undo.
STARTER_COLLECTION = "starter-patterns"

# The kind of the jobs that take a file in.
INGEST = "ingest"

SEMANTIC = "Semantic"
TEMPORAL = "Temporal"
CAUSAL = "Causal"
HIERARCHICAL = "Hierarchical"
RELATIONAL = "Relational"

EDGE_TYPES = (SEMANTIC, TEMPORAL, CAUSAL, HIERARCHICAL, RELATIONAL)

KNOWLEDGE_TYPES = (
    "observation",
    "evidence",
    "assumption",
    "hypothesis",
    "fact",
    "decision",
    "question",
    "pattern",
    "lesson",
)
MEMORY_TYPES = ("fleeting", "factual", "core")
STATUSES = ("active", "refuted")

SUPPORTED_BY = "supported_by"
# From what names an entity to that entity; says nothing of what it has in common with others that do.
MENTIONS = "mentions"
# Of an entity that was made because something names it, not because somebody related it.
MENTIONED = "mentioned"

# What an edge with a structural predicate may point at; its ends are entries, not entities.
STRUCTURAL: dict[str, frozenset[str]] = {
    SUPPORTED_BY: frozenset({"evidence", "observation", "fact"}),
    "grounded_by": frozenset({"evidence", "observation", "fact", "assumption"}),
    "derived_from": frozenset(KNOWLEDGE_TYPES),
}

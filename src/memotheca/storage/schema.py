"""The tables of format 1; the collection is the first column of every key and index."""

TABLES = (
    """CREATE TABLE meta (
        name TEXT NOT NULL PRIMARY KEY,
        value TEXT NOT NULL
    )""",
    """CREATE TABLE collection (
        name TEXT NOT NULL PRIMARY KEY,
        tx BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        time BIGINT NOT NULL,
        settings TEXT NOT NULL
    )""",
    """CREATE TABLE serial (
        collection TEXT NOT NULL,
        namespace TEXT NOT NULL,
        last BIGINT NOT NULL,
        PRIMARY KEY (collection, namespace)
    )""",
    """CREATE TABLE tx (
        collection TEXT NOT NULL,
        tx BIGINT NOT NULL,
        time BIGINT NOT NULL,
        actor TEXT NOT NULL,
        operation TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        undoes BIGINT,
        PRIMARY KEY (collection, tx)
    )""",
    "CREATE INDEX tx_by_undone ON tx (collection, undoes)",
    """CREATE TABLE version (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        tx BIGINT NOT NULL,
        subject TEXT NOT NULL,
        kind TEXT NOT NULL,
        image TEXT,
        erased SMALLINT NOT NULL DEFAULT 0,
        PRIMARY KEY (collection, id, tx)
    )""",
    "CREATE INDEX version_by_tx ON version (collection, tx, id)",
    "CREATE INDEX version_by_kind ON version (collection, subject, kind, tx)",
    """CREATE TABLE entry_head (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        tx BIGINT NOT NULL,
        kind TEXT NOT NULL,
        label TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX entry_head_by_kind ON entry_head (collection, kind, id)",
    """CREATE TABLE edge_head (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        tx BIGINT NOT NULL,
        source TEXT NOT NULL,
        target TEXT NOT NULL,
        type TEXT NOT NULL,
        predicate TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX edge_head_by_source ON edge_head (collection, source, predicate)",
    "CREATE INDEX edge_head_by_target ON edge_head (collection, target, predicate)",
    """CREATE TABLE alias (
        collection TEXT NOT NULL,
        namespace TEXT NOT NULL,
        name TEXT NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (collection, namespace, name)
    )""",
    "CREATE INDEX alias_by_name ON alias (collection, name)",
    "CREATE INDEX alias_by_id ON alias (collection, id)",
    """CREATE TABLE pending_conflict (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        expires BIGINT NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
)

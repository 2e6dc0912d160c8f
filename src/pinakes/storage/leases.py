"""Leases: who holds a role since when, and the token that whoever held it before has not."""

TABLES = (
    """CREATE TABLE lease (
        role TEXT NOT NULL PRIMARY KEY,
        token BIGINT NOT NULL,
        pid BIGINT NOT NULL,
        host TEXT NOT NULL,
        since BIGINT NOT NULL
    )""",
)

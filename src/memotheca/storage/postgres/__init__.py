"""How is the data kept in PostgreSQL, which servers on many machines share?

Not for SQL, which is written once, outside. Look first at `postgres_database.py`; what it says in other words is
`postgres_dialect.py`.
"""

"""When are two memories near?

Thirteen notions of nearness, each with its representation. Not for the shared search (`search`).
Look first at `space_table.py`.
"""

"""What do others' files hold?

Readers of what other programs export: conversations, memories, notes, tables; and what brings them in. Not for our own
export (`admin/transfer.py`). Look first at `import_formats.py`.
"""

"""How do markdown files hold notes?

Frontmatter, links, byte-exact edits, safe access to files and watching them. Not for the graph they make (`notes`).
Look first at `note_file.py`, `structure.py` and `files.py`.
"""

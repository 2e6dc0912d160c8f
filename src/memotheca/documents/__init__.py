"""How does a file become knowledge?

Taking files in, their sections, searching and listing them. Not for reading formats (`parsing`).
Look first at `ingest.py`.
"""

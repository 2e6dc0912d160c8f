"""What do office files hold?

Word, PowerPoint, Excel and OpenDocument files, which are zip archives of XML. Not for other zips (`parsing/epub.py`).
Look first at `package.py` for the archive.
"""

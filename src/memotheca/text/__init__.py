"""What is a text made of?

Words, terms, tokens, spellings, languages and the cutting of long texts; pure functions of strings.
Not for vectors or for anything stored. Look first at `words.py` and `chunking.py`.
"""

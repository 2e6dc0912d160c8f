"""Is this text what it pretends to be?

Planted instructions, secrets, disguises, circles. Pure; what happens to such a text is decided in `curation`.
Look first at `adversarial.py`.
"""

"""Is this text what it pretends to be?

Planted instructions, disguises, circles. Pure; not for what happens to such a text (`curation`).
Look first at `adversarial.py`.
"""

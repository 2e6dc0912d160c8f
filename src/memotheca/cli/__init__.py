"""How do people run us?

One module a command, its arguments, and how answers are shown on a terminal. Not for what a command does: it calls the
rooms below. Look first at `main.py`.
"""

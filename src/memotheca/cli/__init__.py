"""How do people run us?

How a command line is understood and how answers are shown on a terminal; the commands stand in `commands/`. Not for
what a command does: it calls the rooms below. Look first at `main.py`.
"""

"""How well does a memory hang together with the rest?

Nearest neighbours, calibration, judgement in the spaces. Not for changing anything. Look first at `judge.py`.
"""

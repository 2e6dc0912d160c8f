"""What does a sentence say, and does it agree with another?

Statements, quantities, priors, summaries. Pure; not for anything stored. Look first at `contradiction.py`.
"""

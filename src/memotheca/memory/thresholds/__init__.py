"""Do the bars by which the memory decides lie where they should?

What they decided, whether that was right, and where they would have been right more often. Not for reading a bar
(`tuning/gates.py`) or for deciding. Look first at `decision_labels.py`, then `bar_levels.py`.
"""

"""What has the memory learned, or been told, about itself?

Not for learning it (`outcomes`, `thresholds`, `topics`). Look first at `tunings.py`, and at `thresholds.py` for every
bar by which something is decided.
"""

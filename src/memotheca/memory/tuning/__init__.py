"""What has the memory learned, or been told, about itself?

Not for learning it (`outcomes`, `thresholds`, `topics`). Look first at `tunings.py`.
"""

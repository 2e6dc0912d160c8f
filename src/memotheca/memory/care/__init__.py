"""What in the memory needs attention?

Critique, tasks, balance, quarantine, the manifest. Proposes changes; not for carrying them out (`curation`).
Look first at `tasks.py`.
"""

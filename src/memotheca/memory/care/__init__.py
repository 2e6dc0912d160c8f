"""What in the memory needs attention?

Critique, tasks, balance, quarantine, the manifest. Proposes; `curation` carries out. Look first at `tasks.py`.
"""

"""What does the memory answer?

Contexts, recall, questions, plans, inference. Not for ranking itself (`search`). Look first at `context.py`.
"""

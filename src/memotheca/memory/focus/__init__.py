"""What is a session's attention on, how strongly does that pull what it finds next, and is it still what it was?

The pinned memory, what competes with it, how the spaces agree. Not for how well a question was answered (`session`) nor
for answering one (`recall`). Look first at `workspace.py`.
"""

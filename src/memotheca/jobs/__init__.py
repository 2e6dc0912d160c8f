"""What outlives a call?

Durable jobs, the workers that take them, uploads. Not for what a job does (`documents`). Look first at `queue.py`.
"""

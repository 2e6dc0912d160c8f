"""How does whoever runs a server see what it does, and how does it end?

A line for each call and each refusal, metrics, traces, readiness, and letting what runs come to its end; never what a
call says. Not for limits (`limits.py`). Look first at `call_watch.py`.
"""

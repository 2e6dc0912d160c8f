"""How do clients reach us?

stdio, HTTP, SSE and WebSocket, resources, prompts and subscriptions; the only room that knows the protocol and
asynchrony. Not for what a tool does (`tools`). Look first at `adapter.py`.
"""

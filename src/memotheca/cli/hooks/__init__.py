"""How do the hooks of clients reach us?

What a client starts at the events of its sessions, what is put into its configuration for that, and how people stop
it. Not for what is told or kept (`memotheca/hooks`). Look first at `hook_client.py`.
"""

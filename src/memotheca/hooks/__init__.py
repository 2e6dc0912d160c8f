"""What do a client's hooks want, and what is kept of what they tell?

What a session is told at its beginning and beside a prompt, which sessions wait to be kept, and whether any of that is
wished. Not for how a hook is called (`cli/hooks/hook_client.py`) nor for reading transcripts (`admin/imports`). Look
first at `answers.py`.
"""

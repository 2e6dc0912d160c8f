"""What is a tool?

Its declaration, its fields, the catalogue, asking back, and the one place where exceptions become replies.
Not for any family's tools or words (`tools`). Look first at `dispatch.py` and `tool.py`.
"""

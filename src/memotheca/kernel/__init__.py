"""What is every verb given?

The context a call works in: the store, its collection, the parts that live as long as the process, handles and paging.
Not for anything that knows a family. Look first at `kernel.py`.
"""

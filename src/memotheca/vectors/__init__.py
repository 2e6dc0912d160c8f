"""Which embedder turns a text into a vector?

The shipped model, other models and services behind one port, and how vectors are compared and fused with words.
Not for keeping vectors (`storage`) or searching them (`search`). Look first at `embedders.py` and `load.py`.
"""

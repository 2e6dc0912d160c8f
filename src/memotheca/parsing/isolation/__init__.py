"""How is a foreign file read without harm?

A server that forks a child a file, with limits on memory and time, and the wire between them. Not for any format.
Look first at `sandbox.py`.
"""

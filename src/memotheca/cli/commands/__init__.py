"""What can people tell us to do?

One module a command, `<name>_command.py`: its arguments and how its answer is told. Not for what a command does, which
is in the rooms, nor for how things look on a terminal (`cli/layout.py`, `cli/terminal.py`). Look first at
`collections_command.py`, the shortest.
"""

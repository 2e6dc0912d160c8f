"""What is this session about and how is it doing?

Focus, pulse, modulators, scratchpad. Operational state; not part of history. Look first at `state.py`.
"""

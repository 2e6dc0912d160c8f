"""What does the memory do about itself, on request, while nobody asks it anything?

Dreams, letting go and drawing together, each change of which can be taken back. Not for finding what needs attention
(`care`), nor for a single change that somebody asks for (`curation`). Look first at `night.py`.
"""

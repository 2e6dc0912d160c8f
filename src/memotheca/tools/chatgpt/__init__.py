"""What do connectors find that know only how to search and to fetch?

The pair of tools that ChatGPT's connectors and its deep research require, by the names and in the shapes they require,
over everything that is stored. Not for clients that can call other tools. Look first at `search_all.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset(
    "chatgpt",
    "The pair `search` and `fetch` that ChatGPT's connectors require, over everything; no part of `all`.",
    default=False,
    is_apart=True,
)

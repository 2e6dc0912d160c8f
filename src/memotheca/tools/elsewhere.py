"""Where nothing matches: what other families have, and by which tool it is found."""

from collections.abc import Callable

from memotheca.kernel.kernel import Kernel
from memotheca.search.search import count_elsewhere

# By which tool what another family has is found, the best of those that are shown.
FINDING = {
    "query": 'query with kinds ["all"]',
    "search_graph": "search_graph finds it",
    "inject_context": "inject_context finds it",
}


def point_elsewhere(kernel: Kernel, text: str, *, but: str, shows: Callable[[str], bool]) -> str:
    """What other families have that matches, and by which of the tools that are shown it is found."""
    found = count_elsewhere(kernel, text, but=but)
    how = next((advice for name, advice in FINDING.items() if shows(name)), "")
    return f"Elsewhere: {found}{f'; {how}' if how else ''}." if found else ""

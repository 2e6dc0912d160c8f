"""Goals: what somebody is after, told from the words in which it is said."""

import re
from typing import Literal

from memotheca.memory.spaces.code import names
from memotheca.memory.spaces.entities import find

Intent = Literal[
    "undo", "missing", "conflict", "clean", "cause", "trust", "health", "forget", "store", "related", "kind", "find"
]
QueryType = Literal["semantic", "causal", "code", "temporal", "entity"]

# In the order in which they are served: what is said more rarely says more.
_INTENTS: tuple[tuple[Intent, str], ...] = (
    ("undo", r"undo|undelete|restor\w*|recover\w*|revert\w*|bring\w* back|get back"),
    ("missing", r"forgot\w*|lost|missing|gone|vanish\w*|disappear\w*|deleted|(?:don't|not|cannot|can't) remember"),
    ("conflict", r"conflict\w*|contradict\w*|disagree\w*|inconsisten\w*|compar\w*|fact-?check\w*|verif\w*|outdated"),
    ("clean", r"clean\w*|duplicat\w*|merg\w*|tidy\w*|curat\w*|dedup\w*|repeat\w*|redundan\w*"),
    ("cause", r"why|caus\w*|reason\w*|because|effects?|affect\w*|consequen\w*|lead\w* to|result\w* (?:in|from)|impact"),
    ("trust", r"safe\w*|inject\w*|attack\w*|adversar\w*|trust\w*|malicious|suspicious"),
    ("health", r"health\w*|status|quarantin\w*|importance|balanc\w*|overview|how (?:is|are) (?:the|my) memor\w*"),
    ("forget", r"forget|delet(?:e|ing)|remov\w*|drop|discard\w*"),
    ("store", r"stor(?:e|ing)|sav(?:e|ing)|note down|write down|keep|remember that|record"),
    ("related", r"relat\w*|around|neighbou?r\w*|connect\w*|linked|context of|explor\w*"),
    ("kind", r"kinds? of|types? of|part of|belongs? to|general\w*|specific\w*|hierarch\w*|categor\w*"),
    (
        "find",
        r"find\w*|recall\w*|remember\w*|search\w*|look\w*|know\w*|learn\w*|understand\w*|what|where|who|when|which",
    ),
)
_PATTERNS: tuple[tuple[Intent, re.Pattern[str]], ...] = tuple(
    (intent, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for intent, words in _INTENTS
)

_REQUEST = re.compile(
    r"^(?:please|i(?:'d)? (?:want|need|would like) to|we (?:want|need) to|help me(?: to)?|can you|could you|let me|"
    r"find out|figure out|find|understand|learn|recall|remember|search for|look for|look up|show me|tell me|get|about)"
    r"\s+",
    re.IGNORECASE,
)
_CAUSAL = re.compile(rf"\b(?:{dict(_INTENTS)['cause']}|depends? on|triggers?|prevents?)\b", re.IGNORECASE)
_EFFECT = re.compile(
    r"\b(?:effects?|affect\w*|consequen\w*|lead\w* to|result\w* in|impact\w*|follows? from)\b", re.IGNORECASE
)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_PERIOD = re.compile(
    rf"\b(\d{{4}}-\d{{2}}(?:-\d{{2}})?|(?:{_MONTHS})(?:\s+\d{{1,2}})?(?:,?\s+\d{{4}})?|(?:19|20)\d{{2}}|today|yesterday|"
    r"(?:last|this|past) (?:week|month|year|night))\b",
    re.IGNORECASE,
)


def intents(goal: str) -> list[Intent]:
    """Everything a goal asks for, the most telling first."""
    return [intent for intent, pattern in _PATTERNS if pattern.search(goal)]


def without_request(goal: str) -> str:
    """A goal without the words that only ask for it."""
    spoken = goal.strip()
    while (shorter := _REQUEST.sub("", spoken)) != spoken and len(shorter) > 3:
        spoken = shorter
    return spoken.rstrip("?!. ") or goal.strip()


def asks_for_effects(goal: str) -> bool:
    return _EFFECT.search(goal) is not None


def periods(goal: str) -> list[str]:
    """The times a goal names, as they are written."""
    return [found.lower() for found in _PERIOD.findall(goal)]


def query_type(query: str) -> QueryType:
    """What a question is mainly about."""
    if names(query):
        return "code"
    if _CAUSAL.search(query):
        return "causal"
    if periods(query):
        return "temporal"
    return "entity" if find(query) else "semantic"

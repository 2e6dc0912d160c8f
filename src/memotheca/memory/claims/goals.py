"""Goals: what somebody is after, told from the words in which it is said."""

import re
from typing import Literal

from memotheca.memory.spaces.code import names
from memotheca.text.names_in_text import find

Intent = Literal[
    "undo", "missing", "conflict", "clean", "cause", "trust", "health", "forget", "store", "related", "kind", "find"
]
QueryType = Literal["semantic", "causal", "code", "temporal", "entity"]

# In the order in which they are served: what is said more rarely says more.
_INTENTS: tuple[tuple[Intent, str], ...] = (
    (
        "undo",
        r"undo|undelete|restor\w*|recover\w*|revert\w*|(?:bring|get|take|put|want|have)\w*(?: [\w'-]+){0,5} back",
    ),
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
_DOING: frozenset[Intent] = frozenset(("undo", "clean", "forget", "store", "health"))
_PATTERNS: tuple[tuple[Intent, re.Pattern[str]], ...] = tuple(
    (intent, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for intent, words in _INTENTS
)

_REQUEST = re.compile(
    r"^(?:please|i(?:'d)? (?:want|need|would like) to|we (?:want|need) to|help me(?: to)?|can you|could you|let me|"
    r"find out|figure out|find|write up|write|summari[sz]e|describe|explain|list|draft|prepare|report on|"
    r"understand|learn|recall|remember|search for|look for|look up|show me|tell me|get|about)"
    r"\s+",
    re.IGNORECASE,
)
# "Why does", "who is responsible for": what is left of a question is what it is about.
_QUESTION = re.compile(
    r"^(?:(?:why|how|what|who|whom|whose|where|when|which)\b\s*)+(?:(?:is|are|was|were|do|does|did|has|have|had|can|"
    r"could|will|would|should|may|might|caused?|causes|happened|happens|to|with|about|responsible|know|knows|for|of|the|"
    r"we|i|you|they)\b\s*)*",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(r",\s|;|\b(?:while|when|whenever|because|if|since|after|before|although)\b", re.IGNORECASE)
_TO_STORE = re.compile(
    r"^(?:please\s+)?(?:(?:remember|note|store|save|record|keep in mind|write down|note down|do not forget|"
    r"don't forget)(?:\s+(?:that\b|for later\b|down that\b)[:,]?|:)|memori[sz]e(?:\s+that)?)\s*",
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
    """Everything a goal asks for, the most telling first; of a statement that is to be remembered, nothing but that."""
    if _TO_STORE.match(goal.strip()):
        return ["store"]
    found: list[Intent] = [intent for intent, pattern in _PATTERNS if pattern.search(goal)]
    # Who wants something done asks nothing; and what is to come back was there, so that nobody need look for it.
    needless = {"find", *(("missing",) if "undo" in found else ())} if _DOING.intersection(found) else set[str]()
    return [intent for intent in found if intent not in needless]


def without_request(goal: str) -> str:
    """A goal without the words that only ask for it."""
    spoken = goal.strip()
    while (shorter := _REQUEST.sub("", spoken)) != spoken and len(shorter) > 3:
        spoken = shorter
    return spoken.rstrip("?!. ") or goal.strip()


def topic_of(goal: str) -> str:
    """What a goal is about: without what asks for it, and without the word of the question."""
    spoken = without_request(goal)
    shorter = _QUESTION.sub("", spoken).strip()
    return shorter if len(shorter) > 3 else spoken


def clause_of(goal: str) -> str:
    """What a goal is about, up to where it says when or under what."""
    topic = topic_of(goal)
    short = _SUBORDINATE.split(topic, maxsplit=1)[0].strip(" ,;")
    return short if len(short) > 3 else topic


def to_remember(goal: str) -> str:
    """What is to be stored where a goal asks for that, as a statement of its own."""
    said = _TO_STORE.sub("", goal.strip(), count=1).strip()
    said = said if len(said) > 3 else goal.strip()
    return f"{said[:1].upper()}{said[1:]}"


def asks_for_causes(goal: str) -> bool:
    return _CAUSAL.search(goal) is not None


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

"""Proposals in the words of the tools: with which arguments to call, and what for."""

from collections.abc import Callable, Mapping
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.memory.recall.reflection import Ground, Proposal
from memotheca.memory.verbs import Verb

LONGEST_RATIONALE = 1000  # specification: the bound of a rationale


def to_arguments(proposal: Proposal, goal: str) -> dict[str, Any]:
    """What the tool that does it is to be called with."""
    fill = _ARGUMENTS.get(proposal.verb)
    return {} if fill is None else fill(proposal, f"Asked for: {goal}"[:LONGEST_RATIONALE])


def say_why(proposal: Proposal) -> str:
    """What calling the tool is good for."""
    sentence = _SENTENCES[proposal.ground, proposal.verb]
    return sentence if isinstance(sentence, str) else sentence(proposal)


def _merge(proposal: Proposal, asked: str) -> dict[str, Any]:
    return {
        "source_node_ids": [entry.id for entry in proposal.entries],
        "target_name": name_of(proposal.entries[0]),
        "rationale": "They say the same thing.",
    }


def _trace(proposal: Proposal, asked: str) -> dict[str, Any]:
    source, target = proposal.entries
    return {"source_id": source.id, "target_id": target.id, "direction": "bidirectional"}


def _forget(proposal: Proposal, asked: str) -> dict[str, Any]:
    return {"node_id": proposal.entries[0].id, "reason": "user_requested", "rationale": asked}


def _restore(proposal: Proposal, asked: str) -> dict[str, Any]:
    return {} if proposal.lost is None else {"reversal_hash": proposal.lost.reversal_hash}


def _text_as(name: str) -> Callable[[Proposal, str], dict[str, Any]]:
    return lambda proposal, asked: {name: proposal.text}


def _node(proposal: Proposal, asked: str) -> dict[str, Any]:
    return {"node_id": proposal.entries[0].id}


_ARGUMENTS: Mapping[Verb, Callable[[Proposal, str], dict[str, Any]]] = {
    Verb.UNEARTH: _text_as("query"),
    Verb.SEARCH: _text_as("query"),
    Verb.CITE: _text_as("query"),
    Verb.PLAN: _text_as("goal"),
    Verb.PREDICT: _text_as("action"),
    Verb.EXPLAIN: _text_as("outcome"),
    Verb.CHECK: _text_as("content"),
    Verb.STORE: lambda proposal, asked: {"content": proposal.text, "rationale": asked},
    Verb.LOOK_BACK: lambda proposal, asked: {"component": "curation"},
    Verb.CRITICISE: lambda proposal, asked: {"check_types": list(proposal.checks)} if proposal.checks else {},
    Verb.RESTORE: _restore,
    Verb.UNDO: lambda proposal, asked: {"count": 1},
    Verb.MERGE: _merge,
    Verb.TRACE: _trace,
    Verb.FORGET: _forget,
    Verb.SURROUND: _node,
    Verb.CLASSIFY: _node,
}


def _brings_back(proposal: Proposal) -> str:
    return "" if proposal.lost is None else f"Brings back {name_of(proposal.lost.entry)!r}."


def _checks(proposal: Proposal) -> str:
    about = f"the text of {citation_of(proposal.entries[0])}" if proposal.entries else "what was said"
    return f"Check {about} before relying on it."


def _forgets(proposal: Proposal) -> str:
    return f"Forgets {citation_of(proposal.entries[0])}; it can come back for 30 days."


def _surrounds(proposal: Proposal) -> str:
    return f"What surrounds {citation_of(proposal.entries[0])}."


def _classifies(proposal: Proposal) -> str:
    return f"What is above and below {citation_of(proposal.entries[0])}."


_SENTENCES: Mapping[tuple[Ground, Verb], str | Callable[[Proposal], str]] = {
    ("undo", Verb.UNEARTH): "See what was deleted and can still come back.",
    ("undo", Verb.RESTORE): _brings_back,
    ("undo", Verb.LOOK_BACK): "Nothing was forgotten: see what was done last.",
    ("undo", Verb.UNDO): "Takes back the last change.",
    ("missing", Verb.UNEARTH): "It may have been forgotten or merged.",
    ("missing", Verb.LOOK_BACK): "See who changed what.",
    ("missing", Verb.PLAN): "It may be there under other words.",
    ("conflict", Verb.CRITICISE): "Find statements that cannot all hold.",
    ("clean", Verb.TEND): "See the curation tasks.",
    ("clean", Verb.MERGE): "These two say the same.",
    ("clean", Verb.CRITICISE): "Find what repeats or is outdated.",
    ("cause", Verb.PREDICT): "See what it brings about.",
    ("cause", Verb.EXPLAIN): "See what brought it about, direct causes first.",
    ("cause", Verb.TRACE): "Follow the chain between the two nearest.",
    ("trust", Verb.CHECK): _checks,
    ("health", Verb.BALANCE): "Importance, suspects and quarantine.",
    ("health", Verb.TEND): "What to tend to.",
    ("forget", Verb.SEARCH): "Make sure which one is meant.",
    ("forget", Verb.FORGET): _forgets,
    ("store", Verb.SEARCH): "Something like it may be there already.",
    ("store", Verb.STORE): "Put it into your own words, with why and with links.",
    ("related", Verb.SURROUND): _surrounds,
    ("kind", Verb.CLASSIFY): _classifies,
    ("find", Verb.PLAN): "Ask in three different ways.",
    ("find", Verb.SEARCH): "See what is stored, best first.",
    ("unsettled", Verb.ASK): "The material is unsettled: let a question settle it.",
    ("loose", Verb.CRITICISE): "The material hangs together loosely: look for conflicts.",
    ("goal", Verb.CITE): "Have the passages that matter at hand, each cited.",
}

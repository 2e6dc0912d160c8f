"""Verbs: what can be done with a memory, as the rooms name it; which tool does it is said in `tools/memories`."""

from enum import StrEnum, auto


class Verb(StrEnum):
    """Something to do: what a commit did, or what is proposed to be done next."""

    STORE = auto()
    MERGE = auto()
    FORGET = auto()
    RESTORE = auto()
    ANNOTATE = auto()
    BOOST = auto()
    RELEASE = auto()
    TUNE = auto()
    LEARN = auto()
    PRUNE = auto()
    CONSOLIDATE = auto()
    DREAM = auto()
    UNDO = auto()

    SEARCH = auto()
    CITE = auto()
    PLAN = auto()
    SURROUND = auto()
    PREDICT = auto()
    EXPLAIN = auto()
    TRACE = auto()
    CLASSIFY = auto()
    UNEARTH = auto()

    CRITICISE = auto()
    TEND = auto()
    BALANCE = auto()
    CHECK = auto()
    LOOK_BACK = auto()
    ASK = auto()
    REFLECT = auto()

"""The librarian's desk: the state of the memory, and a review in which every decision can be taken back."""

from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from memotheca.admin.history import undo
from memotheca.cli.layout import say
from memotheca.cli.terminal import ACTOR, plain, styled
from memotheca.kernel.citations import citation_of, name_of, written_name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.look_through import look_through
from memotheca.memory.care.proposals import propose_lately
from memotheca.memory.care.quarantine import lift_quarantine, quarantined_entries
from memotheca.memory.care.recency import recent_entries
from memotheca.memory.care.settle import settle
from memotheca.memory.care.tasks import (
    CareTask,
    curation_tasks,
    examine_health,
    keep_as_it_is,
    reconsider,
    standing_tasks,
)
from memotheca.memory.claims.when import told_by, told_when
from memotheca.memory.curation import merged_text
from memotheca.memory.curation.annotate import Annotation, annotate
from memotheca.memory.curation.links import StatedRelation
from memotheca.memory.curation.merge import MergeRequest, forget, merge
from memotheca.memory.curation.pass_progress import count_ahead
from memotheca.memory.curation.restore import restore
from memotheca.memory.curation.ties import TieRequest
from memotheca.memory.curation.tombstones import list_tombstones
from memotheca.memory.curation.undecided import PROPOSED
from memotheca.memory.dream.dream_log import LastDreams, read_dreams
from memotheca.memory.graph.relations import CONSISTENT
from memotheca.memory.topics.north_star import Goal, read_goal
from memotheca.memory.topics.survey import up_to_date
from memotheca.memory.topics.topics import TopicMap
from memotheca.memory.traits import chief_of
from memotheca.memory.tuning.gates import Setting, gates_at, read_settings
from memotheca.memory.tuning.thresholds import REGISTRY
from memotheca.model.clock import to_iso
from memotheca.model.errors import Refusal
from memotheca.model.kinds import CONVERSATION, ENTRY, MEMORY, NOTE
from memotheca.model.knowledge import Entry
from memotheca.tools.memories.names import TOOLS

PROPOSAL_CHOICES = "[a]ccept [d]ismiss [s]kip [u]ndo [q]uit"
CHOICES = "[m]erge [f]orget [k]eep [s]kip [u]ndo [q]uit"
LAST = "Nothing is left. [u]ndo the last, or [q]uit"
SHOWN = 200  # chosen: two or three lines, enough to know a memory again
PATIENCE = 5.0  # chosen: seconds that a person waits for a list
CLASHING = ("dispute", "update")
# What a person remembers and may merge; a document is its file, and its headings are the document's.
KEPT_BY_HAND = (MEMORY, ENTRY, NOTE)
# What there is to decide about; of a conversation only what was said in it.
DECIDED = (*KEPT_BY_HAND, CONVERSATION)


def state_of(kernel: Kernel, limit: int) -> dict[str, Any]:
    """What `memotheca memory` shows, of each at most so many."""
    _look_through(kernel)
    topics = up_to_date(kernel)
    with kernel.read() as snapshot:
        tasks = curation_tasks(kernel, snapshot, among=DECIDED)
        recent = recent_entries(kernel, snapshot, limit, among=KEPT_BY_HAND)
        return {
            "health": asdict(examine_health(kernel, snapshot)),
            "tasks": [_task_shape(task) for task in tasks[:limit]],
            "not_yet_compared": count_ahead(snapshot),
            "conflicts": [_conflict(task) for task in tasks if task.kind in CLASHING][:limit],
            "topics": _topics(topics, read_goal(snapshot, topics), limit),
            "last_dream": _last_dream(read_dreams(snapshot.session, snapshot.collection)),
            "thresholds": [_threshold(setting) for setting in read_settings(snapshot).values()][:limit],
            "quarantine": [
                {
                    **_node(entry),
                    "reason": why["reason"],
                    "since": to_iso(why["since"]),
                    "until": None if why.get("until") is None else to_iso(why["until"]),
                }
                for entry, why in quarantined_entries(kernel, snapshot)[:limit]
            ],
            "recent": [{**_node(entry), "created_at": to_iso(entry.created_at)} for entry in recent[:limit]],
            "tombstones": [
                {
                    **_node(each.entry),
                    "forgotten_at": to_iso(each.commit.time),
                    "days_left": round(each.days_left, 2),
                    "reversal_hash": each.reversal_hash,
                }
                for each in list_tombstones(snapshot, kernel.now(), limit=limit)
            ],
        }


def release(kernel: Kernel, handle: str) -> dict[str, Any]:
    """Let something out of quarantine; what it is and the transaction that can be undone."""
    version = lift_quarantine(kernel, handle, actor=ACTOR)
    assert isinstance(version.thing, Entry)
    return {**_node(version.thing), "tx_id": version.tx}


def _node(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "kind": entry.kind, "citation": citation_of(entry), "name": written_name_of(entry)}


def _topics(known: TopicMap, goal: Goal | None, limit: int) -> list[dict[str, Any]]:
    """The largest first."""
    serving: frozenset[str] = frozenset() if goal is None else goal.ids
    return [
        {
            "id": topic.id,
            "name": topic.name,
            "memories": topic.count,
            "trend": topic.trend,
            "serves_goal": topic.id in serving,
        }
        for topic in known.topics[:limit]
    ]


def _last_dream(dreams: LastDreams) -> dict[str, Any] | None:
    """Its report, with the time of its end."""
    ended = dreams.ended
    return None if ended is None else {"ended_at": to_iso(ended.time), **ended.facts}


def _threshold(setting: Setting) -> dict[str, Any]:
    held = REGISTRY[setting.name]
    return {
        "name": setting.name,
        "domain": setting.domain,
        "value": round(setting.bar, 4),
        "prior": held.prior,
        "cause": setting.cause,
        "labels": setting.labels,
        "gates": held.gates,
    }


def _task_shape(task: CareTask) -> dict[str, Any]:
    return {
        "task_type": task.type,
        "target_nodes": [_node(entry) for entry in task.entries],
        "reason": task.reason,
        "suggested_tool": TOOLS[task.remedy],
        "priority": task.priority,
    }


def _conflict(task: CareTask) -> dict[str, Any]:
    return {
        "citations": [citation_of(entry) for entry in task.entries],
        "older": task.row.one_said,
        "newer": task.row.other_said,
        "type": task.kind,
        "score": task.row.score,
        "explanation": task.reason,
    }


def _look_through(kernel: Kernel) -> None:
    """All that is stored, or as much of it as somebody waits for; the rest is looked through while a server runs, or
    the next time."""
    propose_lately(kernel)
    look_through(kernel, lambda: False, seconds=PATIENCE, anew=True)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a task, and how to take it back."""

    task: CareTask
    take_back: Callable[[], object]


def review(kernel: Kernel) -> None:
    """Ask about each task until there is none left, or the person leaves; also then the last can be taken back."""
    _look_through(kernel)
    with kernel.read() as snapshot:
        waiting = deque(curation_tasks(kernel, snapshot, among=DECIDED))
    decided: list[Decision] = []
    settled: list[CareTask] = []
    if not waiting:
        print("There is nothing to decide.")
    while waiting or decided:
        task = _next_standing(kernel, waiting, settled)
        choice = _ask(LAST if task is None else PROPOSAL_CHOICES if task.kind == PROPOSED else CHOICES)
        if choice == "u":
            waiting.extendleft([task] if task else [])
            # What that decision had settled besides comes up again.
            waiting.extend(settled)
            settled.clear()
            _undo(decided, waiting)
        elif task is None or choice == "q":
            break
        elif not _decide(kernel, task, choice, decided):
            waiting.appendleft(task)
    print(f"{len(decided)} decided.")


def _next_standing(kernel: Kernel, waiting: "deque[CareTask]", settled: list[CareTask]) -> CareTask | None:
    """Show the next task that is still open; the others are settled by what was decided."""
    while waiting:
        task = waiting.popleft()
        if _still_stands(kernel, task):
            _show(task, len(waiting))
            return task
        settled.append(task)
    return None


def _still_stands(kernel: Kernel, task: CareTask) -> bool:
    with kernel.read() as snapshot:
        return any(row.id == task.row.id for row in standing_tasks(kernel, snapshot))


def _show(task: CareTask, more: int) -> None:
    print()
    say(f"{styled(task.type, 'bold')} ({task.priority}): {task.reason}; {more} more")
    for number, entry in enumerate(task.entries, 1):
        said = (task.row.one_said, task.row.other_said)[number - 1] or merged_text.content_of(entry)
        told = f"{citation_of(entry)} {told_when(entry)} {told_by(entry)} {said[:SHOWN]}"
        say(plain(told), lead=f"  {number}. ", hang="     ")


def _ask(question: str) -> str:
    try:
        return input(f"{question} ").strip().lower()
    except EOFError:
        return "q"


def _decide(kernel: Kernel, task: CareTask, choice: str, decided: list[Decision]) -> bool:
    """Do as was said; false where nothing was, so that the question is asked again."""
    try:
        if task.kind == PROPOSED:
            return _decide_proposal(kernel, task, choice, decided)
        if choice == "m" and len(task.entries) > 1:
            decided.append(Decision(task, _merge(kernel, task)))
        elif choice[:1] == "f":
            entry = _which(task, choice[1:].strip())
            if entry is None:
                return False
            decided.append(Decision(task, _forget(kernel, task, entry)))
        elif choice == "k":
            decided.append(Decision(task, _keep(kernel, task)))
        elif choice != "s":
            print("There is nothing to merge it with." if choice == "m" else "Choose one of the letters.")
            return False
    except Refusal as refusal:
        print(refusal.message)
        return False
    return True


def _decide_proposal(kernel: Kernel, task: CareTask, choice: str, decided: list[Decision]) -> bool:
    if choice == "a":
        rationale = f"Accepted in a review: {task.reason}"
        done = settle(kernel, task, "store", rationale=rationale, actor=ACTOR)
        print(done.told)
        decided.append(Decision(task, lambda: undo(kernel, count=1, actor=ACTOR)))
    elif choice == "d":
        print(settle(kernel, task, "dismiss", rationale="Dismissed in a review.", actor=ACTOR).told)
        decided.append(Decision(task, lambda: reconsider(kernel, task)))
    elif choice != "s":
        print("Choose one of the letters.")
        return False
    return True


def _keep(kernel: Kernel, task: CareTask) -> Callable[[], object]:
    """Two that are fine beside each other are linked as such; one is kept until it changes."""
    if len(task.entries) == 1:
        keep_as_it_is(kernel, task)
        print("Kept as it is; it comes up again when something changes.")
        return lambda: reconsider(kernel, task)
    one, other = task.entries
    ties = TieRequest(link_to=(other.id,), relation=StatedRelation(word=CONSISTENT))
    linked = annotate(kernel, one.id, Annotation(ties=ties), actor=ACTOR)
    print(f"Linked as consistent with each other in transaction {linked.version.tx}.")
    return lambda: undo(kernel, tx=linked.version.tx, actor=ACTOR)


def _which(task: CareTask, number: str) -> Entry | None:
    if len(task.entries) == 1:
        return task.entries[0]
    number = number or _ask(f"Which one, 1 to {len(task.entries)}?")
    chosen = int(number) - 1 if number.isdigit() else -1
    if 0 <= chosen < len(task.entries):
        return task.entries[chosen]
    print("There is no such number.")
    return None


def _merge(kernel: Kernel, task: CareTask) -> Callable[[], object]:
    with kernel.read() as snapshot:
        gates = gates_at(snapshot)
    name, content = name_of(chief_of(task.entries)), merged_text.extract(task.entries, gates)[0]
    asked = MergeRequest(
        sources=task.entries, name=name, content=content, rationale=f"Merged in a review: {task.reason}"
    )
    merged = merge(kernel, asked, actor=ACTOR)
    return _undoable(kernel, f"Merged into {merged.version.id}.", merged.reversal_hash)


def _forget(kernel: Kernel, task: CareTask, entry: Entry) -> Callable[[], object]:
    reason = "semantic_cancer" if task.type == "semantic_cancer" else "obsolete"
    gone = forget(kernel, entry.id, reason=reason, rationale=f"Forgotten in a review: {task.reason}", actor=ACTOR)
    return _undoable(kernel, f"Forgot {citation_of(entry)}.", gone.reversal_hash)


def _undoable(kernel: Kernel, told: str, reversal_hash: str) -> Callable[[], object]:
    say(f"{told} u takes it back now, restore_from_hash {reversal_hash} within 30 days.", hang="  ")
    return lambda: restore(kernel, reversal_hash, actor=ACTOR)


def _undo(decided: list[Decision], waiting: "deque[CareTask]") -> None:
    if not decided:
        print("Nothing has been decided yet.")
        return
    last = decided.pop()
    last.take_back()
    waiting.appendleft(last.task)
    print("Taken back.")

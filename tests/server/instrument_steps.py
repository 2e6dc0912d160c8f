"""A session in which every instrument of the memory is used for what it is for, as calls in their order.

`$name` stands for what the last answer that had it holds, `$incident` and `$cause` for the memories of the incident
and its cause."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """A call, and why somebody makes it."""

    why: str
    tool: str
    arguments: dict[str, Any]


MEMORIES = (
    "The upload service runs on port 8080 behind the gateway.",
    "The upload service runs on port 9090 behind the gateway now.",
    "INC-107: uploads failed because the disk of the broker was full.",
    "The disk of the broker was full because the nightly export kept its files.",
    "The nightly export keeps its files because the clean-up job was switched off in May.",
    "Mei Lin is on call for the broker in the first week of every month.",
    "Tomás Oliveira owns the nightly export.",
    "The broker keeps messages for seven days.",
    "The gateway refuses bodies of more than 20 MB.",
    "The gateway refuses bodies of more than 20 MB.",
    "Uploads are tried three times before they are given up.",
    "The clean-up job deletes exports that are older than two days.",
    "Mei is allergic to peanuts.",
    "The team lunch is on Thursdays in the small canteen.",
    "The canteen serves fish on Fridays.",
    "Lunch for guests is booked with the reception a day before.",
    "The small canteen closes at two in the afternoon.",
    "Release notes are written by whoever merges last.",
    "A release needs two approvals and a green build.",
    "Releases are made on Tuesdays before noon.",
    "A release that fails is rolled back by the person who made it.",
    "The build takes eleven minutes on the new runners.",
    "The build cache is kept for thirty days.",
    "Flaky tests are marked and looked at on Wednesdays.",
)
QUESTIONS = (
    "Which port does the upload service run on?",
    "Why did uploads fail in INC-107?",
    "Who is on call for the broker?",
    "When are releases made?",
    "Why was the disk of the broker full?",
)


# Which memory the one that is stored is caused by, or follows from: its place and the relation.
LINKS = {2: (3, "caused by"), 3: (4, "caused by")}


def _step(why: str, tool: str, **arguments: Any) -> Step:
    return Step(why, tool, arguments)


STEPS = (
    _step(
        "Before something is stored: would it repeat, update or dispute anything?",
        "get_steering_feedback",
        content="The upload service runs on port 7070 behind the gateway.",
        context="Heard at the stand-up today.",
    ),
    _step("What may explain what happened?", "omni_infer", source="$incident", direction="abduction"),
    _step(
        "Ask for what is known; the answer has a prediction_id.",
        "inject_context",
        query="Which port does the upload service run on?",
    ),
    _step("Say whether it helped.", "observe_outcome", prediction_id="$prediction_id", actual_outcome=1.0),
    _step("How often has the memory been right about what helps?", "get_learner_state"),
    _step(
        "The same for whoever runs it, with the weights of novelty and fit.",
        "get_meta_learning_status",
        include_accuracy_history=True,
    ),
    _step("Would learning from the outcomes change anything? A dry run.", "trigger_lambda_recalibration", dry_run=True),
    _step("What has been learned so far?", "get_meta_learning_log"),
    _step("Where do the bars lie by which it decides?", "get_threshold_status"),
    _step(
        "Why is this one where it is, and which decisions would flip beside it?",
        "explain_threshold",
        threshold_type="duplicate",
    ),
    _step(
        "Put it elsewhere, and say why.",
        "set_threshold_prior",
        threshold_type="duplicate",
        value=0.3,
        rationale="We would rather merge by hand.",
    ),
    _step("Where has it been?", "get_threshold_history", threshold_type="duplicate"),
    _step("How often was it right when it was sure?", "get_calibration_metrics"),
    _step("Would what is known by now move any of them?", "trigger_recalibration", level=2, dry_run=True),
    _step(
        "What would an edit do to a memory's novelty and fit?",
        "gwt/compute_delta_sc",
        vertex_id="$incident",
        content="INC-107: uploads failed because the lease of the broker had expired.",
    ),
    _step(
        "Find the topics of the memory, and the goal that most of it serves.",
        "auto_bootstrap_north_star",
        confidence_threshold=0.1,
    ),
    _step("What else is it about?", "discover_sub_goals", min_confidence=0.1),
    _step("Has what is remembered and asked moved away from the goal?", "get_alignment_drift"),
    _step("How was that before?", "get_drift_history"),
    _step("What would bring it back?", "trigger_drift_correction"),
    _step("What runs by itself, and when next?", "get_autonomous_status", include_metrics=True),
    _step(
        "Which topics and goals does a text serve?",
        "compute_teleological_vector",
        content="Uploads fail when the disk is full.",
    ),
    _step("What do the spaces say of a memory together?", "fuse_embeddings", memory_id="$incident"),
    _step(
        "What else serves what that memory serves?",
        "search_teleological",
        query_vector_id="$incident",
        max_results=2,
    ),
    _step(
        "Say that a result was right; from ten on, that counts.",
        "update_synergy_matrix",
        query_vector_id="$incident",
        result_vector_id="$cause",
        feedback="relevant",
    ),
    _step("Keep a way of searching under a name.", "manage_teleological_profile", action="list"),
    _step("Search as that name says.", "search_graph", query="disk full", profile="debugging"),
    _step("Keep a memory in view for this session.", "trigger_workspace_broadcast", memory_id="$incident", force=True),
    _step(
        "It stands in every context from now on, within the budget.",
        "inject_context",
        query="When are releases made?",
    ),
    _step("What is in view, and what competes with it?", "get_workspace_status"),
    _step("What is this session about, on one page?", "get_consciousness_state"),
    _step("Which of the thirteen spaces agree about it?", "get_kuramoto_sync"),
    _step("Let what is in view pull the next answers more strongly.", "adjust_coupling", new_K=3.0),
    _step("What does this agent work on, and has that changed?", "get_ego_state"),
    _step("How is the next retrieval tuned, and what did that do to the last?", "get_neuromodulation_state"),
    _step("Show less of the tail.", "adjust_neuromodulator", modulator="dopamine", delta=1.5),
    _step(
        "Tend the whole memory now, and say what that would change.",
        "trigger_dream",
        blocking=True,
        dry_run=True,
        rationale="To see what there is to do.",
    ),
    _step("Tend it.", "trigger_dream", blocking=True, rationale="The day is over."),
    _step("What has it done?", "get_dream_status"),
    _step("Nothing is to be stopped.", "abort_dream", reason="to see what it says"),
    _step("Which long ways were made short?", "get_amortized_shortcuts"),
    _step("What says the same, and could be one?", "trigger_consolidation"),
    _step("Two were really two: take it back.", "restore_from_hash", reversal_hash="$reversal_hash"),
    _step("What could go, and on which grounds?", "get_pruning_candidates"),
    _step("Is the store itself well?", "get_health_status"),
    _step("Do what can be done about it.", "trigger_healing", subsystem="storage", severity="low"),
)


Ask = Callable[[str, dict[str, Any]], Awaitable[tuple[str, dict[str, Any]]]]


async def play(ask: Ask) -> list[tuple[Step, dict[str, Any], str, dict[str, Any]]]:
    """Fill a memory, ask it, and take every step; what was asked and answered: text and structure."""
    ids: list[str] = []
    for content in MEMORIES:
        _, stored = await ask("store_memory", {"content": content, "rationale": "Told in the team's channel today."})
        ids.append(stored["node_id"])
    for effect, (cause, relation) in LINKS.items():
        await ask("annotate_node", {"node_id": ids[effect], "link_to": [ids[cause]], "relation": relation})
    for question in QUESTIONS:
        await ask("inject_context", {"query": question})
    held: dict[str, Any] = {"incident": ids[2], "cause": ids[3]}
    told: list[tuple[Step, dict[str, Any], str, dict[str, Any]]] = []
    for step in STEPS:
        arguments = {name: _filled(value, held) for name, value in step.arguments.items()}
        text, structured = await ask(step.tool, arguments)
        held |= structured
        told.append((step, arguments, text, structured))
    return told


def _filled(value: Any, held: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(each, held) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return held[value[1:]] if isinstance(value, str) and value.startswith("$") else value

"""The memories family on the wire: its shapes, the pulse on every reply, its numbered errors."""

import json
from dataclasses import dataclass
from typing import Any, Protocol

from memotheca.memory.graph.cancer import Unbalanced
from memotheca.memory.session.pulse import Pulse
from memotheca.memory.topics.missing_goal import NoGoal
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.contract import Contract, Exchange, Reply
from memotheca.toolkit.fields import Schema, number, object_schema, text, to_json
from memotheca.toolkit.tool import Answer
from memotheca.tools.memories.names import TOOLS

NODES = "knowledge://nodes"
# What the pulse suggests where nothing else is due.
CONTINUE = "continue"
# The part of the memory that tools belong to which answer questions.
RETRIEVAL = "retrieval"


@dataclass(frozen=True, slots=True)
class ErrorName:
    """An error of the family: its number, its name, and what to do about it."""

    code: int
    name: str
    recovery: str


INVALID_PARAMS = ErrorName(-32002, "INVALID_PARAMS", "Check parameter constraints")
MISSING_RATIONALE = ErrorName(-32009, "MISSING_RATIONALE", "Add rationale to request")
PRIORS_INCOMPATIBLE = ErrorName(-32010, "PRIORS_INCOMPATIBLE", "Use force_merge=true or check priors")
# The specification's "Node is permanently deleted" would not be true: deleting leaves the history as it was.
RECOVERY_WINDOW_EXPIRED = ErrorName(-32011, "RECOVERY_WINDOW_EXPIRED", "Undo its transaction, if it was not erased")
NODE_NOT_FOUND = ErrorName(-32012, "NODE_NOT_FOUND", "Verify node ID")
CIRCULAR_DEPENDENCY = ErrorName(-32013, "CIRCULAR_DEPENDENCY", "Review graph structure")
TOMBSTONE_EXISTS = ErrorName(-32014, "TOMBSTONE_EXISTS", "Use restore_from_hash first")
SEMANTIC_CANCER_DETECTED = ErrorName(-32015, "SEMANTIC_CANCER_DETECTED", "Review importance distribution")
SSE_SESSION_EXPIRED = ErrorName(-32016, "SSE_SESSION_EXPIRED", "Reconnect with new session")

# What the family's own table does not name stands in the range it reserves for more.
ERRORS: dict[Failure, ErrorName] = {
    Failure.INVALID: INVALID_PARAMS,
    Failure.MISSING_RATIONALE: MISSING_RATIONALE,
    Failure.NOT_FOUND: NODE_NOT_FOUND,
    Failure.ALREADY_EXISTS: ErrorName(-32100, "ALREADY_EXISTS", "Choose another name"),
    Failure.DUPLICATE: ErrorName(-32101, "DUPLICATE", "Annotate or merge what exists"),
    Failure.AMBIGUOUS: INVALID_PARAMS,
    Failure.CONFLICT: PRIORS_INCOMPATIBLE,
    Failure.CONFIRMATION_REQUIRED: ErrorName(-32102, "CONFIRMATION_REQUIRED", "Confirm with the user and repeat"),
    Failure.EXPIRED: RECOVERY_WINDOW_EXPIRED,
    Failure.TOMBSTONED: TOMBSTONE_EXISTS,
    Failure.ERASED: NODE_NOT_FOUND,
    Failure.CYCLIC: CIRCULAR_DEPENDENCY,
    Failure.UNSUPPORTED: ErrorName(-32103, "UNSUPPORTED", "Use what the tool's description names"),
    Failure.TOO_LARGE: INVALID_PARAMS,
    Failure.ENCRYPTED: ErrorName(-32104, "ENCRYPTED", "Give a file that can be read"),
    Failure.CORRUPT: ErrorName(-32105, "CORRUPT", "Run memotheca doctor"),
    Failure.OCR_FAILED: ErrorName(-32106, "OCR_FAILED", "Give the text itself"),
    Failure.FORBIDDEN: ErrorName(-32107, "FORBIDDEN", "Use what the server allows"),
    Failure.READ_ONLY: ErrorName(-32108, "READ_ONLY", "Ask whoever runs the server to allow writing"),
    Failure.INCOMPATIBLE: ErrorName(-32109, "INCOMPATIBLE", "Restart this client"),
    Failure.BUSY: ErrorName(-32110, "BUSY", "Try again in a moment"),
    Failure.TIMEOUT: ErrorName(-32111, "TIMEOUT", "Try again in a moment"),
    Failure.CANCELLED: ErrorName(-32112, "CANCELLED", "Repeat the call if it is still wanted"),
    Failure.DISK_FULL: ErrorName(-32113, "DISK_FULL", "Free some space and try again"),
    Failure.UNAVAILABLE: ErrorName(-32114, "UNAVAILABLE", "Try again later"),
    Failure.INTERNAL: ErrorName(-32115, "INTERNAL", "Look at get_system_logs"),
}
# Refusals that have a number of their own, whatever failure they are elsewhere.
OWN: dict[type[Refusal], ErrorName] = {
    Unbalanced: SEMANTIC_CANCER_DETECTED,
    NoGoal: ErrorName(-32002, "INVALID_PARAMS", "Let auto_bootstrap_north_star find a goal first"),
}

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class PulseShape:
    """The pulse as clients see it."""

    entropy: float = number()
    coherence: float = number()
    learning_score: float = number()
    suggested: str = text()
    quadrant: str = text()


class Witness(Protocol):
    """Hears of every question before it is answered, and of every call and its reply; then says how the memory
    stands."""

    def hear_question(self, exchange: Exchange) -> None: ...

    def hear_call(self, exchange: Exchange, reply: Reply) -> Pulse: ...


class MemoriesContract(Contract):
    """A human sentence and the JSON, as text and as structured content; the pulse that the witness feels rides on
    each. The sentence alone is the text where a tool says so."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    def before(self, exchange: Exchange) -> None:
        """Before anything else is looked at: a question wakes whoever dreams, and a change that needs a reason and has
        none is refused."""
        if exchange.listing.component == RETRIEVAL and not exchange.listing.writes:
            self._witness.hear_question(exchange)
        said = exchange.arguments.get("rationale")
        needed = "rationale" in exchange.listing.wire["inputSchema"].get("required", ())
        if needed and (said is None or (isinstance(said, str) and not said.strip())):
            raise Refusal(Failure.MISSING_RATIONALE, "A rationale is required: say why.", field="rationale")

    def success(self, answer: Answer) -> Reply:
        structured: dict[str, Any] = to_json(answer.content)
        blocks = _blocks(answer.sentence, structured)
        return Reply(blocks=blocks[:1] if answer.is_text_alone else blocks, structured=structured)

    def failure(self, refusal: Refusal) -> Reply:
        named = OWN.get(type(refusal), ERRORS[refusal.failure])
        field = {} if refusal.field is None else {"field": refusal.field}
        content = {**field, **refusal.details, **refusal.constraint, "retryable": refusal.failure.retryable}
        error = {
            "code": named.code,
            "message": refusal.message,
            "data": {"name": named.name, "recovery": named.recovery, **content},
        }
        structured = {"error": error}
        return Reply(blocks=[{"type": "text", "text": _encode(structured)}], structured=structured, failed=True)

    def after(self, exchange: Exchange, reply: Reply) -> Reply:
        structured = {**(reply.structured or {}), "pulse": to_json(_shape(self._witness.hear_call(exchange, reply)))}
        if len(reply.blocks) == 1 and not reply.failed:
            return Reply(blocks=reply.blocks, structured=structured)
        blocks = [*reply.blocks[:-1], {"type": "text", "text": _encode(structured)}]
        return Reply(blocks=blocks, structured=structured, failed=reply.failed)

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        properties: Schema = {}
        for model in models:
            properties |= object_schema(model)["properties"]
        needed = [{"required": object_schema(model).get("required", [])[:1]} for model in models]
        return {
            "type": "object",
            "properties": {**properties, "pulse": object_schema(PulseShape), "error": {"type": "object"}},
            "required": ["pulse"],
            "anyOf": [*needed, {"required": ["error"]}],
        }


def _shape(pulse: Pulse) -> PulseShape:
    return PulseShape(
        entropy=pulse.entropy,
        coherence=pulse.coherence,
        learning_score=pulse.learning_score,
        suggested=CONTINUE if pulse.suggested is None else TOOLS[pulse.suggested],
        quadrant=pulse.quadrant,
    )


def _blocks(sentence: str, structured: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": sentence}, {"type": "text", "text": _encode(structured)}]

"""The console on the wire: one sentence, and everything else as structured content for the page that asked."""

from typing import Any

from memotheca.model.errors import Refusal
from memotheca.toolkit.contract import Contract, Reply
from memotheca.toolkit.fields import Schema, object_schema, to_json
from memotheca.toolkit.tool import Answer


class ConsoleContract(Contract):
    """Programs read the structured content; a picture of the whole in words would be twice as long, and unread."""

    def success(self, answer: Answer) -> Reply:
        return Reply(blocks=[{"type": "text", "text": answer.sentence}], structured=to_json(answer.content))

    def failure(self, refusal: Refusal) -> Reply:
        error: dict[str, Any] = {
            "code": refusal.failure.code,
            "message": refusal.message,
            "retryable": refusal.failure.retryable,
        }
        if refusal.field is not None:
            error["field"] = refusal.field
        if refusal.details:
            error["details"] = refusal.details
        return Reply(blocks=[{"type": "text", "text": refusal.message}], structured={"error": error}, failed=True)

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        schema = object_schema(models[0])
        needed = schema.pop("required", [])
        properties = {**schema["properties"], "error": {"type": "object"}}
        return {"type": "object", "properties": properties, "anyOf": [{"required": needed}, {"required": ["error"]}]}

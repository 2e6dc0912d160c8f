"""Asking back: questions to the person or to the client's own model, asked before anything is written."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import jsonschema_rs

from memotheca.toolkit.fields import Schema, refuse_invalid

Outcome = Literal["accepted", "declined", "cancelled", "unsupported"]
Addressee = Literal["person", "model"]

CONFIRMED: Final = "confirm"


@dataclass(frozen=True, slots=True)
class Response:
    """What came back: `declined` is a no, `cancelled` is no answer, `unsupported` is nobody there to ask."""

    outcome: Outcome
    content: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def accepted(self) -> bool:
        return self.outcome == "accepted"

    @property
    def confirmed(self) -> bool:
        """Whether a person said yes to a confirmation."""
        return self.accepted and self.content.get(CONFIRMED) is True


UNSUPPORTED: Final = Response("unsupported")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A question to the person: a message and flat fields to fill in, each with its JSON schema."""

    message: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...] = ()

    addressee: Addressee = field(default="person", init=False)

    @property
    def schema(self) -> Schema:
        schema: Schema = {"type": "object", "properties": dict(self.fields)}
        return {**schema, "required": list(self.required)} if self.required else schema


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuestion:
    """A question to the client's own model; the answer's content is `text`, and `model`, which gave it."""

    text: str
    system: str = ""
    max_tokens: int = 1024

    addressee: Addressee = field(default="model", init=False)

    @property
    def schema(self) -> Schema:
        return {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


Question = Form | ModelQuestion


def confirmation(message: str) -> Form:
    """A yes or no; see `Response.confirmed`."""
    member = {"type": "boolean", "title": "Confirm", "description": "Go on?", "default": False}
    return Form(message=message, fields={CONFIRMED: member}, required=(CONFIRMED,))


def choice_of(values: Sequence[str], titles: Sequence[str] = (), *, description: str = "") -> Schema:
    """A field of a form in which one of some values is chosen, each shown by its title."""
    schema: Schema = {"type": "string", "enum": list(values)}
    if titles:
        schema["enumNames"] = list(titles)
    return {**schema, "description": description} if description else schema


def key_of(question: Question) -> str:
    """An answer counts for the very question that was asked, and for no other wording or choice."""
    spelled = [question.addressee, getattr(question, "message", ""), getattr(question, "text", ""), question.schema]
    system = getattr(question, "system", "")
    return hashlib.blake2b(json.dumps([*spelled, system]).encode(), digest_size=12).hexdigest()


class Unanswered(Exception):
    """Leaves a tool's function for the asking; it runs again, from its beginning, with the answer."""

    def __init__(self, question: Question) -> None:
        super().__init__("a question is to be answered first")
        self.question = question


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Whom a call can ask, and what was answered so far."""

    addressees: frozenset[Addressee] = frozenset()
    responses: Mapping[str, Response] = field(default_factory=dict[str, Response])

    def ask(self, question: Question) -> Response:
        """The answer, if it has been given; else the function is left, to be run again once it has."""
        response = self.responses.get(key_of(question))
        if response is None:
            if question.addressee in self.addressees:
                raise Unanswered(question)
            return UNSUPPORTED
        if response.accepted:
            _check(question, response)
        return response


def _check(question: Question, response: Response) -> None:
    """What a client sends is checked against the form, as arguments are."""
    error = next(jsonschema_rs.validator_for(question.schema).iter_errors(dict(response.content)), None)
    if error is not None:
        path = list(error.instance_path)
        raise refuse_invalid(f"The answer does not fit the question: {error.message}", path)

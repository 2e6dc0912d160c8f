"""From a name and arguments to a reply: the only place where exceptions become replies."""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Protocol, cast

import jsonschema_rs

from memotheca.model.cancellation import heeding
from memotheca.model.errors import Failure, Refusal, refuse_for_memory
from memotheca.model.retry import persist
from memotheca.toolkit.ask import Unanswered
from memotheca.toolkit.bounds import bounded_schema, find_too_much
from memotheca.toolkit.catalog import Catalog
from memotheca.toolkit.contract import Contract, Exchange, Reply
from memotheca.toolkit.fields import (
    MissingArgument,
    Schema,
    fill,
    find_endless,
    find_too_large,
    refuse_invalid,
    spell,
    without_nulls,
)
from memotheca.toolkit.tool import Call, Listing, Repeated, Tool

log = logging.getLogger(__name__)

# Chosen: so many complaints about one call are enough to find the first parameter among.
MANY = 100


class UnknownTool(Exception):
    """The name is not in the list; the protocol, not a contract, has the word for it."""


class AnswerOnce(Protocol):
    """Answers a call that carries a key: as it was answered before, else by carrying it out."""

    def __call__(self, call: Call[Any], asked: str, answer: Callable[[Call[Any]], Reply]) -> Reply: ...


class Dispatcher:
    """Runs tools of a catalogue, each under its own contract."""

    def __init__(self, catalog: Catalog, contracts: Mapping[str, Contract], once: AnswerOnce | None = None) -> None:
        self.catalog = catalog
        self._contracts = contracts
        self._once = once
        self._checks: dict[str, tuple[Schema, jsonschema_rs.Validator]] = {}

    def run(self, name: str, arguments: Mapping[str, Any], call: Call[Any]) -> Reply:
        """Answer a call, whatever happens in it; raises UnknownTool, and Unanswered where the tool asks back."""
        listing = self.catalog.find(name)
        if listing is None:
            raise UnknownTool(name)
        exchange = Exchange(listing, without_nulls(listing.wire["inputSchema"], arguments), call)
        if not call.key or not listing.writes or self._once is None:
            return self._run(exchange)
        try:
            asked = _digest_of(name, exchange.arguments)
            return self._once(call, asked, lambda keyed: self._run(replace(exchange, call=keyed)))
        except Refusal as refusal:
            refusal.arguments = exchange.arguments
            contract = self._contracts[listing.contract]
            return contract.after(exchange, _fail(contract, refusal))

    def _run(self, exchange: Exchange) -> Reply:
        contract = self._contracts[exchange.listing.contract]
        return contract.after(exchange, self._answer(exchange, contract))

    def _answer(self, exchange: Exchange, contract: Contract) -> Reply:
        listing, arguments, call = exchange.listing, exchange.arguments, exchange.call
        try:
            self.catalog.refuse_hidden(listing)
            if listing.writes and not call.may_write:
                raise Refusal(Failure.READ_ONLY, "This token may only read; nothing was changed.")
            tool = self.catalog.load(listing)
            wrong = _find_unspeakable(arguments)
            if wrong is None:
                contract.before(exchange)
                wrong = self._find_wrong(tool, arguments)
            if wrong is not None:
                raise tool.complain(call, wrong, arguments)
            call.shows = self.catalog.shows
            answer = partial(tool.handler, call, fill(tool.input, arguments))
            # Who only reads may read again; who writes knows best what was not yet written.
            with heeding(call.cancelled):
                return contract.success(persist(answer) if tool.effect == "read" else answer())
        except (Unanswered, Repeated):
            raise
        except Refusal as refusal:
            refusal.arguments = arguments
            if refusal.failure is Failure.INCOMPATIBLE:
                self.catalog.forbid_writing()
            return _fail(contract, refusal)
        except Exception as error:
            log.exception("tool %s failed", listing.name)
            refusal = Refusal(Failure.INTERNAL, "Something went wrong here; the log has the details.")
            if isinstance(error, MemoryError):
                refusal = refuse_for_memory()
            refusal.arguments = arguments
            return _fail(contract, refusal)

    def finish(self, listing: Listing, id: str, call: Call[Any]) -> Reply:
        """What a tool answers now that the job it left is settled."""
        contract = self._contracts[listing.contract]
        task = self.catalog.load(listing).task
        assert task is not None
        try:
            return contract.success(task.finish(call, id))
        except Refusal as refusal:
            return _fail(contract, refusal)

    def _find_wrong(self, tool: Tool, arguments: Mapping[str, Any]) -> Refusal | None:
        """What the schema, the published one with all its bounds, has against the arguments, if anything."""
        if tool.name not in self._checks:
            bounded = bounded_schema(tool.input)
            self._checks[tool.name] = bounded, jsonschema_rs.validator_for(bounded)
        schema, validator = self._checks[tool.name]
        try:
            errors = list(islice(validator.iter_errors(dict(arguments)), MANY))
        except (RecursionError, ValueError):
            return _too_deep()
        error = min(errors, key=lambda found: _order(found, schema), default=None)
        if error is not None:
            return _to_refusal(error, schema)
        return find_too_large(schema, arguments, []) or find_too_much(schema, arguments)


def _fail(contract: Contract, refusal: Refusal) -> Reply:
    return replace(contract.failure(refusal), code=refusal.failure.code)


def _find_unspeakable(arguments: Mapping[str, Any]) -> Refusal | None:
    """What no schema can speak of: text that is none, numbers without an end, no end of depth."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
        return find_endless(arguments)
    except UnicodeEncodeError:
        return refuse_invalid("The arguments hold text that is not Unicode (half a surrogate pair).", [])
    except (RecursionError, ValueError):
        return _too_deep()


def _too_deep() -> Refusal:
    return refuse_invalid("The arguments are nested too deeply.", [])


def _digest_of(name: str, arguments: Mapping[str, Any]) -> str:
    """What was asked, without keeping what it says."""
    try:
        asked = json.dumps([name, arguments], sort_keys=True)
    except (RecursionError, ValueError):
        raise _too_deep() from None
    return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()


def _order(error: jsonschema_rs.ValidationError, schema: Schema) -> int:
    """Where what is wrong stands among the parameters, so that no validator's way of going through them is told."""
    path, names = list(error.instance_path), list(schema["properties"])
    return names.index(path[0]) if path and path[0] in names else -1


def _to_refusal(error: jsonschema_rs.ValidationError, schema: Schema) -> Refusal:
    path = list(error.instance_path)
    kind = error.kind
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        path.append(kind.property)
        return MissingArgument.at(f"{kind.property} is required.", path)
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        place = [*path, kind.unexpected[0]]
        known = ", ".join(_rule(error, schema)["properties"]) or "none"
        return refuse_invalid(f"{spell(place)} is not a parameter; there are {known}.", place)
    if choices := _choices(error, schema):
        allowed = ", ".join(json.dumps(each, ensure_ascii=False) for each in choices)
        given = _shorten(json.dumps(cast(Any, error).instance, ensure_ascii=False))
        is_one = "enum" in _rule(error, schema)
        told = f"is not one of {allowed}" if is_one else f"is not a list of what is allowed, {allowed}"
        refusal = refuse_invalid(f"{spell(path) or 'arguments'}: {given} {told}.", path)
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.MaxLength | jsonschema_rs.ValidationErrorKind.MaxItems):
        counted = "characters" if isinstance(kind, jsonschema_rs.ValidationErrorKind.MaxLength) else "members"
        has = len(cast(Any, error).instance)
        refusal = refuse_invalid(f"{spell(path)} may have at most {kind.limit:,} {counted}; it has {has:,}.", path)
    else:
        refusal = refuse_invalid(f"{spell(path) or 'arguments'}: {_shorten(error.message)}", path)
    refusal.constraint = _constraint(error, schema)
    return refusal


def _constraint(error: jsonschema_rs.ValidationError, schema: Schema) -> dict[str, Any]:
    """What the schema says at the place where the arguments break it."""
    rule, broken = _rule(error, schema), str(error.schema_path[-1])
    said: dict[str, Any] = {"constraint": broken, "expected": rule[broken]}
    if choices := _choices(error, schema):
        said["allowed"] = choices
    bounds = {name: rule[name] for name in _BOUNDS if name in rule}
    return {**said, "bounds": bounds} if bounds else said


def _choices(error: jsonschema_rs.ValidationError, schema: Schema) -> list[Any]:
    """The values that may stand at a place, where they are counted up: whoever gives something of another type is told
    them too, also of a list of them."""
    rule = _rule(error, schema)
    is_of_type = isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Type)
    return rule.get("enum") or (rule.get("items", {}).get("enum") if is_of_type else None) or []


def _rule(error: jsonschema_rs.ValidationError, schema: Schema) -> Any:
    rule: Any = schema
    for part in error.schema_path[:-1]:
        rule = rule[part]
    return rule


_BOUNDS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")


def _shorten(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else message[:140] + " … " + message[-140:]

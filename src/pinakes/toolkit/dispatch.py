"""From a name and arguments to a reply: the only place where exceptions become replies."""

import json
import logging
from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from pinakes.model.errors import Failure, Refusal
from pinakes.toolkit.catalog import Catalog, Listing
from pinakes.toolkit.contract import Contract, Reply
from pinakes.toolkit.fields import Schema, fill, refuse_invalid
from pinakes.toolkit.tool import Call

log = logging.getLogger(__name__)


class UnknownTool(Exception):
    """The name is not in the list; the protocol, not a contract, has the word for it."""


class Dispatcher:
    """Runs tools of a catalogue, each under its own contract."""

    def __init__(self, catalog: Catalog, contracts: Mapping[str, Contract]) -> None:
        self.catalog = catalog
        self._contracts = contracts
        self._validators: dict[str, jsonschema_rs.Validator] = {}

    def run(self, name: str, arguments: Mapping[str, Any], call: Call[Any]) -> Reply:
        """Answer a call, whatever happens in it; raises UnknownTool only."""
        listing = self.catalog.find(name)
        if listing is None:
            raise UnknownTool(name)
        contract = self._contracts[listing.contract]
        try:
            self.catalog.refuse_writing(listing)
            self._validate(listing, arguments)
            tool = self.catalog.load(listing)
            return contract.success(tool.handler(call, fill(tool.input, arguments)))
        except Refusal as refusal:
            if refusal.failure is Failure.INCOMPATIBLE:
                self.catalog.forbid_writing()
            return contract.failure(refusal)
        except Exception:
            log.exception("tool %s failed", name)
            return contract.failure(Refusal(Failure.INTERNAL, "Something went wrong here; the log has the details."))

    def _validate(self, listing: Listing, arguments: Mapping[str, Any]) -> None:
        if listing.name not in self._validators:
            self._validators[listing.name] = jsonschema_rs.validator_for(listing.wire["inputSchema"])
        try:
            json.dumps(arguments, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise refuse_invalid("The arguments hold text that is not Unicode (half a surrogate pair).", []) from None
        error = next(self._validators[listing.name].iter_errors(dict(arguments)), None)
        if error is not None:
            raise _to_refusal(error, listing.wire["inputSchema"])


def _to_refusal(error: jsonschema_rs.ValidationError, schema: Schema) -> Refusal:
    path = list(error.instance_path)
    kind = error.kind
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        path.append(kind.property)
        return refuse_invalid(f"{kind.property} is required.", path)
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        unexpected = kind.unexpected[0]
        known = ", ".join(schema["properties"])
        return refuse_invalid(f"{unexpected} is not a parameter; there are {known}.", [*path, unexpected])
    where = ".".join(str(part) for part in path) or "arguments"
    return refuse_invalid(f"{where}: {_shorten(error.message)}", path)


def _shorten(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else message[:140] + " … " + message[-140:]

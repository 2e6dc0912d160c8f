"""Protocol errors: what every JSON-RPC error says besides its code, without a word of our insides."""

import json
from collections.abc import Mapping
from typing import Any, cast

PARSE_ERROR = -32700  # specification: JSON-RPC 2.0
INVALID_REQUEST = -32600  # specification: JSON-RPC 2.0
METHOD_NOT_FOUND = -32601  # specification: JSON-RPC 2.0
INVALID_PARAMS = -32602  # specification: JSON-RPC 2.0
INTERNAL_ERROR = -32603  # specification: JSON-RPC 2.0

ERROR_TYPES = {
    PARSE_ERROR: "parse_error",
    INVALID_REQUEST: "invalid_request",
    METHOD_NOT_FOUND: "method_not_found",
    INVALID_PARAMS: "invalid_params",
    INTERNAL_ERROR: "internal_error",
}

_DETAILS = {
    PARSE_ERROR: "The message is not valid JSON.",
    INVALID_REQUEST: "The message is not a JSON-RPC 2.0 request or notification.",
    METHOD_NOT_FOUND: "This server has no such method.",
    INVALID_PARAMS: "The parameters do not fit the method.",
    INTERNAL_ERROR: "Something went wrong here; the server's log has the details.",
}


def fault_details(code: int, data: Any = None, details: str = "") -> Any:
    """The `data` of an error: `error_type` and `details` beside whatever the protocol put there."""
    if code not in ERROR_TYPES:
        return data
    given: dict[str, Any] = dict(cast(Mapping[str, Any], data)) if isinstance(data, Mapping) else {}
    if isinstance(data, str) and data:
        details = data
    return {"error_type": ERROR_TYPES[code], "details": details or _DETAILS[code], **given}


def fault(code: int, message: str, *, id: str | int | None = None, details: str = "") -> dict[str, Any]:
    """A whole JSON-RPC error message."""
    error = {"code": code, "message": message, "data": fault_details(code, details=details)}
    return {"jsonrpc": "2.0", "id": id, "error": error}


def parse_message(text: bytes) -> Any:
    """JSON as the standard has it; raises ValueError for anything else, NaN and endless nesting included."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("too deep") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def check_message(message: Any) -> dict[str, Any] | None:
    """The error to answer with where a parsed message is no JSON-RPC 2.0 message, else None."""
    if not isinstance(message, dict):
        return fault(INVALID_REQUEST, "Invalid Request", details="A message must be a JSON object.")
    members = cast(dict[str, Any], message)
    id = members.get("id")
    known_id = id if isinstance(id, str | int) and not isinstance(id, bool) else None
    if members.get("jsonrpc") != "2.0":
        return fault(INVALID_REQUEST, "Invalid Request", id=known_id, details='jsonrpc must be "2.0".')
    if "id" in members and known_id is None:
        return fault(INVALID_REQUEST, "Invalid Request", details="id must be a string or an integer.")
    if "method" in members:
        if not isinstance(members["method"], str):
            return fault(INVALID_REQUEST, "Invalid Request", id=known_id, details="method must be a string.")
        if not isinstance(members.get("params", {}), dict):
            return fault(INVALID_PARAMS, "Invalid params", id=known_id, details="params must be an object.")
        return None
    if "id" in members and ("result" in members or "error" in members):
        return (
            None if _is_response(members) else fault(INVALID_REQUEST, "Invalid Request", details="That is no response.")
        )
    return fault(INVALID_REQUEST, "Invalid Request", id=known_id, details="There is no method.")


def _is_response(members: dict[str, Any]) -> bool:
    if "result" in members:
        return isinstance(members["result"], dict)
    error = cast(dict[str, Any], members["error"]) if isinstance(members["error"], dict) else {}
    return isinstance(error.get("code"), int) and isinstance(error.get("message"), str)


def enrich(message: Any) -> Any:
    """An outgoing message, its error completed where it is one."""
    members = cast(dict[str, Any], message if isinstance(message, dict) else {})
    if isinstance(members.get("error"), dict):
        error: dict[str, Any] = members["error"]
        data = fault_details(error.get("code", 0), error.get("data"), details=str(error.get("message", "")))
        return {**members, "error": error if data is None else {**error, "data": data}}
    return cast(Any, message)

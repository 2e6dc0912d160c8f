"""Whether what a client's configuration says works: the server is started, or called, as the client would."""

import json
import os
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from memotheca import __version__
from memotheca.model.errors import Failure, Refusal
from memotheca.views.clients import TOKEN, Shape

PATIENCE = 30.0  # chosen: seconds, as long as the slowest client waits for a server to start
PROTOCOL = "2025-06-18"  # specification: a version that every client named here speaks
HELLO = {
    "protocolVersion": PROTOCOL,
    "capabilities": {},
    "clientInfo": {"name": "memotheca connect --check", "version": __version__},
}


@dataclass(frozen=True, slots=True)
class AnsweringServer:
    """What a client sees of a server that answers."""

    name: str
    version: str
    tools: list[str]


def try_server(server: Shape) -> AnsweringServer:
    """Play the beginning of a session with the server that a configuration names."""
    address = next((str(server[key]) for key in ("url", "httpUrl", "serverUrl") if key in server), "")
    return _seen(*(_call(address, server) if address else _start(server)))


def _seen(greeting: Mapping[str, Any], listing: Mapping[str, Any]) -> AnsweringServer:
    try:
        about = greeting["serverInfo"]
        return AnsweringServer(about["name"], about["version"], [tool["name"] for tool in listing["tools"]])
    except (KeyError, TypeError):
        raise Refusal(Failure.UNAVAILABLE, "What answers there is no server of the Model Context Protocol.") from None


def _request(number: int, method: str, params: Mapping[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _start(server: Shape) -> tuple[dict[str, Any], dict[str, Any]]:
    command = server["command"]
    words = cast(list[str], command) if isinstance(command, list) else [command, *server.get("args", [])]
    environment = {**os.environ, **server.get("env", {})}
    try:
        process = subprocess.Popen(  # noqa: S603  # the command of the user's own configuration
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
    except OSError as error:
        raise Refusal(Failure.UNAVAILABLE, f"{words[0]} cannot be started: {error.strerror}.") from None
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    alarm = threading.Timer(PATIENCE, process.kill)
    alarm.start()
    try:
        with process:
            asked = [_request(1, "initialize", HELLO), '{"jsonrpc": "2.0", "method": "notifications/initialized"}']
            process.stdin.write("\n".join([*asked, _request(2, "tools/list", {}), ""]).encode())
            process.stdin.flush()
            answers = _answers(process.stdout, 2)
            process.stdin.close()
            complaint = process.stderr.read().decode(errors="replace").strip().splitlines()
    except BrokenPipeError:
        answers, complaint = {}, []
    finally:
        alarm.cancel()
    if len(answers) < 2:
        why = f" It said: {complaint[-1]}" if complaint else ""
        raise Refusal(Failure.UNAVAILABLE, f"{words[0]} was started and did not answer.{why}")
    return answers[1], answers[2]


def _answers(lines: Iterable[bytes], count: int) -> dict[int, dict[str, Any]]:
    """The results by the number of what was asked, until there are that many or no more come."""
    found: dict[int, dict[str, Any]] = {}
    for line in lines:
        try:
            said: Any = json.loads(line)
        except (ValueError, RecursionError):
            continue
        answer = cast(dict[str, Any], said) if isinstance(said, dict) else {}
        if isinstance(answer.get("result"), dict) and answer.get("id") in (1, 2):
            found[answer["id"]] = answer["result"]
        if len(found) == count:
            break
    return found


def _call(address: str, server: Shape) -> tuple[dict[str, Any], dict[str, Any]]:
    headers = {**server.get("headers", {}), **server.get("http_headers", {})}
    if name := server.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer {os.environ.get(name, '')}"
    headers = {name: _with_variables(value) for name, value in headers.items()}
    greeting, session = _post(address, headers, _request(1, "initialize", HELLO))
    more = {"MCP-Protocol-Version": PROTOCOL, **({"Mcp-Session-Id": session} if session else {})}
    return greeting, _post(address, {**headers, **more}, _request(2, "tools/list", {}))[0]


def _with_variables(value: str) -> str:
    """A header with the token in it, however the client spells the variable."""
    for spelled in (f"${{env:{TOKEN}}}", f"{{env:{TOKEN}}}", f"${{{TOKEN}}}", f"${TOKEN}"):
        value = value.replace(spelled, os.environ.get(TOKEN, ""))
    return value


def _post(address: str, headers: Mapping[str, str], body: str) -> tuple[dict[str, Any], str]:
    accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, body.encode(), {**accepted, **headers})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:  # noqa: S310
            lines = (line.removeprefix(b"data:") for line in reply if not line.startswith((b"event:", b"id:", b":")))
            answers = _answers(lines, 1)
            session = reply.headers.get("Mcp-Session-Id") or ""
    except urllib.error.HTTPError as error:
        error.close()
        hint = " The token is missing or wrong." if error.code == 401 else ""
        raise Refusal(Failure.UNAVAILABLE, f"{address} answers {error.code}.{hint}") from None
    except (OSError, ValueError) as error:
        raise Refusal(Failure.UNAVAILABLE, f"{address} cannot be reached: {error}.") from None
    if not answers:
        raise Refusal(Failure.UNAVAILABLE, f"{address} answers, but not as a server of this protocol.")
    return next(iter(answers.values())), session

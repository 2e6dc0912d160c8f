"""Clients without a library: bytes to a port, and what comes back until the server has said all."""

import json
import random
import socket
from typing import Any

from tests.patience import PATIENCE


def free_port() -> int:
    """A port that nobody has, below those that the system hands out: no connection takes it before it is used."""
    while True:
        port = random.randrange(12_000, 30_000)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def connect(port: int, host: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection((host, port), timeout=PATIENCE)


def spell(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """A whole request; a header given as None is left out."""
    shown = {"Host": "127.0.0.1:1"} | ({"Content-Type": "application/json"} if method == "POST" else {})
    shown |= {"Content-Length": str(len(body))} if method == "POST" else {}
    shown |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in shown.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def read_all(client: socket.socket) -> bytes:
    """Everything until the server closes."""
    said = bytearray()
    while piece := client.recv(65536):
        said += piece
    return bytes(said)


def read_answer(client: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """One answer of a stated length; the connection may go on."""
    said = bytearray()
    while b"\r\n\r\n" not in said:
        piece = client.recv(65536)
        if not piece:
            raise ConnectionError(bytes(said))
        said += piece
    head, _, body = bytes(said).partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        body += client.recv(65536)
    return int(lines[0].split()[1]), headers, body


def ask(port: int, request: bytes) -> tuple[int, dict[str, str], Any]:
    with connect(port) as client:
        client.sendall(request)
        status, headers, body = read_answer(client)
    is_json = headers.get("content-type", "").startswith("application/json")
    return status, headers, json.loads(body) if is_json else body.decode()

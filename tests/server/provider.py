"""A small provider of identity: metadata, keys, registration, codes with PKCE, and tokens of any claims."""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm


class SigningKey:
    """A key with its name, and how it is published."""

    def __init__(self, kid: str, algorithm: str = "RS256") -> None:
        self.kid = kid
        self.algorithm = algorithm
        if algorithm == "RS256":
            self.private: Any = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        else:
            self.private = ec.generate_private_key(ec.SECP256R1())

    def publish(self) -> dict[str, Any]:
        codec = RSAAlgorithm if self.algorithm == "RS256" else ECAlgorithm
        return {**json.loads(codec.to_jwk(self.private.public_key())), "kid": self.kid, "use": "sig"}


class Provider:
    """Answers on a port of its own until it is closed."""

    def __init__(self) -> None:
        self.keys = [SigningKey("first"), SigningKey("curve", "ES256")]
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []
        # What a code is exchanged for, besides what was asked for.
        self.claims: dict[str, Any] = {"sub": "ada"}
        self.is_away = False
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.get(self)

            def do_POST(self) -> None:
                provider.post(self)

            def log_message(self, format: str, *args: Any) -> None:
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def sign(self, *, key: SigningKey | None = None, headers: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token; a claim that is None is left out."""
        key = key or self.keys[0]
        now = int(time.time())
        said = {"iss": self.issuer, "sub": "ada", "iat": now, "exp": now + 600, "scope": "memotheca:write", **claims}
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(said, key.private, key.algorithm, {"kid": key.kid, "typ": "at+jwt", **(headers or {})})

    def get(self, request: BaseHTTPRequestHandler) -> None:
        asked = urlsplit(request.path)
        self.asked.append(asked.path)
        if self.is_away:
            _reply(request, {}, 503)
        elif asked.path == "/.well-known/oauth-authorization-server":
            _reply(request, self._metadata())
        elif asked.path == "/keys":
            _reply(request, {"keys": [key.publish() for key in self.keys]})
        elif asked.path == "/authorize":
            self._authorize(request, {name: values[0] for name, values in parse_qs(asked.query).items()})
        else:
            _reply(request, {}, 404)

    def post(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["content-length"]))
        if request.path == "/register":
            _reply(request, {**json.loads(body), "client_id": "client"}, 201)
            return
        sent = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        begun = self.codes.pop(sent["code"])
        shown = base64.urlsafe_b64encode(hashlib.sha256(sent["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        assert shown == begun["code_challenge"]
        assert sent["resource"] == begun["resource"]
        claims: dict[str, Any] = {"aud": begun["resource"], "scope": begun["scope"], **self.claims}
        token = self.sign(**claims)
        _reply(request, {"access_token": token, "token_type": "Bearer", "expires_in": 600, "scope": begun["scope"]})

    def _metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        }

    def _authorize(self, request: BaseHTTPRequestHandler, asked: dict[str, str]) -> None:
        """Whoever asks has logged in and agreed."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        request.send_response(302)
        back = urlencode({"code": code, "state": asked["state"]})
        request.send_header("Location", f"{asked['redirect_uri']}?{back}")
        request.end_headers()


def _reply(request: BaseHTTPRequestHandler, content: dict[str, Any], status: int = 200) -> None:
    body = json.dumps(content).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)

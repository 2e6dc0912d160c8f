"""What an outside provider's tokens are held against: who issues them, for whom, which scopes mean which role; and how
clients are told where to get one (RFC 9728)."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from memotheca.admin.access_tokens import Role
from memotheca.model.errors import Failure, Refusal
from memotheca.server.ascii_json import JsonReply
from memotheca.settings import Settings

# Specification: RFC 9728, section 3.
METADATA = "/.well-known/oauth-protected-resource"
DOORS = ("/mcp", "/sse")
ROLES: tuple[Role, ...] = ("read", "write", "admin")
ALL = "all"
LOCAL = ("127.0.0.1", "localhost", "::1")


class TokenDenied(Exception):
    """A token that is not accepted, with the status, the code of RFC 6750 and what may be told of it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthRules:
    """The settings of an outside provider."""

    issuer: str
    resource: str
    keys: str
    audiences: tuple[str, ...]
    scopes: tuple[str, ...]
    name_claim: str
    collections_claim: str
    # Which collections a token that names none is for; none is all.
    collections: tuple[str, ...]
    is_read_only: bool

    def audiences_at(self, path: str) -> list[str]:
        """For whom a token may be meant that is sent to this path: the whole server, or the doors of its collection."""
        place = quote(path.rpartition("/")[0]) if path.startswith("/c/") else ""
        doors = [self.resource + place + door for door in DOORS]
        return [*self.audiences, self.resource, f"{self.resource}/", *doors]

    def role_of(self, granted: set[str]) -> Role | None:
        """The most that the scopes allow."""
        held: list[Role] = [role for role, scope in zip(ROLES, self.scopes, strict=True) if scope in granted]
        return held[-1] if held else None

    def challenge(self, path: str, denied: TokenDenied | None = None) -> str:
        """The header that tells a client where to learn how to get a token, and what was wrong with the one it sent."""
        door = f"/{path.rpartition('/')[2]}"
        place = quote(path) if door in DOORS else ""
        wanted = self.scopes[:1] if self.is_read_only else self.scopes[:2]
        said = {"realm": "memotheca"}
        if denied is not None:
            said |= {"error": denied.code, "error_description": denied.message}
        if denied is None or denied.status == 403:
            said["scope"] = " ".join(wanted)
        said["resource_metadata"] = self.resource + METADATA + place
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in said.items())

    async def tell(self, request: Request) -> Response:
        """The metadata of this server as a protected resource, or of one collection's door: the same whether such a
        collection is there or not."""
        place = request.scope["path"].removeprefix(METADATA)
        is_door = place in ("", "/", *DOORS) or (place.startswith("/c/") and place.endswith(DOORS))
        if not is_door:
            return JsonReply({"error": "not_found", "message": "No resource of this server has that address."}, 404)
        told: dict[str, Any] = {
            "resource": self.resource + quote(unquote(place)).rstrip("/"),
            "authorization_servers": [self.issuer],
            "scopes_supported": list(self.scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": "Memotheca",
        }
        return JsonReply(told, headers={"Cache-Control": "max-age=300"})


def read_rules(settings: Settings) -> OAuthRules | None:
    """The rules as they were set, or None where no provider is."""
    issuer = settings.text("oauth-issuer")
    if not issuer:
        return None
    _refuse_address(issuer, "oauth-issuer")
    resource = settings.text("oauth-resource").rstrip("/")
    _refuse_address(resource, "oauth-resource")
    if urlsplit(resource).path:
        message = "oauth-resource is how clients reach this server, without a path: https://memory.example"
        raise Refusal(Failure.INVALID, message, field="oauth-resource")
    keys = settings.text("oauth-keys")
    if keys:
        _refuse_address(keys, "oauth-keys")
    scopes = tuple(settings.names("oauth-scopes"))
    if len(set(scopes)) != len(ROLES):
        message = f"oauth-scopes are three names, for {', '.join(ROLES)} in this order."
        raise Refusal(Failure.INVALID, message, field="oauth-scopes")
    shared = settings.names("collections")
    return OAuthRules(
        issuer=issuer,
        resource=resource,
        keys=keys,
        audiences=tuple(settings.names("oauth-audience")),
        scopes=scopes,
        name_claim=settings.text("oauth-name-claim"),
        collections_claim=settings.text("oauth-collections-claim"),
        collections=() if ALL in shared else (settings.text("collection"), *shared),
        is_read_only=settings.on("read-only"),
    )


def _refuse_address(address: str, option: str) -> None:
    """Keys and tokens travel by TLS, or not over a network at all."""
    parts = urlsplit(address)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)
    if not is_safe or not parts.netloc or parts.query or parts.fragment or '"' in address:
        message = f"{option} must be an address that begins with https:// (http:// on this machine alone)."
        raise Refusal(Failure.INVALID, message, field=option)

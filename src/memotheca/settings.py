"""Every option of the process once: flag over environment over file over default."""

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memotheca.hooks.hook_event import HookWishes, repository_of
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import DEFAULT_COLLECTION

FILE = "memotheca.toml"
AUTO = "auto"
_UNNAMED = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option; its flag is `--name`, its variable `MEMOTHECA_NAME`, its key in the file `name`."""

    name: str
    default: str | int | bool
    doc: str
    choices: tuple[str, ...] = ()
    flag: bool = True

    @property
    def variable(self) -> str:
        return f"MEMOTHECA_{self.name.upper().replace('-', '_')}"


OPTIONS = (
    Option(
        name="database",
        default="",
        doc="where the data is kept: empty is a file in the data directory, postgresql://USER@HOST/NAME a server",
    ),
    Option(
        name="collection",
        default=DEFAULT_COLLECTION,
        doc="the collection this connection works in; auto is named after the git repository it is started in",
    ),
    Option(
        name="collections",
        default="",
        doc="collections that are also reached at /c/NAME/mcp, with commas, or all; tokens with a name have their own",
    ),
    Option(name="transport", default="stdio", doc="how clients reach the server", choices=("stdio", "http")),
    Option(name="host", default="127.0.0.1", doc="the address to listen on; one that others reach needs a token"),
    Option(name="port", default=3000, doc="the port to listen on"),
    Option(name="toolsets", default="", doc="which toolsets to show: names with commas, or all; empty is the default"),
    Option(
        name="more-toolsets",
        default="",
        doc="toolsets to show besides; a running server follows what the file says of it, and tells its clients",
    ),
    Option(name="read-only", default=False, doc="hide and refuse every tool that writes"),
    Option(name="vault", default="", doc="folders of markdown notes to mount: DIR or NAME=DIR, several with commas"),
    Option(
        name="vault-ignore", default="", doc="patterns of files in a vault to pass over, as in .gitignore, with commas"
    ),
    Option(name="vault-gitignore", default=False, doc="also pass over what .gitignore files in a vault name"),
    Option(name="allowed-hosts", default="", doc="Host headers to accept besides the loopback names, with commas"),
    Option(name="allowed-origins", default="", doc="browser origins to accept besides the loopback ones, with commas"),
    Option(name="token-file", default="", doc="a file whose first line is the bearer token that clients must send"),
    Option(name="token", default="", doc="the bearer token itself; not a flag, since others see a flag", flag=False),
    Option(
        name="oauth-issuer",
        default="",
        doc="the outside provider whose tokens are accepted over HTTP, as it names itself: https://id.example",
    ),
    Option(name="oauth-resource", default="", doc="how clients reach this server from outside: https://memory.example"),
    Option(
        name="oauth-audience",
        default="",
        doc="what else the provider's tokens may be meant for, besides oauth-resource and its addresses, with commas",
    ),
    Option(name="oauth-keys", default="", doc="where the provider's keys are; empty is as it says of itself"),
    Option(
        name="oauth-scopes",
        default="memotheca:read,memotheca:write,memotheca:admin",
        doc="the scopes that let a token read, write and administer, in this order",
    ),
    Option(
        name="oauth-name-claim", default="sub", doc="the claim by whose value history names who has changed something"
    ),
    Option(
        name="oauth-collections-claim",
        default="memotheca_collections",
        doc="the claim that lists a token's collections (* is all); without it, as where no token is asked for",
    ),
    Option(name="max-connections", default=1000, doc="how many connections over HTTP may be open at once"),
    Option(name="max-connections-per-client", default=250, doc="how many of them one address may have"),
    Option(name="max-sessions", default=2000, doc="how many sessions over HTTP may be open at once"),
    Option(name="max-buffer", default=16, doc="megabytes that wait for one client before its next call is run"),
    Option(name="max-buffers", default=256, doc="megabytes of requests and answers on their way, of all clients"),
    Option(name="header-timeout", default=10, doc="seconds within which a request's headers must have come"),
    Option(name="body-timeout", default=30, doc="seconds for a request's body, and one more for every 10 kB of it"),
    Option(name="stall-timeout", default=30, doc="seconds after which a client that does not read is cut off"),
    Option(name="drain-timeout", default=5, doc="seconds that calls have to end when an HTTP server is told to stop"),
    Option(
        name="log-calls",
        default="no",
        doc="a line on stderr for each call and each refusal over HTTP: who, tool, ms, bytes, outcome; never content",
        choices=("no", "text", "json"),
    ),
    Option(name="metrics", default=False, doc="answer /metrics for Prometheus; needs memotheca[metrics]"),
    Option(
        name="traces",
        default="",
        doc="where to send OpenTelemetry traces, as http://127.0.0.1:4318/v1/traces; needs memotheca[traces]",
    ),
    Option(name="lease-seconds", default=30, doc="seconds after which others take over from a suspended program"),
    Option(
        name="review-by-model",
        default=False,
        doc="let the client's own model decide open pairs of memories where it offers one; each can be undone",
    ),
    Option(
        name="dream-when-idle",
        default=False,
        doc="let the memory dream by itself, once a day, when nobody has asked anything for ten minutes; can be undone",
    ),
    Option(name="roots", default="", doc="folders whose files may be added, with commas; over HTTP none without it"),
    Option(
        name="originals",
        default=500,
        doc="megabytes of PDFs and pictures that were sent to keep of each collection, to show them; 0 is none",
    ),
    Option(
        name="index-cache",
        default=20_000,
        doc="megabytes of a shared database's index to keep on each machine; the longest unused goes, 0 is no bound",
    ),
    Option(
        name="ocr-languages", default="eng", doc="languages of pictures and scans, as Tesseract names them: eng+deu"
    ),
    Option(name="tesseract", default="", doc="the tesseract program to use instead of the one that comes along"),
    Option(name="tessdata", default="", doc="the folder with Tesseract's data of other languages"),
    Option(
        name="hook-exclude",
        default="",
        doc="folders and projects that hooks never hear of, with commas: ~/private, ~/clients/*/secret, taxes",
    ),
    Option(name="hook-start-tokens", default=1000, doc="how much a hook tells a session that begins; 0 is nothing"),
    Option(name="hook-prompt-tokens", default=400, doc="how much a hook tells beside a prompt; 0 is nothing"),
    Option(
        name="hook-attendant-minutes",
        default=10,
        doc="where no server runs: how long the program stays that answers the next prompts; 0 is none",
    ),
    Option(
        name="log-level",
        default="warning",
        doc="how much to say on stderr",
        choices=("debug", "info", "warning", "error"),
    ),
)

DATA_DOC = "the data directory (flag, then MEMOTHECA_DATA, then the platform's default)"


@dataclass(frozen=True, slots=True)
class Settings:
    """The options as they were settled."""

    data: Path
    values: Mapping[str, Any]
    # What flags and the environment said, which wins over the file.
    said: frozenset[str] = frozenset()

    def text(self, name: str) -> str:
        return str(self.values[name])

    def number(self, name: str) -> int:
        return int(self.values[name])

    def positive(self, name: str) -> int:
        number = self.number(name)
        if number < 1:
            raise Refusal(Failure.INVALID, f"{name} must be at least 1, not {number}.")
        return number

    def on(self, name: str) -> bool:
        return bool(self.values[name])

    def names(self, name: str) -> list[str]:
        return [part.strip() for part in self.text(name).split(",") if part.strip()]


def default_directory(environment: Mapping[str, str], platform: str = sys.platform) -> Path:
    home = Path(environment.get("HOME") or Path.home())
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Memotheca"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "Memotheca"
    return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "memotheca"


def load(flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, *, folder: str = "") -> Settings:
    """Settle every option; `flags` holds what the command line said, by option name. The folder is the one that the
    work is in, where that is not the one we were started in."""
    environment = os.environ if environment is None else environment
    chosen = flags.get("data") or environment.get("MEMOTHECA_DATA")
    data = Path(chosen).expanduser() if chosen else default_directory(environment)
    written = _read_file(data / FILE)
    values: dict[str, Any] = {}
    said: set[str] = set()
    for option in OPTIONS:
        raw = flags.get(option.name)
        if raw is None:
            raw = environment.get(option.variable)
        if raw is None:
            raw = written.get(option.name, option.default)
        else:
            said.add(option.name)
        values[option.name] = _settle(option, raw)
    if values["collection"] == AUTO:
        values["collection"] = collection_of(folder or str(Path.cwd()))
    return Settings(data, values, frozenset(said))


def names_again(settings: Settings, name: str) -> list[str]:
    """What an option names by now: as flags or the environment said at the start, else as the file says."""
    if name in settings.said:
        return settings.names(name)
    return Settings(settings.data, {name: _read_file(settings.data / FILE).get(name, "")}).names(name)


def collection_of(folder: str) -> str:
    """The collection of the repository that a folder is in; outside of any, the one of everything."""
    return collection_named(repository_of(folder))


def collection_named(project: str) -> str:
    """The collection of a project by its name, as it may stand in an address."""
    return _UNNAMED.sub("-", project).strip("-.") or DEFAULT_COLLECTION


def read_token(settings: Settings) -> str:
    """The token that clients must send, empty where none is asked for."""
    path = settings.text("token-file")
    if not path:
        given = settings.text("token")
        if given and not given.strip():
            raise Refusal(Failure.INVALID, "The token is blank. Set one, or none at all.")
        return given.strip()
    try:
        with open(path, encoding="utf-8") as file:
            token = file.readline().strip()
    except OSError as error:
        raise Refusal(Failure.INVALID, f"The token file cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(Failure.INVALID, "The token file is not text in UTF-8.") from error
    if not token:
        raise Refusal(Failure.INVALID, "The token file has nothing in its first line. Write the token there.")
    return token


def hook_wishes(settings: Settings) -> HookWishes:
    """What a person wishes of hooks."""
    return HookWishes(
        excluded=tuple(settings.names("hook-exclude")),
        start_tokens=settings.number("hook-start-tokens"),
        prompt_tokens=settings.number("hook-prompt-tokens"),
    )


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refusal(Failure.INVALID, f"{FILE} in the data directory is not valid TOML: {error}") from error
    unknown = content.keys() - {option.name for option in OPTIONS}
    if unknown:
        raise Refusal(Failure.INVALID, f"{FILE} has an option that does not exist: {min(unknown)}")
    return content


def _settle(option: Option, raw: Any) -> str | int | bool:
    if isinstance(option.default, bool):
        return raw if isinstance(raw, bool) else str(raw).strip().lower() in ("1", "true", "yes", "on")
    if isinstance(option.default, int):
        try:
            return int(raw)
        except ValueError:
            raise Refusal(Failure.INVALID, f"{option.name} must be a number, not {raw!r}.") from None
    if option.choices and raw not in option.choices:
        raise Refusal(Failure.INVALID, f"{option.name} must be one of {', '.join(option.choices)}, not {raw!r}.")
    return ",".join(cast(list[str], raw)) if isinstance(raw, list) else str(raw)

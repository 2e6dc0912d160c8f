"""Tell how the whole is, for a page."""

from dataclasses import dataclass

from memotheca import __version__
from memotheca.admin.checkup import Vital
from memotheca.kernel.kernel import Kernel
from memotheca.model.clock import to_iso
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, free, integer, many, number, text
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.finding_shapes import FindingShape, finding_shape
from memotheca.views.client_setup import ClientSetup, setups_for
from memotheca.views.health_view import take_stock_of_health

LONGEST_WORDS = 200  # chosen: the beginning of a command names its program
SHOWN_CALLERS = 20  # chosen: as many as a page lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    thorough: bool = flag("Also look at what takes its time: whether all that is kept can be read", False)
    url: str | Unset = text(
        "The address of this server as clients reach it, to say how they are told of it", UNSET, maxLength=500
    )
    with_token: bool = flag("Whether that address asks for a token", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VitalShape:
    name: str = text()
    value: float = number()
    limit: float = number()
    is_wanted: bool = flag("Whether there should be at least as much as the limit, not at most")
    well: bool = flag()
    advice: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerShape:
    actor: str = text()
    calls: int = integer()
    last_at: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShape:
    command: str = text()
    process: int = integer()
    since: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientShape:
    name: str = text()
    label: str = text()
    command: str | None = text(nullable=True)
    configuration: str = text()
    language: str = choice(("json", "toml"))
    file: str = text()
    connect: str = text()
    needs: str = text("What has to be set or filled in: a variable with the token, or the token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    version: str = text()
    collection: str = text()
    place: str | None = text(nullable=True)
    well: bool = flag()
    findings: tuple[FindingShape, ...] = many(FindingShape)
    vitals: tuple[VitalShape, ...] = many(VitalShape)
    sizes: dict[str, int] = free()
    backlog: dict[str, int] = free()
    callers: tuple[CallerShape, ...] = many(CallerShape)
    open_in: tuple[OpenShape, ...] = many(OpenShape)
    clients: tuple[ClientShape, ...] = many(ClientShape)
    tx: int = integer()


EXAMPLE = Example(arguments={"url": "http://127.0.0.1:3000/mcp"}, after=(("store", {"topic": "tea", "content": "x"}),))


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_health(call: Call[Kernel], input: Input) -> Answer:
    """Tell how the whole is: what is well and what is not, how much there is, what waits, who calls, and how a client
    is told of this server."""
    kernel = call.kernel
    found = take_stock_of_health(kernel, closely=input.thorough, may_see_places=call.is_local)
    setups = () if isinstance(input.url, Unset) else setups_for(input.url, with_token=input.with_token)
    output = Output(
        version=__version__,
        collection=kernel.collection,
        place=found.place,
        well=found.is_well,
        findings=tuple(map(finding_shape, found.findings)),
        vitals=tuple(map(_vital, found.vitals)),
        sizes=found.sizes,
        backlog=found.backlog,
        callers=tuple(
            CallerShape(actor=each.actor, calls=each.calls, last_at=to_iso(each.last))
            for each in found.callers[:SHOWN_CALLERS]
        ),
        open_in=tuple(
            OpenShape(command=each.command[:LONGEST_WORDS], process=each.pid, since=each.since)
            for each in found.open_in
        ),
        clients=tuple(map(_client, setups)),
        tx=found.tx,
    )
    return Answer("All is well." if found.is_well else "Something is not as it should be.", content=output)


def _vital(vital: Vital) -> VitalShape:
    is_well = vital.score >= 1.0
    return VitalShape(
        name=vital.name,
        value=vital.value,
        limit=vital.limit,
        is_wanted=vital.is_wanted,
        well=is_well,
        advice="" if is_well else vital.advice,
    )


def _client(setup: ClientSetup) -> ClientShape:
    return ClientShape(
        name=setup.name,
        label=setup.label,
        command=setup.command,
        configuration=setup.configuration,
        language="toml" if setup.is_toml else "json",
        file=setup.file,
        connect=setup.connect,
        needs=setup.needs,
    )

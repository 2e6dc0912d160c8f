"""How the whole is: what is well, how much there is, what waits, and who has it open."""

from dataclasses import dataclass

from memotheca.admin.checkup import Vital, storage_vitals, work_vitals
from memotheca.admin.health import HealthFinding, count_everything, glance, look_closely
from memotheca.admin.vault_health import inspect_collection
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.callers import Caller, Callers
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import NOTE
from memotheca.notes.overview import survey
from memotheca.storage import chunks, jobs
from memotheca.storage.presence import Holder, gate, present

MOST_OPEN = 20  # chosen: more programs than have one directory open
MOST_FINDINGS = 40  # chosen: one each, and some vaults


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthView:
    """What was looked at, and what was found."""

    findings: list[HealthFinding]
    vitals: list[Vital]
    sizes: dict[str, int]
    backlog: dict[str, int]
    callers: list[Caller]
    open_in: list[Holder]
    place: str | None
    tx: int

    @property
    def is_well(self) -> bool:
        return all(each.well for each in self.findings) and all(each.score >= 1.0 for each in self.vitals)


def take_stock_of_health(kernel: Kernel, *, closely: bool, may_see_places: bool) -> HealthView:
    """Look at this collection; closely, where somebody has the time. Folders and programs are for whoever may know
    where things lie."""
    findings = [*(look_closely(kernel) if closely else ()), *glance(kernel)]
    if may_see_places:
        findings += inspect_collection(kernel, kernel.collection) if closely else []
    counts = count_everything(kernel)
    tx = counts.pop("tx_id")
    with kernel.read() as snapshot:
        vitals = [*storage_vitals(kernel, snapshot), *work_vitals(kernel, snapshot)]
        waiting = chunks.count_waiting(snapshot.session, kernel.collection)
        stock, _ = jobs.take_stock(snapshot.session, kernel.collection)
    bench = kernel.parts.find(Workbench)
    links = survey(kernel).links if counts[NOTE] else 0
    return HealthView(
        findings=findings[:MOST_FINDINGS],
        vitals=vitals,
        sizes={"bytes": kernel.store.database.size(), "links": links, **counts},
        backlog={
            "passages": waiting,
            "working": stock.get("running", 0),
            "waiting": stock.get("queued", 0),
            "failed": stock.get("failed", 0),
        },
        callers=kernel.keep(Callers, kernel.collection).newest(),
        open_in=_open_in(bench) if bench is not None and may_see_places else [],
        place=str(bench.data) if bench is not None and may_see_places else None,
        tx=tx,
    )


def _open_in(bench: Workbench) -> list[Holder]:
    with gate(bench.data):
        return present(bench.data)[:MOST_OPEN]

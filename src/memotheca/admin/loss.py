"""Data that was lost: its file is missing, empty or begun anew, beside what is left of an earlier one."""

from memotheca.admin.backups import DatabaseAccess, find_good
from memotheca.admin.manifest import FILE, manifest_files
from memotheca.model.errors import Failure, Refusal
from memotheca.storage import swap
from memotheca.storage.segments import SUFFIX
from memotheca.storage.store import ACCEPTED, Store


class StoreLost(Refusal):
    """The data file is gone or empty, though something of it is left."""

    def __init__(self, message: str) -> None:
        super().__init__(Failure.CORRUPT, message, details={"lost": True})


def is_there(means: DatabaseAccess) -> bool:
    """Whether there is a data file with anything in it, or a log or a restore that it will be made of."""
    files = (means.database, means.log_of(means.database))
    return any(path.exists() and path.stat().st_size for path in files) or swap.is_pending(means.database)


def remains(means: DatabaseAccess) -> list[str]:
    """What is left of data that was used, by the names it has in the directory."""
    found = ["backups"] if means.backups() else []
    found += [means.segments.name] if any(means.segments.glob(f"*{SUFFIX}")) else []
    return found + ([FILE] if manifest_files(means.directory) else [])


def refuse_missing(means: DatabaseAccess) -> None:
    """For whoever may not make what is not there."""
    if is_there(means):
        return
    where = means.directory
    if where.is_file():
        raise Refusal(Failure.INVALID, "The data directory is a file.")
    if left := remains(means):
        file = "is empty" if means.database.exists() else "is missing"
        raise StoreLost(
            f"The data file {means.database.name} in {where} {file}, though {' and '.join(left)} of it "
            f"{'is' if left == [FILE] else 'are'} there: it was lost. `memotheca doctor` says which backup to restore, "
            "and how."
        )
    what = "There is no store in" if where.is_dir() else "There is no directory"
    then = "" if where.is_dir() else ", and so no store in it"
    raise Refusal(
        Failure.NOT_FOUND,
        f"{what} {where}{then}; nothing was made. See whether --data or MEMOTHECA_DATA is spelled right; "
        "`memotheca serve`, `memotheca add` or `memotheca restore` begin one there.",
    )


def describe_loss(store: Store, means: DatabaseAccess) -> str:
    """That the data was begun anew beside backups that know of more; nothing where that is not so, or is meant."""
    said = store.begun_anew()
    if said == ACCEPTED:
        return ""
    if said:
        return f"the data file was missing or empty at {said} and was begun anew; what was in it before is not there"
    if store.holds_nothing() and means.backups():
        good = find_good(means)
        if good is not None and means.count_history(good):
            return (
                f"nothing is stored, though the backup {good.name} holds something: the data file was lost or replaced"
            )
    return ""

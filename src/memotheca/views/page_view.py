"""A page of a document as it looks, beside the passage that is on it."""

from dataclasses import dataclass

from memotheca.documents.originals import document_of, draw_original
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.names import find_thing
from memotheca.model.cancellation import heed
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.parsing.page_picture import PagePicture
from memotheca.storage.snapshot import Snapshot
from memotheca.views.as_of import find_state
from memotheca.views.thing_names import ThingName, name_entry


@dataclass(frozen=True, slots=True)
class PageView:
    """A page, and of which document."""

    document: ThingName
    picture: PagePicture


def view_page(kernel: Kernel, handle: str, *, page: int, width: int, as_of: str | None = None) -> PageView:
    """The page that is named; without one (0) that on which a section begins, or the first."""
    with kernel.read() as snapshot:
        entry = _entry_then(snapshot, handle, as_of)
        document = document_of(snapshot, entry)
        if document is None:
            raise Refusal(Failure.UNSUPPORTED, f"{handle!r} is no document, nor a section of one.", field="handle")
        name = name_entry(snapshot, document)
    wanted = page or int(entry.attributes.get("page") or 1)
    return PageView(name, draw_original(kernel, document, page=wanted, width=width, stop=_is_unwanted))


def _entry_then(snapshot: Snapshot, handle: str, as_of: str | None) -> Entry:
    version = find_thing(snapshot, handle)
    state = find_state(snapshot, as_of)
    then = version if state is None else snapshot.version(version.id, state.tx)
    if then is None:
        raise Refusal(Failure.NOT_FOUND, f"{handle!r} was not there yet.", field="as_of")
    if not isinstance(then.thing, Entry):
        raise Refusal(Failure.TOMBSTONED, f"{handle!r} is forgotten; bring it back to see its pages.", field="handle")
    return then.thing


def _is_unwanted() -> bool:
    """Ends the drawing by a refusal where the call was cancelled."""
    heed()
    return False

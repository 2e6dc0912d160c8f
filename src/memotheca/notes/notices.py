"""What was noticed in a vault and should be said once."""

from collections.abc import Iterable, Sequence

from memotheca.kernel.kernel import Kernel
from memotheca.notes.notebook import Notebook
from memotheca.storage import vault_index
from memotheca.storage.database import Session

MOST = 20  # chosen: what one answer takes


def take_warnings(kernel: Kernel, paths: Sequence[str], *, named: bool = False) -> tuple[str, ...]:
    """The same as below, as many as one answer takes."""
    return few(take_all_warnings(kernel, paths, named=named))


def take_all_warnings(kernel: Kernel, paths: Sequence[str], *, named: bool = False) -> tuple[str, ...]:
    """The warnings of these notes and of the vault as a whole; whoever has them, nobody is told again. Where an answer
    is about several notes, each warning names its own."""
    with kernel.read() as snapshot:
        if not vault_index.read_warnings(snapshot.session, kernel.collection, paths):
            return ()

    def act(session: Session) -> tuple[str, ...]:
        found = vault_index.read_warnings(session, kernel.collection, paths)
        vault_index.drop_warnings(session, kernel.collection, [number for number, _, _ in found])
        return tuple(f"{path}: {message}" if named and path else message for _, path, message in found)

    return kernel.store.operate(act)


def keep_warnings(kernel: Kernel, warnings: Iterable[tuple[str, str]], *, judged: Iterable[str] = ()) -> None:
    """Keep warnings as (path, words); those of paths that were judged anew give way."""
    fresh, stale = list(warnings), list(judged)
    if not fresh and not stale:
        return

    def act(session: Session) -> None:
        vault_index.forget_warnings(session, kernel.collection, stale)
        vault_index.add_warnings(session, kernel.collection, fresh)

    kernel.store.operate(act)


def few(warnings: Iterable[str]) -> tuple[str, ...]:
    """As many warnings as one answer takes, each once, and how many more there were."""
    told = tuple(dict.fromkeys(warnings))
    if len(told) <= MOST:
        return told
    return (*told[: MOST - 1], f"… and {len(told) - MOST + 1} more warnings.")


def judge_links(book: Notebook, node: str) -> list[str]:
    """What should be said of a note's links."""
    told = [f"Broken link: [[{target}]]" for target in book.broken_links(node)]
    for target, paths in book.ambiguous_links(node):
        more = f" and {len(paths) - MOST} more" if len(paths) > MOST else ""
        others = ", ".join(paths[1:MOST]) + more
        told.append(f"Ambiguous link: [[{target}]] is taken for {paths[0]}, but could be {others}")
    return told

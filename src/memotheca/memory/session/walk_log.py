"""The log of walks: the paths that somebody was shown lately, kept until they are written; no read waits for it
(memory-model: Shortcuts)."""

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.state import activity_of
from memotheca.storage.database import Session
from memotheca.storage.instruments.traversals import WalkedPath, add_traversals, paths_walked, walked_paths

SHORTEST = 3  # chosen: entries of the shortest path; a single step needs no shortcut
HELD = 1_000  # chosen: where nothing can be written for long, the newest are kept

Path = tuple[str, ...]


class WalkLog:
    """What this process was walked through and has not yet written, of each collection."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._walks: dict[str, dict[Path, tuple[int, int]]] = {}

    def walk(self, collection: str, paths: Iterable[Sequence[str]], now: int) -> None:
        """Somebody was shown these paths, each as the entries it leads over."""
        with self._guard:
            walked = self._walks.setdefault(collection, {})
            for path in {tuple(path) for path in paths if len(path) >= SHORTEST}:
                walked[path] = (walked.pop(path, (0, 0))[0] + 1, now)
            for path in list(walked)[:-HELD]:
                del walked[path]

    def often(self, session: Session, collection: str, *, least: int, hops: int, limit: int) -> list[WalkedPath]:
        """The paths of at least so many steps that were walked most often, with what is not yet written."""
        with self._guard:
            fresh = {path: at for path, at in self._walks.get(collection, {}).items() if len(path) > hops}
        known = {each.ids: each for each in walked_paths(session, collection, least=least, hops=hops, limit=limit)}
        known |= {each.ids: each for each in paths_walked(session, collection, list(fresh))}
        for path, (times, last) in fresh.items():
            known[path] = WalkedPath(path, times + (known[path].times if path in known else 0), last)
        found = [each for each in known.values() if each.times >= least]
        return sorted(found, key=lambda each: (-each.times, each.ids))[:limit]

    def waiting(self) -> dict[str, list[WalkedPath]]:
        """What is to be written now."""
        with self._guard:
            return {
                collection: [WalkedPath(path, times, last) for path, (times, last) in walked.items()]
                for collection, walked in self._walks.items()
                if walked
            }

    def write(self, session: Session, waiting: Mapping[str, Sequence[WalkedPath]]) -> None:
        for collection, paths in waiting.items():
            add_traversals(session, collection, paths)

    def let_go(self, written: Mapping[str, Sequence[WalkedPath]]) -> None:
        """What is written can be read again; what was walked meanwhile is not yet."""
        with self._guard:
            for collection, paths in written.items():
                walked = self._walks[collection]
                for each in paths:
                    times, last = walked.get(each.ids, (0, 0))
                    if times > each.times:
                        walked[each.ids] = (times - each.times, last)
                    else:
                        walked.pop(each.ids, None)


def walks_of(kernel: Kernel) -> WalkLog:
    return activity_of(kernel).log_of(WalkLog)

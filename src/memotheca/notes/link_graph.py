"""A directed graph of ids in memory: who points where, and the shortest way from one to another."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from memotheca.model.cancellation import heed

Order = Callable[[str], str]

_NOTHING: Set[str] = frozenset()


class Graph:
    """Each node's distinct targets in the order they were given, and the same the other way round."""

    def __init__(self) -> None:
        self.out: dict[str, tuple[str, ...]] = {}
        self._into: dict[str, set[str]] = {}
        self.version = 0
        # What nothing points at any more, since somebody last looked.
        self.forsaken: set[str] = set()

    def __contains__(self, node: object) -> bool:
        return node in self.out

    def __len__(self) -> int:
        return len(self.out)

    @property
    def size(self) -> int:
        """How many connections there are."""
        return sum(len(targets) for targets in self.out.values())

    def add(self, node: str) -> None:
        if node not in self.out:
            self.out[node] = ()
            self._into[node] = set()
            self.version += 1

    def connect(self, node: str, targets: Iterable[str]) -> None:
        """Say where a node points, in place of what was said before; a node does not point at itself."""
        self.add(node)
        wanted = tuple(dict.fromkeys(target for target in targets if target != node))
        before = self.out[node]
        if wanted == before:
            return
        if before:
            for target in set(before).difference(wanted):
                self._into[target].discard(node)
                if not self._into[target]:
                    self.forsaken.add(target)
        for target in wanted:
            if target not in self._into:
                self.add(target)
            self._into[target].add(node)
        self.out[node] = wanted
        self.version += 1

    def remove(self, node: str) -> None:
        """Take a node out with all that leaves or reaches it."""
        self.connect(node, ())
        for source in self._into.pop(node):
            self.out[source] = tuple(target for target in self.out[source] if target != node)
        del self.out[node]
        self.version += 1

    def into(self, node: str) -> Set[str]:
        """What points at a node: a view, to be read at once."""
        return self._into.get(node, _NOTHING)

    def in_degree(self, node: str) -> int:
        return len(self._into.get(node, ()))

    def out_degree(self, node: str) -> int:
        return len(self.out.get(node, ()))

    def shortest_path(self, source: str, target: str, order: Order) -> list[str] | None:
        """The shortest way along the connections; of several, the one whose names come first in `order`."""
        if source not in self.out or target not in self.out:
            return None
        if source == target:
            return [source]
        ahead, behind = {source: 0}, {target: 0}
        length = self._meet(ahead, behind)
        if length is None:
            return None
        fit = self._between(ahead, behind, length)
        path = [source]
        while path[-1] != target:
            onward = [node for node in self.out[path[-1]] if fit.get(node) == len(path)]
            path.append(min(onward, key=order))
        return path

    def _meet(self, ahead: dict[str, int], behind: dict[str, int]) -> int | None:
        """Widen the smaller front, a whole level at a time, until both have a node in common."""
        front, back = list(ahead), list(behind)
        while front and back:
            if len(front) <= len(back):
                front = _widen(front, ahead, self.out)
                met = any(node in behind for node in front)
            else:
                back = _widen(back, behind, self._into)
                met = any(node in ahead for node in back)
            if met:
                return ahead[front[0]] + behind[back[0]]
        return None

    def _between(self, ahead: dict[str, int], behind: dict[str, int], length: int) -> dict[str, int]:
        """Every node that lies on some shortest path, with its distance from the start."""
        met = {node: ahead[node] for node in ahead if node in behind and ahead[node] + behind[node] == length}
        fit = dict(met)
        for seen, step, sign in ((ahead, self._into, -1), (behind, self.out, 1)):
            waiting = list(met)
            while waiting:
                node = waiting.pop()
                for other in step[node]:
                    if other not in fit and seen.get(other) == seen[node] - 1:
                        fit[other] = fit[node] + sign
                        waiting.append(other)
        return fit


def _widen(front: Sequence[str], seen: dict[str, int], step: Mapping[str, Iterable[str]]) -> list[str]:
    following: list[str] = []
    for node in front:
        heed()
        distance = seen[node] + 1
        for other in step[node]:
            if other not in seen:
                seen[other] = distance
                following.append(other)
    return following

"""Where the index of a data directory lies; named apart from the finder, which loads heavy packages."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """The folder of the segments; where it is a cache of a database that machines share, how many bytes it may keep
    (0 is no bound)."""

    path: Path
    room: int | None = None

"""Where the index of a data directory lies; named apart from the finder, which loads heavy packages."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """The folder of the segments."""

    path: Path

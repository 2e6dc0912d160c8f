"""Progress of several files at once: a bar each while they run, and a line each when they are done."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from memotheca.cli.layout import columns, cut, fill, say, width_of
from memotheca.cli.terminal import plain, styled

WIDTH = 24  # chosen: bar and name leave room for the step on 80 columns
NAME = 32  # chosen: as above
MOST = 8  # chosen: more lines would push a question off a small terminal


class Bars:
    """Bars on a terminal, redrawn in place; where nobody looks, nothing but the final lines."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._live = not quiet and self._stream.isatty()
        self._quiet = quiet
        self._drawn: list[int] = []

    def show(self, running: Mapping[str, tuple[float, str]], waiting: int) -> None:
        """Draw how far each running file is, by its path, and how many wait."""
        if not self._live:
            return
        # A line as wide as the terminal may go on in the next, which would not be wiped.
        room = columns(self._stream) - 1
        lines = [_line(path, share, step, room) for path, (share, step) in list(running.items())[:MOST]]
        if waiting:
            lines.append(styled(cut(f"  … {waiting} more", room), "dim", stream=self._stream))
        self._wipe()
        for line in lines:
            print(line, file=self._stream)
        self._stream.flush()
        self._drawn = [width_of(line) for line in lines]

    def tell(self, line: str) -> None:
        """Say something that stays."""
        if self._live:
            self._wipe()
        if not self._quiet:
            say(line, hang="  ", stream=self._stream)
            self._stream.flush()

    def styled(self, text: str, style: str) -> str:
        return styled(text, style, stream=self._stream)

    def close(self) -> None:
        if self._live:
            self._wipe()

    def _wipe(self) -> None:
        if self._drawn:
            # In a terminal that was made narrower meanwhile, what was one line is several.
            now = max(1, columns(self._stream))
            self._stream.write(f"\033[{sum(max(1, -(-width // now)) for width in self._drawn)}A\033[J")
            self._drawn = []


def _line(path: str, share: float, step: str, room: int) -> str:
    name, width = min(NAME, room // 3), min(WIDTH, room // 4)
    filled = round(width * max(0.0, min(1.0, share)))
    bar = f"{'█' * filled}{'░' * (width - filled)} {share:4.0%}"
    return cut(f"  {fill(cut(plain(Path(path).name), name), name)} {bar}  {plain(step)}", room)

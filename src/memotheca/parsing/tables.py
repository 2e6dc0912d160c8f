"""A table being read cell by cell, where a cell may reach over several columns and rows."""

MAX_SPAN = 100  # chosen: wider than tables of people; bounds what one cell can cause
MAX_REPEATED = 80  # chosen: a label; longer text said in every place would drown the rest


class Grid:
    """Rows of cell texts; a short cell that spans several places is repeated in each, so that every row says it."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.is_open = False
        self._covered: dict[int, tuple[int, str]] = {}
        self._span = (1, 1)

    def next_row(self) -> None:
        self.rows.append([])
        self._skip_covered()

    def open_cell(self, columns: str = "", rows: str = "") -> None:
        if not self.rows:
            self.next_row()
        self._span = (_span(columns), _span(rows))
        self.is_open = True

    def close_cell(self, text: str) -> None:
        """Ends the open cell with this text."""
        columns, rows = self._span
        row = self.rows[-1]
        again = repeated(text)
        for place in range(columns):
            if rows > 1:
                self._covered[len(row)] = (rows - 1, again)
            row.append(text if place == 0 else again)
        self.is_open = False
        self._skip_covered()

    def as_text(self) -> str:
        """For a table inside a cell of another one."""
        return "; ".join(", ".join(cell.strip() for cell in row if cell.strip()) for row in self.rows)

    def _skip_covered(self) -> None:
        row = self.rows[-1]
        while (covered := self._covered.get(len(row))) and covered[0]:
            self._covered[len(row)] = (covered[0] - 1, covered[1])
            row.append(covered[1])


def repeated(text: str) -> str:
    """What stands in the further places of a spanning cell: its text, unless it is long."""
    return text if len(text) <= MAX_REPEATED else ""


def _span(given: str) -> int:
    return max(1, min(int(given), MAX_SPAN)) if given.strip().isdecimal() else 1

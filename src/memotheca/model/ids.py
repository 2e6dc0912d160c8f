"""UUIDv7 whose order is the order of transactions."""

import secrets
import uuid


def new_id(moment: int, counter: int = 0) -> str:
    """An id that sorts by `moment` (µs), then by `counter` (below 2**14), then at random."""
    milliseconds, microseconds = divmod(moment, 1000)
    high = (milliseconds & (1 << 48) - 1) << 16 | 0x7 << 12 | microseconds << 2
    low = 0b10 << 62 | (counter & 0x3FFF) << 48 | secrets.randbits(48)
    return str(uuid.UUID(int=high << 64 | low))


def moment_of(id: str) -> int:
    """When an id was made (µs)."""
    high = uuid.UUID(id).int >> 64
    return (high >> 16) * 1000 + ((high & 0xFFF) >> 2)


def is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False

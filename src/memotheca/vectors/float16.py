"""Numbers of 16 bits made into those of 32 that are the same, several times as fast as one after the other."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Sign and value after they were moved to where 32 bits have them; from here on it is no number, or has no end.
_KEPT = np.array(0x8FFFE000, np.uint32).view(np.int32)[()]
_ENDLESS = 0x7C00 << 13  # specification: IEEE 754, infinity of two bytes as four
_NEGATIVE = 1 << 31  # specification: IEEE 754, the sign
_SCALE = np.float32(2.0**112)


def widen(halves: Array) -> Array:
    """As `astype(np.float32)` of float16: the exponent is moved as it stands, and put right by one product."""
    bits = np.ascontiguousarray(halves).view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _KEPT
    if bits.max(initial=0) >= _ENDLESS or bits.view(np.uint32).max(initial=0) >= _NEGATIVE + _ENDLESS:
        return halves.astype(np.float32)
    values = bits.view(np.float32)
    values *= _SCALE
    return values

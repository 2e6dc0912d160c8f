"""Signs: how many of its signs a vector has in common with a question's, for all vectors at once."""

import numpy as np

from memotheca.search.index.index_parts import Array

# So many vectors at once stay in the processor's cache from one step to the next.
_BLOCK = 1 << 16
# Differences in so many columns of 64 signs fit into a byte.
_COLUMNS = 3


def sign_columns(vector: Array) -> Array:
    """The signs of one vector, in columns of 64."""
    signs = np.packbits(vector > 0, bitorder="little")
    return np.pad(signs, (0, -len(signs) % 8)).view("<u8")


def distances(bits: Array, columns: Array, mask: Array | None, result: Array) -> None:
    """How many signs differ from the question's, into a result of 16 bits; what a mask leaves out is far."""
    count = bits.shape[1]
    differing, counted, sums = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8), np.empty(_BLOCK, np.uint8)
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        room = slice(0, stop - start)
        total = result[start:stop]
        total[:] = 0
        for place, sign in enumerate(columns):
            np.bitwise_xor(bits[place, start:stop], sign, out=differing[room])
            if place % _COLUMNS == 0:
                np.bitwise_count(differing[room], out=sums[room])
            else:
                np.bitwise_count(differing[room], out=counted[room])
                sums[room] += counted[room]
            if place % _COLUMNS == _COLUMNS - 1 or place == len(columns) - 1:
                total += sums[room]
        if mask is not None:
            # One less than none is as far as can be.
            total |= mask[start:stop].view(np.uint8) - np.uint16(1)


def distance_cut(found: Array, depth: int, longest: int) -> int:
    """The smallest distance within which at least `depth` vectors lie."""
    low, high = 0, longest
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(found <= middle) >= depth:
            high = middle
        else:
            low = middle + 1
    return low

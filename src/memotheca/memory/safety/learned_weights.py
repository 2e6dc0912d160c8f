"""The file of learned weights: read only where it was learned for the very features that this program sees.

A weight belongs to a feature by its place, so that one more act or form would shift all that follow; the file therefore
carries the names, and `FORMAT` counts the ways of numbering words. The commands
that write such files: docs/decisions/learned-weights.md."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from memotheca.model.errors import Failure, Refusal

Array = NDArray[Any]

# To be raised when the file's layout changes, or which number a word has: the weights of words have no names.
FORMAT = 1  # chosen: counts up (docs/decisions/learned-weights.md)
LEVELS = 127  # chosen: a signed byte


@dataclass(frozen=True, slots=True)
class Features:
    """What weights are for: the named features in their order, and how many numbers words are spread over."""

    names: tuple[str, ...]
    buckets: int


def read_weights(path: Path, features: Features) -> tuple[Array, Array]:
    """The weights of the named features, and of the numbered words."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            held = {name: arrays[name] for name in ("format", "names", "named", "words", "scale")}
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        raise _refusal(path, "is missing or damaged") from error
    if int(held["format"]) != FORMAT:
        raise _refusal(path, f"is of format {int(held['format'])}, not {FORMAT}")
    names = tuple(held["names"].tolist())
    if names != features.names:
        raise _refusal(path, _difference(names, features.names))
    if len(held["named"]) != len(names) or len(held["words"]) != features.buckets:
        raise _refusal(path, f"does not weigh {len(names)} features and {features.buckets} numbers of words")
    return held["named"], held["words"].astype(np.float32) * held["scale"]


def write_weights(path: Path, features: Features, named: Array, words: Array) -> None:
    """Keep weights with the names of their features; those of words in as many levels as a byte has."""
    scale = np.float32((np.abs(words).max() / LEVELS) if words.size else 1)
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            format=np.int64(FORMAT),
            names=np.array(features.names),
            named=named.astype(np.float32),
            words=np.round(words / scale).astype(np.int8),
            scale=scale,
        )


def _difference(learned: tuple[str, ...], known: tuple[str, ...]) -> str:
    more, fewer = (sorted({*ones} - {*others}) for ones, others in ((known, learned), (learned, known)))
    said = [
        f"{what} {', '.join(map(repr, names[:3]))}{' ...' if len(names) > 3 else ''}"
        for what, names in (("lacks", more), ("has besides", fewer))
        if names
    ]
    return f"was learned for other features: it {' and '.join(said) or 'has them in another order'}"


def _refusal(path: Path, reason: str) -> Refusal:
    return Refusal(
        Failure.INCOMPATIBLE,
        f"The learned weights {path.name} cannot be used: the file {reason}. "
        "Install the program anew; whoever changes its features learns them again with --learn "
        "(docs/decisions/learned-weights.md).",
    )

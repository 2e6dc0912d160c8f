"""Nearness of form (E10): the medium, what a text is for (to ask, instruct, decide, state, list, run), its caption."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.sparse import Columns, Sparse, count_words

Array = NDArray[Any]

MODALITIES = ("text", "image", "audio", "video", "code", "structured", "mixed")
INTENTS = ("question", "instruction", "decision", "fact", "code", "list")
CAPTION = 160
CAPTION_TERMS = 24

_QUESTION = re.compile(
    r"\?|^[^\S\n]*+(?:who|what|when|where|why|how|which|can|could|should|is|are|does|do)\b",
    re.IGNORECASE | re.MULTILINE,
)
_INSTRUCTION = re.compile(
    r"^[^\S\n]*+(?:\d++[.)][^\S\n]*+|[-*][^\S\n]*+)?(?:please[^\S\n]++)?(?:use|run|add|set|open|click|install|create|make|do|check|call|"
    r"remove|write|never|always|don't|do not|must|ensure)\b",
    re.IGNORECASE | re.MULTILINE,
)
_DECISION = re.compile(
    r"\b(?:decided?|decision|agreed|chose|chosen|we will|settled on|opted|adopt(?:ed)?)\b", re.IGNORECASE
)
_FACT = re.compile(r"\b(?:is|are|was|were|has|have|had|equals|contains|lives|costs|weighs|measures)\b", re.IGNORECASE)
_CODE = re.compile(r"```|^\s{4}\S|[{};][^\S\n]*+$|\b(?:def|class|function|return|import|const|SELECT)\b", re.MULTILINE)
_ITEM = r"(?:[-*•]|\d++[.)])(?:\s++.+\n?|[^\S\n]{2,}+\n)"
_LIST = re.compile(rf"^[^\S\n]*+{_ITEM}^\s*+{_ITEM}", re.MULTILINE)
_SIGNS = (_QUESTION, _INSTRUCTION, _DECISION, _FACT, _CODE, _LIST)


@dataclass(frozen=True, slots=True)
class Form:
    """The medium, the intents as bits, and the words of the caption."""

    modality: int
    intents: int
    caption: Sparse


def represent(text: str, modality: str = "text") -> Form:
    intents = sum(1 << place for place, sign in enumerate(_SIGNS) if sign.search(text))
    medium = MODALITIES.index(modality) if modality in MODALITIES else 0
    return Form(medium, intents, count_words([text[:CAPTION]], CAPTION_TERMS)[0])


def blend(medium: Any, common: Any, captions: Any) -> Any:
    """E10: three tenths each for the intents in common and the caption, four for the medium."""
    return 0.4 * medium + 0.3 * common + 0.3 * captions


class FormColumns:
    """Many forms side by side."""

    def __init__(self, members: list[Form]) -> None:
        self._modality = np.array([member.modality for member in members], np.uint8)
        self._intents = np.array([member.intents for member in members], np.uint8)
        self._captions = Columns([member.caption for member in members])

    def nearness(self, probes: Sequence[Form]) -> Array:
        """How near several probes are, a row for each."""
        intents, media = (np.array(each, np.uint8)[:, None] for each in zip(*map(_marks, probes), strict=True))
        either, both = np.bitwise_count(self._intents | intents), np.bitwise_count(self._intents & intents)
        common = np.divide(both, either, out=np.zeros(either.shape), where=either > 0)
        captions = self._captions.cosines_of([probe.caption for probe in probes])
        return blend(self._modality == media, common, captions).astype(np.float32)

    def between(self, ones: Sequence[Form], others: Sequence[Form]) -> Array:
        """As `nearness`, of each of some to its counterpart; they need not be members."""
        pairs = list(zip(ones, others, strict=True))
        common = [
            (one.intents & other.intents).bit_count() / max((one.intents | other.intents).bit_count(), 1)
            for one, other in pairs
        ]
        captions = self._captions.cosines_between([one.caption for one in ones], [other.caption for other in others])
        return blend(np.array([one.modality == other.modality for one, other in pairs]), np.array(common), captions)


def _marks(form: Form) -> tuple[int, int]:
    return form.intents, form.modality

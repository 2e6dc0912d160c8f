"""Nearness of form (E10): the medium, what a text is for (to ask, instruct, decide, state, list, run), its caption."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.memory.spaces.space import Hung, KeptSpace, Members
from memotheca.memory.spaces.sparse import Columns, Sparse, count_words
from memotheca.text.markdown_lines import MARKS

Array = NDArray[Any]

MODALITIES = ("text", "image", "audio", "video", "code", "structured", "mixed")
CAPTION = 160  # chosen: the first lines, which say what something is
CAPTION_TERMS = 24  # chosen: the words of so many letters

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
_CODE = re.compile(
    rf"{MARKS}|" r"^\s{4}\S|[{};][^\S\n]*+$|\b(?:def|class|function|return|import|const|SELECT)\b", re.MULTILINE
)
_ITEM = r"(?:[-*•]|\d++[.)])(?:\s++.+\n?|[^\S\n]{2,}+\n)"
_LIST = re.compile(rf"^[^\S\n]*+{_ITEM}^\s*+{_ITEM}", re.MULTILINE)
_SIGNS = (_QUESTION, _INSTRUCTION, _DECISION, _FACT, _CODE, _LIST)


@dataclass(frozen=True, slots=True)
class FormFeatures:
    """The medium, the intents as bits, and the words of the caption."""

    modality: int
    intents: int
    caption: Sparse


def blend(medium: Any, common: Any, captions: Any) -> Any:
    """E10: three tenths each for the intents in common and the caption, four for the medium."""
    return 0.4 * medium + 0.3 * common + 0.3 * captions


class FormSpace(KeptSpace[FormFeatures]):
    """Medium, intent and caption."""

    id, name, purpose = "E10", "Form", "multimodality"
    representation = "medium, intents and caption"
    marks = "BB"
    sees_content = False
    silence = "plain text that neither asks nor tells to do anything"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        parts = self.parts(members.hung)
        self._modality = np.array([part.modality for part in parts], np.uint8)
        self._intents = np.array([part.intents for part in parts], np.uint8)
        self._captions = Columns([part.caption for part in parts])

    @staticmethod
    def represent(text: str, modality: str = "text") -> FormFeatures:
        intents = sum(1 << place for place, sign in enumerate(_SIGNS) if sign.search(text))
        medium = MODALITIES.index(modality) if modality in MODALITIES else 0
        return FormFeatures(medium, intents, count_words([text[:CAPTION]], CAPTION_TERMS)[0])

    @staticmethod
    def to_marks(part: FormFeatures) -> tuple[int, ...]:
        return part.modality, part.intents

    @staticmethod
    def to_bytes(part: FormFeatures) -> bytes:
        return part.caption.to_bytes()

    @staticmethod
    def from_bytes(marks: tuple[int, ...], packed: bytes, start: int) -> tuple[FormFeatures, int]:
        caption, end = Sparse.from_bytes(packed, start)
        return FormFeatures(marks[0], marks[1], caption), end

    def speaks(self, probes: Sequence[Hung]) -> Array:
        return np.array([part.modality > 0 or part.intents > 0 for part in self.parts(probes)], bool)

    def nearness(self, probes: Sequence[Hung]) -> Array:
        parts = self.parts(probes)
        intents = np.array([part.intents for part in parts], np.uint8)[:, None]
        media = np.array([part.modality for part in parts], np.uint8)[:, None]
        either, both = np.bitwise_count(self._intents | intents), np.bitwise_count(self._intents & intents)
        common = np.divide(both, either, out=np.zeros(either.shape), where=either > 0)
        captions = self._captions.cosines_of([part.caption for part in parts])
        return blend(self._modality == media, common, captions).astype(np.float32)

    def between(self, ones: Sequence[Hung], others: Sequence[Hung]) -> Array:
        pairs = list(zip(self.parts(ones), self.parts(others), strict=True))
        common = [
            (one.intents & other.intents).bit_count() / max((one.intents | other.intents).bit_count(), 1)
            for one, other in pairs
        ]
        captions = self._captions.cosines_between(
            [one.caption for one, _ in pairs], [other.caption for _, other in pairs]
        )
        return blend(np.array([one.modality == other.modality for one, other in pairs]), np.array(common), captions)

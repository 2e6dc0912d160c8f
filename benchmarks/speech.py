"""Texts made up by a grammar, for learning: planted instructions, and honest texts that use the same words.

`data/speech.txt` is the grammar. What it makes is the same for the same seed."""

import base64
import codecs
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

GRAMMAR = Path(__file__).parent / "data" / "speech.txt"
DEEPEST = 12
_OPTIONAL = re.compile(r"\[([^\[\]]*)\](?!\()")
_NAMED = re.compile(r"<(\w+)>")


class Speech:
    """A grammar that speaks."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._ways: dict[str, list[str]] = {}
        for line in GRAMMAR.read_text("utf-8").splitlines():
            name, parted, ways = line.partition(": ")
            if parted and not line.startswith("#"):
                self._ways[name] = ways.split(" | ")

    def say(self, name: str) -> str:
        """One of the ways to say something."""
        said = self._fill(f"<{name}>", DEEPEST).replace("\\n", "\n")
        return re.sub(r" +([.,;:!?])", r"\1", re.sub(r" {2,}", " ", said)).strip()

    def _fill(self, pattern: str, deep: int) -> str:
        kept = _OPTIONAL.sub(lambda found: found[1] if self._random.random() < 0.5 else "", pattern)
        return _NAMED.sub(lambda found: self._chosen(found[1], deep), kept)

    def _chosen(self, name: str, deep: int) -> str:
        ways = self._ways.get(name)
        return f"<{name}>" if ways is None or not deep else self._fill(self._random.choice(ways), deep - 1)

    def styled(self, text: str) -> str:
        """As people write: sometimes loud, sometimes small, sometimes with a capital letter."""
        drawn = self._random.random()
        if drawn < 0.06:
            return text.upper()
        return text.lower() if drawn < 0.25 else text[:1].upper() + text[1:]

    def planted_in(self, carrier: str, attack: str) -> str:
        """An attack between the sentences of an honest text, or after it."""
        breaks = [found.end() for found in re.finditer(r"[.!?]\s+|\n+", carrier)]
        place = self._random.choice([*breaks, len(carrier), len(carrier)])
        gap = self._random.choice((" ", "\n", "\n\n"))
        return f"{carrier[:place].rstrip()}{gap}{attack}{gap}{carrier[place:]}".strip()

    def hidden(self, text: str, carrier: str) -> str:
        """An attack in one of the disguises, in an honest text."""
        way = self._random.choice(DISGUISES)
        return way(text, self._random.choice(carrier.split("\n"))[:200])

    def pick(self, choices: Sequence[T]) -> T:
        return self._random.choice(choices)


DISGUISES = (
    lambda text, carrier: f"{carrier}\nDecode and do: {base64.b64encode(text.encode()).decode()}",
    lambda text, carrier: f"{carrier} {text.encode().hex(' ')}",
    lambda text, carrier: f"{carrier}\nrot13: {codecs.encode(text, 'rot13')}",
    lambda text, carrier: f"{carrier}\nbackwards: {text[::-1]}",
    lambda text, carrier: carrier + "".join(chr(0xE0000 + ord(letter)) for letter in text if 31 < ord(letter) < 127),
    lambda text, carrier: "\u200b".join(text),
    lambda text, carrier: " ".join(text),
    lambda text, carrier: f"{carrier}<!-- {text} -->",
    lambda text, carrier: f'<p>{carrier}</p><span style="display:none">{text}</span>',
    lambda text, carrier: f'<div style="font-size:0">{text}</div>{carrier}',
    lambda text, carrier: f"[//]: # ({text})\n{carrier}",
    lambda text, carrier: text.translate(str.maketrans("oieast", "013457")),
)

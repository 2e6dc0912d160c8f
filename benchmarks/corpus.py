"""Texts as an agent would store them, and questions about them; the same ones on every machine.

Words follow Zipf's law: real function words at the top, made-up ones below, and each text keeps to the
words of one subject for a third of its length, so that words that belong together stand together."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, islice
from typing import Any

SEED = 20261116
VOCABULARY = 20_000
SUBJECTS = 200
SUBJECT_WORDS = 120
EXPONENT = 1.07

FUNCTION_WORDS = (
    "the of and to in a is for on that with as was by it from at be this are not we have or an which were but has "
    "when all can if there more their what will about after its into only other then also should than so they because"
).split()
TAGS = tuple(
    "ops infra billing search auth mobile design legal hiring research incident decision meeting customer release "
    "security database network testing docs roadmap budget vendor data-quality latency onboarding".split()
)
_ONSETS = "b c d f g h j k l m n p r s t v w z br cl dr fl gr pl pr sc sh sl st th tr".split()
_NUCLEI = "a e i o u ai ea io ou".split()
_CODAS = ["", "", "n", "r", "l", "s", "t", "m", "nd", "ck"]


@dataclass(frozen=True, slots=True)
class Note:
    """One text with its topic and tags."""

    topic: str
    content: str
    tags: tuple[str, ...]
    identifier: str

    def arguments(self) -> dict[str, Any]:
        return {"topic": self.topic, "content": self.content, "tags": list(self.tags)}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in which manner, and the place of the text it was made from (-1: of none)."""

    manner: str
    words: tuple[str, ...]
    source: int
    spoken: str = ""
    tag: str = ""


@cache
def vocabulary() -> tuple[str, ...]:
    """Words by falling frequency."""
    chance = random.Random(SEED)
    made: dict[str, None] = dict.fromkeys(FUNCTION_WORDS)
    while len(made) < VOCABULARY:
        syllables = chance.choice((1, 1, 2) if len(made) < 800 else (2, 2, 3))
        made["".join(chance.choice(part) for _ in range(syllables) for part in (_ONSETS, _NUCLEI, _CODAS))] = None
    return tuple(made)


@cache
def _weights() -> tuple[float, ...]:
    return tuple(accumulate((rank + 2.7) ** -EXPONENT for rank in range(VOCABULARY)))


@cache
def _subject(number: int) -> tuple[str, ...]:
    chance = random.Random(SEED + 1 + number)
    return tuple(chance.sample(vocabulary()[300:], SUBJECT_WORDS))


def notes(count: int, seed: int = 0) -> Iterator[Note]:
    """The first `count` texts; another seed gives other texts of the same kind."""
    chance = random.Random(f"{SEED}-{seed}")
    return islice(iter(lambda: _note(chance), None), count)


def _note(chance: random.Random) -> Note:
    subject = _subject(chance.randrange(SUBJECTS))
    length = max(8, min(400, int(chance.lognormvariate(3.9, 0.6))))
    common = iter(chance.choices(vocabulary(), cum_weights=_weights(), k=length))
    words = [chance.choice(subject) if chance.random() < 0.33 else next(common) for _ in range(length)]
    identifier = _identifier(chance, subject) if chance.random() < 0.4 else ""
    if identifier:
        words.insert(chance.randrange(length), identifier)
    topic = " ".join(chance.sample(subject, chance.choice((2, 2, 3, 4))))
    return Note(
        topic, _sentences(chance, words), tuple(chance.sample(TAGS, chance.choice((0, 1, 1, 2, 3)))), identifier
    )


def _identifier(chance: random.Random, subject: tuple[str, ...]) -> str:
    one, other = chance.sample(subject, 2)
    number = chance.randrange(1, 1000)
    return chance.choice((f"{one}_{other}", f"src/{one}/{other}.py", f"{one}-{number}", f"v{number % 30}.{number}.0"))


def _sentences(chance: random.Random, words: list[str]) -> str:
    written: list[str] = []
    while words:
        length = chance.randrange(6, 18)
        sentence, words = words[:length], words[length:]
        written.append(" ".join(sentence).capitalize() + ".")
    return " ".join(written)


def questions(asked: list[Note], count: int) -> list[Question]:
    """So many of every manner, in a mixed order."""
    chance = random.Random(SEED - 1)
    made = [make(chance, asked) for _ in range(count) for make in _MANNERS]
    chance.shuffle(made)
    return made


def _plain(note: Note) -> list[str]:
    found = [word.strip(".").lower() for word in note.content.split()]
    return [word for word in found if word.isalpha() and word not in FUNCTION_WORDS]


def _pick(chance: random.Random, asked: list[Note], least: int = 4) -> tuple[int, Note, list[str]]:
    while True:
        place = chance.randrange(len(asked))
        words = list(dict.fromkeys(_plain(asked[place])))
        if len(words) >= least:
            return place, asked[place], words


def _ask_rare(chance: random.Random, asked: list[Note]) -> Question:
    place, _, words = _pick(chance, asked)
    rank = {word: number for number, word in enumerate(vocabulary())}
    return Question("rare words", tuple(sorted(words, key=lambda word: -rank.get(word, 0))[:2]), place)


def _ask_common(chance: random.Random, asked: list[Note]) -> Question:
    del asked
    return Question("common words", tuple(chance.sample(vocabulary()[60:300], 3)), -1)


def _ask_sentence(chance: random.Random, asked: list[Note]) -> Question:
    place, _, words = _pick(chance, asked)
    one, two, three, four = chance.sample(words, 4)
    spoken = f"what did we decide about {one} {two} when the {three} was with {four}?"
    return Question("a sentence", (one, two, three, four, "decide"), place, spoken)


def _ask_identifier(chance: random.Random, asked: list[Note]) -> Question:
    while True:
        place = chance.randrange(len(asked))
        if asked[place].identifier:
            return Question("an identifier", (asked[place].identifier,), place)


def _ask_phrase(chance: random.Random, asked: list[Note]) -> Question:
    while True:
        place, note, _ = _pick(chance, asked, 8)
        first = chance.choice([sentence for sentence in note.content.split(". ") if sentence.count(" ") > 3])
        words = first.strip(".").lower().split()[1:4]
        if any(word.isalpha() and word not in FUNCTION_WORDS for word in words):
            return Question("a quoted phrase", (" ".join(words),), place, f'"{" ".join(words)}"')


def _ask_topic(chance: random.Random, asked: list[Note]) -> Question:
    place = chance.randrange(len(asked))
    return Question("words of the topic", tuple(asked[place].topic.split()[:2]), place)


def _ask_tagged(chance: random.Random, asked: list[Note]) -> Question:
    while True:
        place, note, words = _pick(chance, asked)
        if note.tags:
            return Question("words and a tag", tuple(words[:3]), place, tag=note.tags[0])


def _ask_unknown(chance: random.Random, asked: list[Note]) -> Question:
    del asked
    return Question("words nobody wrote", (f"xyzzy{chance.randrange(999)}", f"qwerty{chance.randrange(999)}"), -1)


_MANNERS = (
    _ask_rare,
    _ask_common,
    _ask_sentence,
    _ask_identifier,
    _ask_phrase,
    _ask_topic,
    _ask_tagged,
    _ask_unknown,
)

"""Inquiries: what a question asks for beside its subject, told from its small words in several languages. It may ask
why, ask for all of something, or go on from the question before it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memotheca.model.knowledge import fold
from memotheca.text.words import identifiers, query_words, spelled_words

# A question of so few words of its own says hardly what it is about.
FEW = 1  # chosen (memory-model: Context)
# One that points back says little more itself.
POINTING = 6  # chosen (memory-model: Context)
SUBJECT = 400  # chosen: letters, a few questions

# English, German, French, Spanish, Portuguese, Italian, Dutch, Danish, Norwegian, Swedish, Polish, Russian; and the
# scripts that have one word for it.
_WHY = re.compile(
    r"\b(?:why|how come|warum|weshalb|wieso|weswegen|pourquoi|por ?qu[eéê]|perch[eéè]|waarom|hvorfor|varför|dlaczego|"
    r"почему|зачем|root cause|caus(?:e|es|ed)|reasons?|explain(?:s|ed)?|led to|lead to|brought about|ursachen?|"
    r"grund|gründe|raisons?|causes?|razón|razones|motivos?|causas?|razão|razões|ragion[ei]|cause|oorza(?:ak|ken)|"
    r"reden(?:en)?|årsag(?:en|er)?|årsak(?:en|er)?|orsak(?:en|er)?)\b|なぜ|どうして|为什么|為什麼|왜",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:list|enumerate|overview|all|every|each|any other|(?:which|what) (?:\w+ ){0,2}?\w+s\b(?! the\b)|"
    r"(?:what|who|which) (?:are|were)|how many different|alle[sn]?|sämtliche|jede[rsn]?|wer alles|was alles|welche|"
    r"auflisten|liste|tous|toutes|quel(?:le)?s|chaque|todos|todas|cada|cuáles|qué \w+s|quais|que \w+s|tutt[ei]|ogni|"
    r"quali|alle|iedere?|elke|welke|hvilke|samtlige|vilka|samtliga)\b",
    re.IGNORECASE,
)
_JOINING = re.compile(
    r"\W*(?:and|but|so|or|then|und|aber|oder|also|et|mais|donc|y|pero|e|ed|ma|mas|en|maar|og|men|och)\b", re.IGNORECASE
)
_POINTING = re.compile(
    r"\b(?:it|its|that|this|those|these|them|they|their|he|him|his|she|her|hers|there|one|ones|"
    r"er|ihn|ihm|sie|ihr|ihre|ihnen|es|das|dies|diese[rsn]?|davon|dazu|damit|dort|"
    r"il|elle|ils|elles|lui|leur|cela|ça|y|en|"
    r"él|ella|ello|eso|esto|ellos|ellas|ele|ela|eles|elas|isso|isto|lui|lei|loro|quello|questo|ci|"
    r"hij|zij|hem|haar|het|dat|dit|daar|han|hun|hende|ham|den|det|hon|henne|honom)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-ZÀ-ÖØ-Þ]\w+")
_NUMBERED = re.compile(r"\b\w*\d\w*")


# After these words stands what is asked for, at once ("which grade did") or behind being ("what is the grade of").
_WHICH = re.compile(
    r"\b(?:what|which|whose|how many|how much|welche[rsnm]?|wie viele?|wieviele?|quel(?:le)?s?|combien de|qué|"
    r"cuál(?:es)?|cuánt[oa]s|qual|quais|quant[oaie]s?|quale|quali|welke|hoeveel|hvilke[nt]?|vilk(?:a|en|et))\b",
    re.IGNORECASE,
)
_BEING = frozenset("is are was were ist sind war waren est sont était es son era é são è sono zijn er är var".split())
_TOKENS = re.compile(r"\w+(?:['\u2019]s\b)?")
_OWNER = re.compile(r"['\u2019]s$", re.IGNORECASE)
BETWEEN = 3  # chosen: being, an article, and one small word more
_MEASURED = re.compile(r"\b(?:how|wie|combien|cuánt[oa]s?|quant[oaie]s?|hoe|hvor|hur)\s+(?:de\s+)?(\w+)", re.IGNORECASE)
_ASKING = re.compile(
    r"whose|list|enumerate|overview|may|might|must|many|much|long|often|still|currently|actually|exactly|tell|know|show|find|please|aren|isn|didn|"
    r"doesn|don|wasn|weren|hasn|haven|can|wer|was|wann|wo|wie|welche[rsnm]?|warum|ist|sind|hat|haben|war|der|die|das|den|dem|"
    r"im|am|zum|zur|von|vom|bei|für|mit|quel(?:le)?s?|quand|où|qui|que|est|sont|les?|la|des|du|dans|pour|sur|quién|cuándo|"
    r"dónde|qué|cuál(?:es)?|es|el|los|las|del|por|para|quando|onde|quem|qual|quais|quanto|dove|chi|cosa|il|lo|gli|di|per|"
    r"wanneer|waar|welke|het|een|van|hvem|hvad|hva|hvornår|når|hvilke[nt]?|er",
    re.IGNORECASE,
)


_ASKS = re.compile(
    r"[?\uff1f\u061f]|^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|"
    r"would|should|may|has|have|had|list|show|tell|wer|wann|wo|wie|welche\w*|warum|wieso|weshalb|qui|que|quoi|quand|où|"
    r"comment|pourquoi|quel\w*|combien|quién|qué|cuándo|dónde|cómo|cuál\w*|chi|che|cosa|quando|dove|come|perché|qual\w*|"
    r"wat|wanneer|waar|hoe|welke|waarom|hvem|hvad|hva|hvor\w*|vem|vad|var|när|hur)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What a question asks for, and whether it may only be understood after the one before it."""

    asks_why: bool = False
    asks_for_all: bool = False
    may_go_on: bool = False


def read_inquiry(question: str) -> Inquiry:
    spoken = question.strip()
    return Inquiry(
        asks_why=_WHY.search(spoken) is not None,
        asks_for_all=_ALL.search(spoken) is not None,
        may_go_on=_may_go_on(spoken),
    )


def is_question(spoken: str) -> bool:
    """Whether something is asked; a goal or a subject that is named asks nothing."""
    return _ASKS.search(spoken) is not None


def content_words(question: str) -> dict[str, str]:
    """The words of a question that something stored would have, by their terms: not those that only ask, nor the
    measure after "how", which a figure answers."""
    measured = {word.casefold() for word in _MEASURED.findall(question)}
    found = {term: word for term, word in spelled_words(question).items() if word.casefold() not in measured}
    return {term: word for term, word in found.items() if len(word) > 1 and not _ASKING.fullmatch(word)}


@dataclass(frozen=True, slots=True)
class Focus:
    """What a question asks for, and of whom or what: the names in it, or else its other words; all as terms."""

    asked: str
    of: tuple[str, ...]


def focus_of(question: str) -> Focus | None:
    """ "What colour is the Kestra?" asks for a colour, of the Kestra. None where that cannot be told."""
    found = _WHICH.search(question)
    if found is None:
        return None
    known = content_words(question)
    terms = {word: term for term, word in known.items()}
    asked = _asked_for(_TOKENS.findall(question, found.end()), terms)
    if asked is None:
        return None
    named = [terms.get(fold(name)) for name in (*_NAMED.findall(question), *_NUMBERED.findall(question))]
    names = tuple(dict.fromkeys(term for term in named if term is not None and term != asked))
    others = names or tuple(term for term in known if term != asked)
    return Focus(asked, others) if others else None


def _asked_for(tokens: Sequence[str], terms: Mapping[str, str]) -> str | None:
    """The last word of the first group of content words; behind small words only where the first of them is a form of
    being. A group goes on behind an owner."""

    def term(token: str) -> str | None:
        return terms.get(fold(_OWNER.sub("", token)))

    first = next((at for at, token in enumerate(tokens[: BETWEEN + 1]) if term(token) is not None), None)
    if first is None or (first and tokens[0].casefold() not in _BEING):
        return None
    found: str | None = None
    for token in tokens[first:]:
        if (held := term(token)) is None:
            break
        found = None if _OWNER.search(token) else held
    return found


def follow(before: str, question: str) -> str:
    """What is asked after a further question: with what came before, where it may go on from that, and no more than a
    few of them."""
    spoken = f"{before} {question}" if read_inquiry(question).may_go_on else question
    return spoken.strip()[-SUBJECT:]


def _may_go_on(question: str) -> bool:
    """It begins by joining, points at something it does not name, or says next to nothing by itself."""
    own = len(set(query_words(question)))
    if _JOINING.match(question) is not None:
        return True
    if _POINTING.search(question) is not None and own <= POINTING:
        return True
    return own <= FEW and not identifiers(question) and _NAMED.search(question) is None

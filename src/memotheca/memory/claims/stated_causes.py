"""Stated causes: what a text says something it names brought about, or was brought about or settled by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memotheca.text.sentences import brief_sentences

Role = Literal["cause", "effect", "resolved"]

NOUNS = 3  # chosen: "the errors of INC-7" are INC-7, "the man who closed the ticket of INC-7" is not
LONGEST = 8  # chosen: words that a name may have
MOST = 16  # chosen: statements that are looked at in one text

# A few letters and a number, as trackers, decisions and samples are numbered: INC-107, ADR-31, LZ-14, EF-SI-0093.
IDENTIFIER = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]{0,9}(?:-[A-Z0-9]{1,9}){0,3}-\d{1,7}(?![\w-])")

# Closed classes of small words, in the languages of `text/language.py` that part words by blanks. After these the cause
# is named …
_BY_CAUSE = (
    r"because of|due to|owing to|thanks to|as an? (?:direct )?(?:result|consequence) of|on account of|in response to|"
    r"caused by|triggered by|brought about by|(?:consequence|result) of|result(?:s|ed|ing) from|"
    r"stem(?:s|med|ming) from|wegen|aufgrund(?: von)?|infolge(?: von)?|verursacht durch|ausgelöst durch|als folge von|"
    r"à cause (?:de|du|des)|en raison (?:de|du|des)|suite (?:à|aux?)|(?:caus|provoqu)ée?s? par|due?s? (?:à|aux?)|"
    r"(?:por|a) causa (?:de|del|do|da|di|della)|debido al?|devido (?:ao?|à)|(?:causad|provocad)[oa]s? por|"
    r"per via (?:di|del|della)|(?:causat|provocat)[oaie] d(?:a|al|alla)|dovut[oaie] (?:al?|alla)|"
    r"vanwege|wegens|als gevolg van|veroorzaakt door|"
    r"på grund a[vf]|på grunn av|till följd av|som følge a[vf]|orsakad(?:es)? av|forårsaket av|forårsaget af|"
    r"z powodu|wskutek"
)
# … after these the effect, what stands before them being the cause …
_BY_EFFECT = (
    r"(?:root |main |immediate )?cause of|reason for|lead(?:s|ing)? to|led to|caus(?:ed|es|ing)|trigger(?:ed|s|ing)|"
    r"result(?:ed|s|ing) in|gave rise to|brought about|ursache (?:von|für)|grund für|führten? zu[mr]?|verursachten?|"
    r"(?:a|ont) (?:causé|provoqué|entraîné)|causó|provocó|causou|provocou|levou (?:ao?|à)|ha (?:causato|provocato)|"
    r"oorzaak van|reden voor|leidden? tot|veroorzaakten?|orsaken till|årsaken til|ledde till|førte til|orsakade"
)
# … and after these what is over now.
_BY_RESOLVED = (
    r"(?:bug ?|hot ?)?fix (?:for|of)|fixe[sd]|resolve[sd]|solve[sd]|solution (?:for|to|of)|close[sd]|closing of|"
    r"behebt|behob|lösung (?:für|von)|correctif (?:pour|de)|résout|corrige|soluciona|resuelve|resolve|risolve|"
    r"correzione (?:per|di)|oplossing voor|verhelpt|åtgärdar|løser"
)
# What happens without saying what: "INC-7 happened because …".
_HAPPENED = (
    r"(?:has |had |have )?(?:happened|occurred|arose|came about|started|passierte|geschah|entstand|ist passiert|"
    r"est arrivée?|s'est produite?|ocurrió|sucedió|aconteceu|ocorreu|è success[oa]|è accadut[oa]|gebeurde|ontstond|"
    r"hände|inträffade|skjedde|skete)"
)
_BECAUSE = (
    r"because|since|weil|da|denn|parce que|car|porque|ya que|perché|poiché|omdat|want|eftersom|därför att|fordi|"
    r"ponieważ|bo"
)
_SAYS = re.compile(
    rf"(?<!\w)(?:(?P<cause>{_BY_CAUSE})|(?P<effect>{_BY_EFFECT})|(?P<resolved>{_BY_RESOLVED})|"
    rf"(?P<happened>{_HAPPENED}),?\s+(?:{_BECAUSE}))(?![\w-])",
    re.IGNORECASE,
)
# What is denied, asked, supposed or only feared is not stated.
_UNSTATED = re.compile(
    r"\?\s*$|(?<!\w)(?:not|never|no|if|whether|unless|may|might|could|would|perhaps|maybe|possibly|probably|likely|"
    r"suspects?|nicht|kein\w*|nie|ob|falls|vielleicht|vermutlich|wohl|könnten?|pas|jamais|peut-être|si|nunca|quizás?|"
    r"tal vez|não|talvez|non|mai|forse|niet|geen|misschien|inte|ikke|aldri|aldrig|kanske|måske|kanskje|może)(?!\w)|"
    r"n['\u2019]t(?!\w)",
    re.IGNORECASE,
)
# Where one of these stands, a text may give a reason, whatever it is given for.
_WHY = re.compile(
    rf"(?<!\w)(?:{_BECAUSE}|so that|therefore|damit|deshalb|pour que|para que|affinché|zodat|så att|{_BY_CAUSE}|"
    rf"{_BY_EFFECT})(?!\w)",
    re.IGNORECASE,
)
_EDGE = re.compile(r"[,;:()\[\]\"“”«»|\n]|\s[-\u2013\u2014]\s|[.!?](?=\s|$)")
_ARTICLES = re.compile(
    r"(?<!\w)(?:the|an?|this|that|our|its|their|de[rnms]|die|das|dies\w*+|ein\w*+|unser\w*+|les?|la|las|los|l['\u2019]|"
    r"un[aeo]?|cet?te?|el|il|lo|gli|os?|as?|het|een|de|det|en|et|incident|ticket|issue)\s++",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"(?<=\s)(?:is|are|was|were|has been|have been|had been|got|wurden?|ist|sind|war|waren|a été|est|sont|fue|fueron|"
    r"foi|foram|è stat[oa]|è|werd(?:en)?|blev|ble|var)$",
    re.IGNORECASE,
)
_OF = frozenset("of von vom de du des di del van av af til".split())


@dataclass(frozen=True, slots=True)
class StatedCause:
    """A phrase that may begin, or end, with the name of something, and what the text says that is to it."""

    phrase: str
    role: Role
    is_before: bool

    @property
    def identifier(self) -> str | None:
        """The identifier that is named there, if it is what is spoken of and not a part of something else."""
        found = list(IDENTIFIER.finditer(self.phrase))
        if not found:
            return None
        match = found[-1] if self.is_before else found[0]
        words = self.phrase[: match.start()].split()
        if self.is_before and (match.end() != len(self.phrase) or (words and words[-1].lower() not in _OF)):
            return None
        return match.group() if len(words) <= NOUNS and (self.is_before or not words) else None

    def names(self) -> Iterator[str]:
        """What may be named there, the longest first."""
        words = self.phrase.split()[-LONGEST:] if self.is_before else self.phrase.split()[:LONGEST]
        for size in range(len(words), 0, -1):
            yield " ".join(words[-size:] if self.is_before else words[:size])


def may_say_why(text: str) -> bool:
    """Whether a text gives, denies or supposes a reason for anything."""
    return _WHY.search(text) is not None


def stated_causes(text: str) -> list[StatedCause]:
    """Every phrase of a text at which it says what something brought about, or what brought it about."""
    found: list[StatedCause] = []
    for sentence in brief_sentences(text):
        if _UNSTATED.search(sentence):
            continue
        for match in _SAYS.finditer(sentence):
            if len(found) >= MOST:
                return found
            found += _phrases(sentence, match)
    return found


def _phrases(sentence: str, match: re.Match[str]) -> list[StatedCause]:
    before = _without_copula(_EDGE.split(sentence[: match.start()])[-1])
    after = _bare(_EDGE.split(sentence[match.end() :].lstrip())[0])
    if match["resolved"]:
        stated = [StatedCause(after, "resolved", False)]
    elif match["happened"]:
        stated = [StatedCause(before, "effect", True)]
    elif match["cause"]:
        stated = [StatedCause(after, "cause", False), StatedCause(before, "effect", True)]
    else:
        stated = [StatedCause(after, "effect", False), StatedCause(before, "cause", True)]
    return [each for each in stated if each.phrase]


def _without_copula(phrase: str) -> str:
    return _bare(_COPULA.sub("", phrase.rstrip()))


def _bare(phrase: str) -> str:
    return _ARTICLES.sub("", phrase.strip(), count=1) if _ARTICLES.match(phrase.strip()) else phrase.strip()

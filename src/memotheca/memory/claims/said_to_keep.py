"""Said to keep: what of a person's words asks to be remembered, by rule and word for word (memory-model: Proposals).

Four kinds: an explicit wish, a decision, a preference, a correction. Precision goes before all else: what is asked,
supposed or said of the task at hand is passed over, and so are code, quotations and what was pasted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memotheca.text.sentences import split_sentences

Wish = Literal["remember", "decision", "preference", "correction"]

LONGEST, SHORTEST = 400, 3  # chosen: letters and words of a sentence that stands by itself
LOOKED_AT = 6000  # chosen: letters of a turn; a longer one was pasted
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,300}`", re.DOTALL)
_PASTED = re.compile(r"^\s*(?:>|\||\+|-{3}|@@|at \w|Traceback|[{}\[\]<]|\$ |# |//|/\*|\d{4}-\d\d-\d\d[T ]\d\d:)")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")


def _any(*phrases: str) -> str:
    return "(?:" + "|".join(phrases) + ")"


# What an explicit wish begins with, in several languages; what follows is what is to be remembered.
_PLEASE = (
    r"(?:(?:please|pls|ok(?:ay)?|and|also|oh|hey|bitte|und|auch|ach|por favor|y|también|s'il "
    r"(?:te|vous) plaît|et|aussi|per favore|e|anche|alsjeblieft|en|ook)[,!]?\s+){0,3}"
)
_WISHES = _any(
    r"(?:do )?remember(?: this| that| the following)?\s*[:,]?",
    r"(?:keep|bear) in mind(?: that)?\s*[:,]?",
    r"(?:make a )?note(?: to self)?\s*(?:that\b|:)",
    r"take note(?: that)?\s*[:,]?",
    r"(?:don'?t|do not|never) forget(?: that)?\s*[:,]?",
    r"for (?:future|later) reference\s*[:,]",
    r"for the record\s*[:,]",
    r"(?:merk|notier)e?(?: dir)?(?: bitte)?\s*[:,]?(?: dass)?",
    r"denk(?:e)? (?:bitte )?daran\s*[:,]?(?: dass)?",
    r"vergiss (?:bitte )?nicht\s*[:,]?(?: dass)?",
    r"(?:zur Erinnerung|fürs Protokoll)\s*[:,]",
    r"(?:souviens-toi|rappelle-toi|n'oublie pas|retiens|note)(?: bien)?\s*(?:que|:)",
    r"(?:souvenez-vous|rappelez-vous|n'oubliez pas|retenez|notez)(?: bien)?\s*(?:que|:)",
    r"(?:recuerda|no olvides|ten en cuenta|anota|apunta)\s*(?:que|:)",
    r"(?:ricorda(?:ti)?|non dimenticare|tieni presente|annota)\s*(?:che|:)",
    r"(?:lembra-te|lembre-se(?: de)?|não esqueças|não esqueça|anota|anote)\s*(?:de que|que|:)",
    r"(?:onthoud|vergeet niet|noteer)\s*(?:dat|:|,)",
)
_WISH = re.compile(rf"^{_PLEASE}{_WISHES}\s*(?P<what>\S.*)$", re.IGNORECASE | re.DOTALL)
# What "remember" leads to where nothing is to be remembered.
_NO_WISH = re.compile(
    r"^(?:when|how|what|which|who|where|why|if|me|us|last|wie|wann|was|quand|comment|cuando|quando|come)\b",
    re.IGNORECASE,
)

_DECISIONS = _any(
    r"\bwe(?:'ve| have)?(?: now| finally| all| just)? (?:decided|agreed|settled)(?: (?:to|"
    r"that|on|against|not to|in favou?r of)\b|:)",
    r"\b(?:it (?:was|is|has been)|it's(?: been)?) (?:decided|agreed|settled)\b(?: (?:to|that)\b|:)",
    r"^(?:the )?decision(?: is)?\s*:",
    r"\bthe decision (?:is|was) (?:to|that|against)\b",
    r"\b(?:we(?:'re| are)) (?:going|sticking|staying) with (?!(?:it|that|this|those|these|"
    r"option|the (?:first|second|third|last|former|latter|other))\b)",
    r"\bwir haben (?:uns )?(?:\w+ ){0,4}(?:entschieden|geeinigt|beschlossen|vereinbart|festgelegt)\b",
    r"\bwir haben uns (?:für|gegen|auf) .{3,120} (?:entschieden|geeinigt|festgelegt)\b",
    r"\b(?:beschlossen|entschieden) (?:ist|wurde)\s*:",
    r"\b(?:nous avons|on a) (?:décidé|convenu|choisi)\b",
    r"\b(?:hemos|habemos) (?:decidido|acordado|elegido|optado)\b|\bdecidimos\b|\bacordamos\b",
    r"\babbiamo (?:deciso|concordato|scelto|stabilito)\b",
    r"\b(?:decidimos|combinámos|combinamos|ficou decidido)\b",
    r"\b(?:we hebben|er is) (?:\w+ ){0,4}(?:besloten|afgesproken|gekozen)\b",
)
_DECISION = re.compile(_DECISIONS, re.IGNORECASE)

_PREFERENCES = _any(
    r"\bI (?:really |always |usually |generally |strongly |much )?prefer (?!(?:it|that|this|"
    r"those|these|option|the (?:first|second|third|last|former|latter|other))\b)",
    r"\bI (?:always|never|usually) (?:want|use|write|work|drink|eat|like|read|take|run|deploy|"
    r"name|put|commit|indent|book|fly|travel|pay|sit)\b",
    r"\bI (?:do not|don't|can't|cannot) (?:like|want|eat|drink|stand|use) .{3,}\b(?:in (?:my|"
    r"your)|any ?more|at all|ever|when|from you|on my)\b",
    r"\b(?:I (?:like|love|hate|dislike|can't stand)) (?:it when|to have|to be|having|being|when)\b(?!.*\bbut\b)",
    r"\bfrom now on\b",
    r"^(?:please )?(?:always|never) (?!mind\b)[a-z]+ ",
    r"\bplease (?:always|never) ",
    r"^(?:whenever|every time|each time) (?:you|I (?:ask|say|send|write|mention|want)) .{3,120}[, ]",
    r"\bmy (?:preferred|favou?rite|default|usual) [\w -]{2,40} (?:is|are)\b",
    r"\b(?:ab jetzt|von jetzt an|künftig|in Zukunft|grundsätzlich|ab sofort)\b",
    r"^(?:bitte )?(?:immer|nie|niemals) ",
    r"\bbitte (?:immer|nie|niemals|grundsätzlich) ",
    r"\bich (?:bevorzuge|mag (?:es )?(?:nicht|lieber|keine?n?)|möchte (?:immer|nie|"
    r"grundsätzlich)|will (?:immer|nie))\b",
    r"\bich (?:trinke|esse|nutze|benutze|verwende|schreibe|arbeite) (?:immer|nie|am liebsten|"
    r"lieber|grundsätzlich|kein)",
    r"\b(?:à partir de maintenant|désormais|dorénavant)\b",
    r"\bje (?:préfère|n'aime pas|déteste) (?!(?:ça|celui|celle|le premier|le second)\b)",
    r"\b(?:toujours|jamais) (?:utiliser|écrire|répondre)\b|^(?:utilise|écris|réponds) toujours\b|^n'utilise jamais\b",
    r"\b(?:a partir de ahora|de ahora en adelante|en adelante)\b",
    r"\b(?:yo )?prefiero (?!(?:eso|esto|ese|esta|el primero|la segunda)\b)|\bno me gustan?\b",
    r"^(?:usa|escribe|responde) siempre\b|^(?:no uses|nunca uses) ",
    r"\b(?:d'ora in poi|da adesso in poi|d'ora in avanti)\b|\bpreferisco (?!(?:quello|questo|il primo)\b)",
    r"\b(?:a partir de agora|daqui em diante)\b|\bprefiro (?!(?:isso|esse|o primeiro)\b)",
    r"\b(?:vanaf nu|voortaan)\b|\bik (?:heb liever|gebruik (?:altijd|nooit)|wil (?:altijd|nooit|geen))\b",
)
_PREFERENCE = re.compile(_PREFERENCES, re.IGNORECASE)

_BE = (
    r"(?:is|are|was|were|has|have|had|does|do|did|lives?|runs?|uses?|costs?|takes?|starts?|"
    r"ends?|begins?|listens?|belongs?|works?|moved|opens?|closes?|expires?)"
)
_CORRECTIONS = _any(
    rf"^(?:no|nope)(?:[,.:;!]| [\u2014\u2013-])+ ?(?:actually,? )?(?:the|our|my|his|her|their|"
    rf"its?|we|he|she|they|that (?:was|is)|it's|[A-Z]\w+) .*\b(?:{_BE}|it's)\b",
    rf"^actually,? (?:the|our|my|his|her|their|we|he|she|they|[A-Z]\w+) .*\b{_BE}\b",
    r"^correction\s*[:,]",
    r"^(?:that|this)(?:'s| is| was) (?:wrong|not (?:right|true|correct)|incorrect|outdated|no "
    r"longer (?:true|right))\s*[:;,\u2014\u2013-]+ ?\w.{10,}",
    r"^(?:nein|nee)(?:[,.:;!]| [\u2014\u2013-])+ ?(?:eigentlich )?(?:der|die|das|unser\w*|"
    r"mein\w*|er|sie|es|wir) .*\b(?:ist|sind|war|hat|haben|läuft|wohnt|heißt|kostet|beginnt)\b",
    r"^(?:korrektur|richtigstellung)\s*[:,]|^das stimmt nicht(?: mehr)?\s*[:;,\u2014\u2013-]+ ?\w.{10,}",
    r"^non(?:[,.:;!]| [\u2014\u2013-])+ ?(?:en fait,? )?(?:le|la|les|l'|notre|mon|ma|il|elle|"
    r"nous|c'est) ?.*\b(?:est|sont|a|était|habite|coûte|commence)\b",
    r"^no(?:[,.:;!]| [\u2014\u2013-])+ ?(?:en realidad,? )?(?:el|la|los|las|nuestr\w+|mi|es|"
    r"él|ella) .*\b(?:es|son|está|era|tiene|vive|cuesta|empieza)\b",
    r"^(?:correzione|corrección|correção|correctie|correction)\s*:",
)
_CORRECTION = re.compile(_CORRECTIONS, re.IGNORECASE | re.DOTALL)

_RULES: tuple[tuple[Wish, re.Pattern[str]], ...] = (
    ("decision", _DECISION),
    ("preference", _PREFERENCE),
    ("correction", _CORRECTION),
)
# What is only supposed, asked, or left open.
_SUPPOSED = re.compile(
    _any(
        r"^(?:if|unless|suppose|assuming|should|shall|would|could|can|did|do|does|have|has|are|is|"
        r"what|why|how|when|which|who)\b",
        r"\b(?:haven'?t|have not|has not|hasn'?t|not yet|still have to|need to|want to|yet to|"
        r"before we|once we|until we|whether we) (?:\w+ ){0,2}(?:decided?|agreed?|settled?)\b",
        r"\b(?:if|unless|until|once|whether|in case) (?:we|you|I|it|they)\b",
        r"^(?:wenn|falls|ob|sollen|sollten|haben wir|hast|kannst|was|wie|warum|wann|wer)\b",
        r"\b(?:noch nicht|falls wir|wenn wir|ob wir)\b",
        r"^(?:si|est-ce|faut-il|pourquoi|comment|quand|¿|se|perché|come|quando|porque|por qué|als|of|waarom|hoe)\b",
        r"\b(?:pas encore|todavía no|aún no|non ancora|ainda não|nog niet)\b",
        r"\b(?:maybe|perhaps|I think|I guess|not sure|vielleicht|ich glaube|peut-être|quizás?|"
        r"forse|talvez|misschien)\b",
    ),
    re.IGNORECASE,
)
# What a task at hand is about: what should look or be otherwise now.
_AT_HAND = re.compile(
    _any(
        r"\b(?:should|shouldn't|must be fixed|needs? to be|still fails?|still broken|doesn't work|"
        r"does not work|try again)\b",
        r"\b(?:sollte|müsste|funktioniert nicht|geht nicht|klappt nicht|devrait|debería|dovrebbe|"
        r"deveria|zou moeten)\b",
        r"\b(?:this|that|the) (?:test|function|method|variable|button|line|file|loop|branch|"
        r"commit|error|import|regex|output|build)\b",
        r"\b(?:line|Zeile|ligne|línea) \d",
    ),
    re.IGNORECASE,
)
# Where a wish for always is a wish for now.
_NOW = re.compile(
    r"\b(?:in this (?:function|file|test|loop|method|branch|class|script)|for this one|"
    r"diesmal|this time|cette fois|esta vez)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SaidToKeep:
    """Words of a person that ask to be remembered, as they stand, and in which way they ask."""

    text: str
    wish: Wish


def find_said_to_keep(turn: str) -> list[SaidToKeep]:
    """Each once, in the order of saying."""
    found: dict[str, SaidToKeep] = {}
    for sentence in _spoken(turn):
        each = _read(sentence)
        if each is not None:
            found.setdefault(each.text.casefold(), each)
    return list(found.values())


def _spoken(turn: str) -> Iterator[str]:
    """The sentences that a person says in a turn, without code and what was pasted."""
    if len(turn) > LOOKED_AT:
        return
    for line in _CODE.sub(" … ", turn).splitlines():
        if not _PASTED.match(line):
            yield from (" ".join(each.split()) for each in split_sentences(_BULLET.sub("", line)))


def _read(sentence: str) -> SaidToKeep | None:
    if len(sentence) > LONGEST or sentence.endswith("?") or "…" in sentence or len(sentence.split()) < SHORTEST:
        return None
    wish = _WISH.match(sentence)
    if wish is not None:
        what = wish["what"].strip(" ,:")
        is_said = len(what.split()) >= SHORTEST and not _NO_WISH.match(what)
        return SaidToKeep(_as_sentence(what), "remember") if is_said else None
    if _SUPPOSED.search(sentence) or len(sentence.split()) <= SHORTEST:
        return None
    for name, rule in _RULES:
        if (
            rule.search(sentence)
            and not _NOW.search(sentence)
            and not (name == "correction" and _AT_HAND.search(sentence))
        ):
            return SaidToKeep(sentence, name)
    return None


def _as_sentence(what: str) -> str:
    """The same words with a capital letter at their beginning, as they stand alone."""
    return what[0].upper() + what[1:]

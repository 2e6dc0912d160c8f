"""Protected texts: what is about a person or about safety, and is not let go merely because nobody reads it.

It errs on the side of keeping: nothing in a text tells the name of a person from that of a product, so every word with
a capital within a sentence counts, and in German every noun."""

import re
from functools import lru_cache
from typing import Literal

from memotheca.memory.claims.proper_names import is_of_calendar
from memotheca.model.knowledge import fold

Protection = Literal["person", "safety"]

READ = 2000  # chosen: letters of a text that are read, about a millisecond

# Who speaks or is spoken of, kin, and what people are to each other; in the nine languages of `small_words.py`, folded.
_PERSONAL = frozenset(
    fold(
        """
        i me my mine myself he him his she her hers wife husband spouse partner son daughter child children baby kid
        kids mother father mum mom dad parent parents brother sister aunt uncle cousin grandmother grandfather friend
        colleague teammate boss manager client customer patient student teacher doctor user users person people
        birthday born died married likes loves prefers dislikes hates
        ich mich mir mein meine er ihn ihm sie ihr ihre sein seine frau mann sohn tochter kind kinder mutter vater
        eltern bruder schwester freund freundin kollege kollegin kunde kundin patient geburtstag mag
        je mon ma mes moi il elle lui femme mari fils fille enfant enfants mère père frère sœur ami amie collègue
        client cliente patient anniversaire
        yo mi mis él ella esposa esposo hijo hija niño niña madre padre hermano hermana amigo amiga colega cliente
        paciente cumpleaños
        eu meu minha ele ela marido esposa filho filha criança mãe pai irmão irmã amigo amiga colega aniversário
        io mio mia lui lei moglie marito figlio figlia bambino madre padre fratello sorella amico amica cliente
        compleanno
        ik mij mijn hij zij haar hem vrouw man zoon dochter kind kinderen moeder vader broer zus vriend vriendin klant
        verjaardag
        jeg mig min han hun kone mand søn datter barn børn mor far bror søster ven kunde fødselsdag
        jag mig hon fru make son dotter barn mamma pappa syster vän kund födelsedag
        """
    ).split()
)
# Words that begin so speak of health, danger, security or the law.
_GRAVE = tuple(
    fold(
        """
        allerg anaphyla asthma epilep diabet pregnan medic medik médic disease illness injur blood dose dosage dosis
        overdose poison toxic toxi gift danger hazard emergenc evacuat ambulance rescue suicid risk warning caution
        safety secur secret password passphrase credential vulnerab exploit breach leak encrypt backup disaster legal
        lawsuit law gdpr complian liab
        krank verletz blut gefahr gefähr notfall notruf warnung sicher passwort geheim recht gesetz haft
        urgence secours sécurité maladie sang mot-de-passe juridi loi
        peligr emergencia seguridad enferm sangre contraseña ley
        perig emergência segurança doença sangue senha lei
        pericol emergenza sicurezza malatti sangue legge
        gevaar nood veilig ziek bloed wachtwoord wet
        fare nød sikker syg blod adgangskode lov farlig nöd säkerhet sjuk lösenord lag
        """
    ).split()
)
# Whole words only: they begin many others.
_SHORT = 4  # chosen: at most so long, a beginning says nothing (law, lag, lei)
_ABSOLUTE = frozenset(
    fold("never always must forbidden niemals immer jamais toujours nunca siempre sempre nooit").split()
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.\w")
# A sentence that begins with a capital and goes on as one about somebody does.
_DOES = (
    "is|was|has|had|will|likes|loves|prefers|wants|needs|works|lives|says|said|told|asked|takes|ist|war|hat|mag|wohnt|"
    "arbeitet|est|a|habite|es|vive|é|mora|è|abita|woont|werkt|er|bor"
)
_CAPITAL = r"[^\W\d_a-z][^\W\d_]+"
_SUBJECT = re.compile(rf"(?:^|[.!?\n]\s{{0,8}})({_CAPITAL})(?:['\u2019]s|(?:\s{_CAPITAL})?\s(?:{_DOES})\b)")
_WITHIN = re.compile(r"(?<=[\w,] )[A-Z\u00c0-\u00de][^\W\d_A-Z][^\W\d_]+")
# What sentences begin with that name nobody.
_OPENERS = frozenset(
    fold(
        """
        the this that these those there it its they we our you your a an one all some every each no what which when
        where how if as at in on for from with after before today yesterday now then here
        der die das es wir ihr ein eine alle le la les un une ce el los las o os um uma il lo gli de het een den det
        """
    ).split()
)


@lru_cache(maxsize=4096)
def protection_of(text: str) -> Protection | None:
    """What a text is not to be let go for, if anything."""
    told = text[:READ]
    spoken = [fold(match.group()) for match in _WORD.finditer(told)]
    if any(_is_grave(word) for word in spoken):
        return "safety"
    if _ADDRESS.search(told) or not _PERSONAL.isdisjoint(spoken) or _names_somebody(told):
        return "person"
    return None


def _is_grave(word: str) -> bool:
    return word in _ABSOLUTE or any(
        word == stem or (len(stem) > _SHORT and word.startswith(stem)) for stem in _GRAVE if word[:1] == stem[:1]
    )


def _names_somebody(text: str) -> bool:
    """Whether there is a name in it, or a sentence begins with one; which of them is a person's is not to be seen."""
    if any(not is_of_calendar(match.group()) for match in _WITHIN.finditer(text)):
        return True
    return any(fold(match.group(1)) not in _OPENERS for match in _SUBJECT.finditer(text))

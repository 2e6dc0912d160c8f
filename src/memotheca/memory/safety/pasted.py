"""What somebody passes on in a message of their own: the page, the mail, the notes they put into it (memory-model: Planted
text). The words around it are theirs, what they passed on is not."""

# ruff: noqa: E501 (classes of words in many languages are read better whole)

import re

from memotheca.memory.safety.addressee_words import Words
from memotheca.memory.safety.disguises import undisguise
from memotheca.model.knowledge import fold

SHORTEST = 40  # chosen: a shorter part says nothing by itself
INTRODUCTION = 200  # chosen: letters in which it is said what follows

_PASSED_ON = Words(
    "this these here here's attached below file filed keep save store saved forwarded forward fwd fw pasted paste copied copy typed scanned found page site website mail e-mail email letter flyer leaflet brochure newsletter article notes text message "
    "dies diese dieser dieses hier folgende- ablegen abgelegt merken behalten weitergeleitet kopiert abgetippt gefunden seite mail brief zettel prospekt artikel nachricht text voici ceci ci-dessous ci-joint garde enregistre transféré copié page lettre courriel article "
    "aquí esto este adjunto guarda reenviado copiado página correo carta artículo mensaje ecco questo allegato conserva salva inoltrato copiato pagina lettera articolo messaggio aqui isto segue guarda encaminhado copiado página carta artigo mensagem "
    "hierbij deze dit bewaar doorgestuurd gekopieerd pagina brief artikel bericht her dette gem videresendt kopieret side brev artikel här detta spara vidarebefordrat sida brev poniżej zapisz przesłane skopiowane strona artykuł вот это сохрани переслано скопировано страница письмо статья işte bu kaydet sayfa mektup",
)
_INTRODUCED = re.compile(r"[:\uff1a]\s|\n")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_MARKS = (('"', '"'), ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"))
TRIES = 8  # chosen: quotations that are looked at for a long one


def passed_on(text: str) -> str:
    """The part that is somebody else's, or nothing."""
    found = _INTRODUCED.search(text, 0, INTRODUCTION)
    begin, end = min((_quotation(text, *marks) for marks in _MARKS), default=(len(text), len(text)))
    start = min(found.end() if found else len(text), begin)
    is_introduced = any(word in _PASSED_ON for word in _WORD.findall(fold(undisguise(text[:start]))))
    if not is_introduced or len(text) - start < SHORTEST:
        return ""
    return text[begin + 1 : end] if begin < end else text[start:]


def _quotation(text: str, opening: str, closing: str) -> tuple[int, int]:
    """Where the first long quotation in these marks begins and ends; behind the text where there is none."""
    begin = text.find(opening)
    for _ in range(TRIES):
        end = text.find(closing, begin + 1) if begin >= 0 else -1
        if end < 0:
            break
        if end - begin > SHORTEST:
            return begin, end
        begin = text.find(opening, end + 1)
    return len(text), len(text)

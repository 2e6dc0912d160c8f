"""Forms that planted instructions take whatever they say: markup of roles, borders, what is not shown (memory-model:
Planted text)."""

# ruff: noqa: E501, RUF001 (patterns are read better whole; quotation marks of several languages)

import re

FORMS = {
    "role markup": re.compile(
        r"##\s*+\(?(?:system|instruction|admin|user|assistant|new|end)|<\|?/?(?:system|user|assistant|information|important|"
        r"inst|im_start|im_end|admin|secret|override|start|eot|begin)|\[/?(?:inst|system|admin|assistant|hidden)|"
        r"\{\s*+(?:system|admin|#)|(?:^\W*+|(?<=\w)[^\w\n]*+\n\W*+)(?:system|assistant|admin|sysadmin|developer)\W*(?:message|note|prompt|override|update)?\W?:|"
        r"</?(?=\w*(?:instruction|prompt|override|command))\w++>|role\"?\s*+:\s*+\"(?:system|assistant)|<<\s*+/?sys"
    ),
    "border": re.compile(
        r"(?:begin|start|end|beginning) (?:of )?(?:the )?(?:system|new|document|context|prompt|text|instruction|file|restriction|conversation|user|input|data)|"
        r"[-=*#]{3}\s*+(?:end|begin|new|start|stop)"
    ),
    "unseen": re.compile(
        r"display\s*:\s*none|font-size\s*:\s*[01](?:px)?\b|color\s*:\s*(?:white|#fff)|visibility\s*:\s*hidden|opacity\s*:\s*0\b|"
        r"(?:^|(?<=>))[^<>]*+<(?:(?!\bhidden\b)[^>])*+\bhidden\b[^>]*+>|\[\w+\]: # \(|position\s*:\s*absolute;\s*left\s*:\s*-"
    ),
    "mode markup": re.compile(
        r"[<\[{(][^>\]})\n]{0,40}(?:\bmode\b|\bmod[ou]s?\b|模式|モード|\boverride\b|режим)[^>\]})\n]{0,30}[>\]})]"
    ),
    "escaped": re.compile(r"(?:&#x?\w+;){4,}|(?:\\u00[2-7]\w){3,}|(?:%[2-7][0-9a-f]){5,}|(?:\\x[2-7]\w){2,}"),
    "comment": re.compile(r"<!\s?--(?:(?!-->).){20}", re.DOTALL),
    "from now on": re.compile(
        r"\bfrom (?:now|this (?:point|moment)|here) on|\bfor the rest of (?:this|our)|\bfrom this point|ab (?:jetzt|sofort)|a partir de ahora|desde ahora|à partir de maintenant|d'ora in poi|a partir de agora|с этого момента|从现在(?:开始|起)|これから|지금부터|from now"
    ),
    "you are": re.compile(
        r"\byou(?: are|'re| will| shall| must)(?: now)? (?:now|an?|going to|no longer|to be|free|act|be|become|respond|reply|answer|pretend)\b|\bdu bist\b|\btu es\b|\beres un|\bvocê é\b|\bsei un|你(?:现在)?是|あなたは|당신은"
    ),
    "placeholder": re.compile(
        r"\[(?:insert|your|the|my)?\s*(?:prompt|question|request|query|text|user)[^\]]{0,20}\]|\{\{?\s*(?:prompt|input|query|question)|<\s*(?:prompt|question|insert)[^>]{0,20}>"
    ),
    "exfiltration": re.compile(r"(?<!\S)(?:(?!https?://)\S)*+https?://\S*?[?&]\w+=[{\[<$]"),
    "destination": re.compile(
        r"\b(?:send|forward|email|mail|post|visit|transfer|go to|upload|append|include|add|link|route|fetch|click|invite|share|refer|verify|navigate)\b[^.\n]{0,80}(?:https?://|\bwww\.|@\w+\.\w+|\b[\w-]++\.(?:com|net|org|io|xyz|example|ru)\b|\b[a-z]{2}\d{2}[\d-]{8,})"
    ),
    "dictated": re.compile(
        r"\b(?:say|print|output|respond|reply|answer|write|state|include|append|phrase|text|message|with|is)\b\W{0,3}(?:only |just |with |the |exactly |that ){0,8}[\"'“‘«][^\"'”’»]{2,80}[\"'”’»]"
    ),
    "shout": re.compile(r"\b[A-Z]{3,}\b(?:[ ,!.]++[A-Z]{2,}\b){3}"),
    "exclaim": re.compile(r"!!|\*\*\*!"),
    "note to": re.compile(
        r"\b(?:note|message|attention|memo|instructions?|hint|dear|hello|hi|hey)[ ,]*+(?:(?:to|for)[ ,]*+)?(?:the |all |any |an )?(?:ai|llms?|assistants?|chatbots?|(?:language )?models?|chatgpt|gpt|claude|automated|agents?|bots?|summari[sz]er|reviewers?)\b|\b(?:if|as) (?:you are |you're )?(?:an? )?(?:ai|llm|large language model|language model|assistant|chatbot)\b|\bassistant (?:should|must|will|shall|has to)\b|\byou[ ,]++(?:the )?(?:ai|assistant)\b"
    ),
}
_IMAGE = re.compile(r"(?:^|(?<=\]))(?:(?!!\[)[^\]])*+!\[[^\]]*+\](?=\(https?://)")
_TAKEN_ALONG = re.compile(r"[?=]")
RAW_FORMS = frozenset({"shout"})
# Of these signs one stands in every text that has the form.
_SIGNS = {
    "role markup": "#<[{:",
    "unseen": ":<[",
    "mode markup": "<[{(",
    "escaped": "&\\%",
    "comment": "<",
    "placeholder": "[{<",
    "exfiltration": ":",
    "dictated": "\"'“‘«",
    "exclaim": "!*",
}


def has_form(name: str, text: str) -> bool:
    """Whether a text takes a form; most texts lack the signs of most forms, and that is seen sooner."""
    signs = _SIGNS.get(name)
    if signs is not None and not any(sign in text for sign in signs):
        return False
    return FORMS[name].search(text) is not None or (name == "exfiltration" and _sends_out(text))


def _sends_out(text: str) -> bool:
    """Whether the address of an image takes something along; addresses that overlap end in the same place."""
    closed = 0
    for image in _IMAGE.finditer(text):
        start = text.index("://", image.end()) + 3
        if start > closed:
            closed = text.find(")", start)
            if closed < 0:
                return False
            if _TAKEN_ALONG.search(text, start, closed):
                return True
    return False

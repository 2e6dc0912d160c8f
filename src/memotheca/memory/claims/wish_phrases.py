"""Wish phrases: in which words people ask to be remembered, decide, prefer and correct, in several languages, and in
which they only seem to. Pure patterns; what is made of them is `said_to_keep.py`."""

# ruff: noqa: E501 (patterns are read better whole)

import re


def _any(*phrases: str) -> str:
    return "(?:" + "|".join(phrases) + ")"


def _pattern(*phrases: str) -> re.Pattern[str]:
    return re.compile(_any(*phrases), re.IGNORECASE | re.DOTALL)


# What an explicit wish begins with; what follows is what is to be remembered.
_PLEASE = (
    r"(?:(?:please|pls|ok(?:ay)?|and|also|so|oh|hey|hi|btw|by the way|just|bitte|übrigens|au fait|por cierto|und|auch|ach|por favor|y|también|s'il "
    r"(?:te|vous) plaît|et|aussi|per favore|e|anche|alsjeblieft|en|ook)[,!]?\s+){0,3}"
)
_WISHES = _any(
    r"(?:do )?remember(?:\s+(?:that|this|the following)\b\s*[:,]?|\s*[:,])",
    r"(?:make|take) (?:a )?note(?:\s+(?:that|of this)\b\s*[:,]?|\s*[:,])",
    r"note(?: to self)?\s*:",
    r"(?:don'?t|do not|never) forget(?:\s+that\b\s*[:,]?|\s*[:,])",
    r"(?:save|store|memori[sz]e|note|write|jot)(?: (?:this|that|it|the following))(?: down)?"
    r"(?: for (?:me|later|next time|the future))?\s*[:,]",
    r"(?:just )?(?:so (?:that )?you know|fyi|for your information),? for (?:later|next time|the future)\s*[:,]",
    r"for (?:future|later) (?:reference|chats?|conversations?|sessions?)\s*[:,]",
    r"for the record\s*[:,]",
    r"(?:it is|it's) important (?:that you|for you to) (?:remember|know)(?: that)?",
    r"(?:merk|notier)e?(?: dir)?(?: bitte)?\s*[:,]?(?: dass)?",
    r"denk(?:e)? (?:bitte )?daran\s*[:,]?(?: dass)?",
    r"vergiss (?:bitte )?nicht\s*[:,]?(?: dass)?",
    r"(?:zur Erinnerung|fürs Protokoll)\s*[:,]",
    r"(?:souviens-toi|rappelle-toi|n'oublie pas|retiens|note bien)\s*(?:que|:)|(?:retiens bien|note) que",
    r"(?:souvenez-vous|rappelez-vous|n'oubliez pas|retenez|notez)(?: bien)?\s*(?:que|:)",
    r"(?:recuerda|no olvides|ten en cuenta|anota|apunta)\s*(?:que|:)",
    r"(?:ricorda(?:ti)?|non dimenticare|tieni presente|annota)\s*(?:che|:)",
    r"(?:lembra-te|lembre-se(?: de)?|não esqueças|não esqueça|anota|anote)\s*(?:de que|que|:)",
    r"(?:onthoud|vergeet niet|noteer)\s*(?:dat|:|,)",
)
WISH = _pattern(rf"^{_PLEASE}{_WISHES}\s*(?P<what>\S.*)$")
# The same where something else is said first: "before I forget: remember that …".
WISH_WITHIN = _pattern(
    rf"[:,;\u2014\u2013] {_PLEASE}(?:(?:remember|keep in mind|make a note|don'?t forget) that|(?:merk|notier)e? dir(?: bitte)?,? "
    r"dass|vergiss (?:bitte )?nicht, dass|(?:souviens-toi|rappelle-toi|n'oublie pas) que|(?:recuerda|no olvides) que|"
    r"(?:ricorda(?:ti)?|non dimenticare) che|(?:lembra-te de|não esqueças) que|(?:onthoud|vergeet niet) dat)\s+(?P<what>\S.*)$"
)
# And asked for politely, which is no question.
WISH_ASKED = _pattern(
    rf"^{_PLEASE}(?:can|could|would|will) you (?:please )?(?:make a note|(?:note|write|store|save)(?: down| somewhere)?|memori[sz]e|remember|keep in mind) that "
    rf"(?P<what>(?:the|my|our|his|her|their|its?|we|I|he|she|they|(?-i:[A-Z]))\b.*)$",
    rf"^{_PLEASE}(?:kannst|könntest) du dir (?:bitte )?(?:merken|notieren), dass (?P<what_de>\S.*)$",
)
# These words alone may only be advice beside a task, or name a thing: they need a statement after them.
WISH_LOOSELY = _pattern(
    rf"^{_PLEASE}(?:(?:keep|bear) in mind(?: that)?\s*[:,]?|(?:do )?remember|(?:don'?t|do not) forget)\s+(?P<what>\S.*)$"
)
SAYS_THAT = _pattern(r"\b(?:in mind|forget|remember) that\b")
# To do something: a wish for later where it says when, else a part of the task.
TO_DO = _pattern(r"^(?:to|zu)\b")
LATER = _pattern(
    r"\b(?:always|never|every|each|whenever|from now on|tomorrow|tonight|next (?:week|month|year|time|spring|summer|autumn|winter))\b",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    r"\b(?:by|on|before|until|after) (?:the )?\d",
)
# Said after what is to be remembered; alone it means the sentence before.
_THAT = _any(
    r"(?:remember|memori[sz]e|save|store|note|keep) (?:that|this|it)(?: down| in mind)?(?: for (?:me|later|next time|the future))?",
    r"(?:don'?t|do not) forget (?:that|this|it)",
    r"make a note of (?:that|this|it)",
    r"merk(?:e)? (?:dir das|es dir)(?: bitte)?|(?:das )?bitte merken|vergiss das (?:bitte )?nicht",
    r"(?:retiens|souviens-toi de|note) (?:ça|cela|bien ça)|retiens-le|note-le|ne l'oublie pas",
    r"recuérdalo|apúntalo|anótalo|no lo olvides|ricordatelo|ricordalo|non dimenticarlo|lembra-te disso|anota isso|onthoud dat",
)
WISH_AFTER = _pattern(
    rf"^(?P<what>.*?\w)\s*[,;:\u2014\u2013-]\s*(?:(?:and|so|und|et|y|e|en) )?{_PLEASE}{_THAT}(?:,? (?:please|bitte))?[.!]*$"
)
WISH_ALONE = _pattern(rf"^{_PLEASE}{_THAT}(?:,? (?:please|bitte))?[.!]*$")
# What "remember" leads to where nothing is to be remembered.
NO_WISH = _pattern(
    r"^(?:when|how|what|which|who|where|why|if|me|us|last|wie|wann|was|quand|comment|cuando|quando|come)\b"
)
STATES = _pattern(
    r"\b(?:is|are|was|were|has|have|had|will|won't|can|can't|cannot|must|may|does|do|did|needs?|wants?|prefers?|likes?|"
    r"gets?|goes|comes?|lives?|runs?|uses?|costs?|takes?|starts?|ends?|begins?|closes?|opens?|expires?|belongs?|works?|"
    r"owns?|holds?|sits?|stands?|moved|moves|hates?|doesn't|don't|isn't|aren't|wasn't|needn't)\b",
    r"\w'(?:s|re|m|ll|ve|d)\b",
)

_GROUP = (
    r"(?:we|(?:the|my|our) (?:team|board|family|committee|council|group|company|club|department|management)|"
    r"my (?:wife|husband|partner|boss|sister|brother) and I)(?:'ve| have| has)?"
)
DECISION = _pattern(
    rf"\b{_GROUP}(?: now| finally| all| just| both)? (?:decided|agreed(?! to disagree)|settled|voted|resolved|opted) "
    r"(?:to|that|on|against|not to|for|in favou?r of)\b",
    rf"\b{_GROUP}(?: now| finally| all| just)? (?:decided|agreed|settled):",
    rf"\b{_GROUP}(?: now| finally| all| just)? (?:chosen|chose|picked|selected) .{{2,120}}\b(?:over|for|because|instead of|rather than|as)\b",
    rf"\b{_GROUP} approved the\b",
    r"\bI(?:'ve| have)(?: now| finally| just)? (?:decided (?:to|that|on|against|not to) (?!(?:ask|try|wait|sleep|see|give up|let|go ahead)\b)"
    r"|made up my mind\s*(?:[:,\u2014\u2013]|that\b|to\b))",
    r"\b(?:it (?:was|is|has been)|it's(?: been)?) (?:decided|agreed|settled)\b(?:(?: \w+){0,2} (?:to|that)\b|:)",
    r"^(?:(?:ok(?:ay)?|so|and),? )?(?:it's|that's) (?:settled|decided)\s*[:,;\u2014\u2013]",
    r"^(?:(?:ok(?:ay)?|so|right|well|alright|good)[,.]? )?(?:the |our |final )?decision(?: is)?\s*:",
    r"\bthe decision (?:is|was) (?:to|that|against)\b",
    r"\b(?:we(?:'re| are)) (?:going|sticking|staying) with (?!(?:it|that|this|those|these|"
    r"option|the (?:first|second|third|last|former|latter|other))\b)",
    r"\bwe(?:'ll| will|'re| are) .{5,160}[,;\u2014\u2013] (?:and )?that(?:'s| is) (?:settled|decided|final)\b",
    r"\bwir haben (?:uns )?(?:\w+ ){0,4}(?:entschieden|geeinigt|beschlossen|vereinbart|festgelegt)\b",
    r"\bwir haben uns (?:für|gegen|auf) .{3,120} (?:entschieden|geeinigt|festgelegt)\b",
    r"\b(?:beschlossen|entschieden) (?:ist|wurde)\s*:|\bes wurde (?:beschlossen|entschieden|vereinbart),? dass\b",
    r"\bwir .{5,160}[,;\u2014\u2013] (?:und )?das (?:ist|steht) (?:damit |jetzt )?(?:entschieden|beschlossen|fest)\b",
    r"\b(?:nous avons|on a) (?:décidé|convenu|choisi|opté|retenu)\b|^c'est décidé\s*[:,]",
    r"\b(?:hemos|habemos) (?:decidido|acordado|elegido|optado)\b|\bdecidimos\b|\bacordamos\b|^está decidido\s*[:,]",
    r"\babbiamo (?:deciso|concordato|scelto|stabilito)\b",
    r"\b(?:decidimos|combinámos|combinamos|ficou decidido)\b",
    r"\b(?:we hebben|er is) (?:\w+ ){0,4}(?:besloten|afgesproken|gekozen)\b",
)

# What "from now on" or "always" tells where it asks for nothing: how things are, not how they should be done.
_THINGS = (
    r"(?:it|it's|its|this|that|that's|there|there's|things|everything|life|I(?:'m| am| can| could| will be| have))\b"
)
_NO_DEED = (
    r"(?:the|an?|my|your|his|her|our|mind|nice|good|great|fun|happy|lovely|so|too|such|been|been|seen|had|heard|known|knew|"
    r"thought|saw|again|tried|understood|\w{2,}(?<!e)ed|\w+(?<![su])s)\b"
)
_MINE = r"(?!(?:it(?! (?:when|if)\b)|that|this|those|these|option|the (?:first|second|third|last|former|latter|other)|ne pas)\b)"
PREFERENCE = _pattern(
    rf"\bI (?:really |always |usually |generally |strongly |much |'d |would )?prefer (?!to (?:wait|see|go|stop|leave|think)\b){_MINE}",
    rf"\bI(?:'d| would) (?:much )?prefer (?!to (?:wait|see|go|stop|leave|think)\b){_MINE}",
    r"\bI(?:'d| would) rather (?:have|get|not (?:have|get|see|use|be)|you (?:always|never|didn't|don't)|be called)\b(?! (?:it|that|this)\b)",
    r"\bI (?:always|never|usually) (?:want|use|write|work|drink|eat|like|read|take|run|deploy|"
    r"name|put|commit|indent|book|fly|travel|pay|sit)\b",
    r"\bI (?:do not|don't|can't|cannot) (?:like|want|eat|drink|stand|use) .{3,}\b(?:in (?:my|"
    r"your)|any ?more|at all|ever|when|from you|on my)\b",
    r"\b(?:I (?:like|love|hate|dislike|can't stand)) (?:it when|to have|to be|having|being|when)\b(?!.*\bbut\b)",
    r"\bI (?:really )?(?:like|love|hate|dislike|don't like|can't stand) (?!(?:it|this|that|these|those|you|how|what)\b).{2,80}"
    r"(?:, (?:so )?(?:please|just|leave|keep|skip|use|give|don't|avoid|make)\b|[;\u2014\u2013] )",
    r"\bI (?:like|take|want) my \w+ (?!is\b|was\b)\w+",
    r"^(?:please )?(?:don't )?call me (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|back|later|tomorrow)(?-i:[A-Z])\w",
    rf"(?<!\w)from now on(?:,| please)* (?!{_THINGS})\w|^(?!{_THINGS}|the ).*\w,? from now on\b[.!]*$",
    rf"^(?:in (?:the )?future,|in (?:the )?future(?= please)|(?:going forward|henceforth|next time|for next time),?) (?:please )?(?!(?:we|he|she|they|you'll|the|an?|I)\b|{_THINGS})\w+ \w",
    rf"^(?:please )?(?:always|never) (?!{_NO_DEED})[a-z]+ ",
    r"\bplease (?:always|never) (?!mind\b)",
    r"^(?:please )?(?:don't|do not) \w+ .{3,}\b(?:you write|for me|when you|in your (?:answers|replies|code|messages)|any ?more|"
    r"ever again|in (?:the )?future)\b",
    r"^(?:please )?stop (?:calling|using|adding|writing|putting|ending|starting) \w+ \w",
    r"^(?:please )?(?!how|what|why|who)\w+ .*\b(?:(?:everything|whatever|anything) you (?:write|send|tell|show|make)|all your (?:answers|replies|messages)|"
    r"in every (?:answer|reply|message|commit))\b",
    r"^I(?:'d| would) like .*, always[.!]*$",
    r"^(?:whenever|every time|each time) (?:you (?!(?:are|can|like|want|feel|have time)\b)|I (?:ask|say|send|write|mention|want)) ?.{3,120}[, ]",
    r"\bmy (?:preferred|favou?rite|default|usual) [\w -]{2,40} (?:is|are)\b",
    r"\b(?:ab jetzt|von jetzt an|künftig|in Zukunft|grundsätzlich|ab sofort)\b(?! (?:ist|sind|wird|geht|läuft|kann|bin|hat|haben)\b)",
    r"^(?:bitte )?(?:immer|nie|niemals) (?!(?:wieder|noch|nur|das|der|die|diese\w*|ein\w*)\b)",
    r"\bbitte (?:immer|nie|niemals|grundsätzlich) ",
    r"\bich (?:bevorzuge \w|mag (?:es )?(?:nicht|lieber|keine?n?)|möchte (?:immer|nie|"
    r"grundsätzlich)|will (?:immer|nie))",
    r"\bmir (?:ist|wäre) es (?:am )?lieb(?:er|sten), wenn\b",
    r"\bich (?:trinke|esse|nutze|benutze|verwende|schreibe|arbeite) (?:immer|nie|am liebsten|"
    r"lieber|grundsätzlich|kein)",
    r"\b(?:à partir de maintenant|désormais|dorénavant)\b(?!,? (?:ça|c'est|il y a|tout)\b)",
    rf"\bje (?:préfère|n'aime pas|déteste) (?!(?:ça|celui|celle|le premier|le second|attendre)\b){_MINE}",
    r"\b(?:toujours|jamais) (?:utiliser|écrire|répondre)\b|^(?:utilise|écris|réponds) toujours\b|^n'utilise jamais\b",
    r"\b(?:a partir de ahora|de ahora en adelante|en adelante)\b(?!,? (?:es|está|todo|ya)\b)",
    r"\b(?:yo )?prefiero (?!(?:eso|esto|ese|esta|el primero|la segunda|esperar)\b)|\bno me gustan?\b(?! (?:eso|esto|este|esta)\b)",
    r"^(?:usa|escribe|responde) siempre\b|^(?:no uses|nunca uses) ",
    r"\b(?:d'ora in poi|da adesso in poi|d'ora in avanti)\b|\bpreferisco (?!(?:quello|questo|il primo)\b)",
    r"\b(?:a partir de agora|daqui em diante)\b|\bprefiro (?!(?:isso|esse|o primeiro)\b)",
    r"\b(?:vanaf nu|voortaan)\b|\bik (?:heb liever|gebruik (?:altijd|nooit)|wil (?:altijd|nooit|geen))\b",
)

# A correction: one says that something was wrong, and what is right; or this and not that.
_OPENS = (
    r"(?:(?:(?:(?:no|oh|ah|wait) (?:wait|no|sorry)|no|nope|actually|sorry|oops|wait|hm+|ah|oh|well|ok(?:ay)?|my (?:bad|mistake)|nein|nee|eigentlich|moment|entschuldigung|"
    r"pardon|désolée?|non|en fait|perdón|perdona|en realidad|espera|scusa|desculpa|não)(?:[,.:;!]| [\u2014\u2013-])+|"
    r"(?:actually|eigentlich|en fait|en realidad)(?= )) ?){1,3}"
)
_WRONG = _any(
    r"(?:that|this)(?:'s| is| was) (?:wrong|not (?:right|true|correct)|incorrect|outdated|a (?:typo|mistake)|no longer (?:true|right))",
    r"you (?:got|have|had) (?:that|it|(?:my|the|his|her|our) \w+(?: \w+)?) wrong",
    r"I (?:was (?:mistaken|wrong)|misspoke|mistyped|mixed (?:that|it|them) up|made a mistake|(?:told you|said|got|had) (?:it |that )?wrong)"
    r"(?: earlier| before| there| just now)?",
    r"das (?:stimmt (?:so )?nicht(?: mehr)?|ist falsch|war falsch)|ich habe mich (?:vertan|geirrt|verschrieben|vertippt)",
    r"c'est faux|ce n'est pas (?:vrai|juste|exact)|je me suis trompée?",
    r"eso (?:no es (?:verdad|correcto)|está mal)|me (?:equivoqué|he equivocado)",
    r"mi sono sbagliat[oa]|enganei-me|ik heb me vergist",
)
_BE = (
    r"(?:is|are|was|were|has|have|had|does|do|did|lives?|runs?|uses?|costs?|takes?|starts?|"
    r"ends?|begins?|listens?|belongs?|works?|moved|opens?|closes?|expires?)"
)
_SUBJECT = r"(?:the|our|my|his|her|their|its?|we|he|she|they|(?-i:[A-Z])\w+)"
_NOT_THAT = _any(
    r"(?:,| and) not (?!(?:sure|yet|only|just|so|too|very|really|always|even|working|what|because|if|when|while|this|the (?:first|"
    r"second|other|same))\b)",
    r", (?:und )?nicht (?!(?:sicher|nur|mehr|wahr|so|immer|ganz|die andere|der andere|das andere)\b)",
    r"(?:,| et) (?:pas|non) (?!(?:sûr|encore|seulement|vrai|l'autre)\b)",
    r"(?:,| y) no (?!(?:el otro|la otra)\b)(?:(?:el|la|los|las|al|del|en|a|un|una)\b|\d|(?-i:[A-Z]))",
    r"(?:,| e) n(?:on|ão) (?!(?:so|solo|ancora|sei|só)\b)|, niet (?!(?:zeker|alleen|waar)\b)",
)
_MEANT = r"\b(?:I (?:meant|wanted to say|should have said)|ich meinte|je voulais dire|quería decir|volevo dire|queria dizer|ik bedoelde)\b"
CORRECTION = _pattern(
    rf"^{_OPENS}{_SUBJECT} .*\b{_BE}\b(?=.*(?:\d|(?-i: [A-Z]))|.* (?:named|called|spelled)\b)(?!.*\b(?:now|again|still|already|thanks|thank you|fine|great)\b)",
    r"^no,? it's (?-i:[A-Z])\w+",
    rf"^{_OPENS}\w.{{3,}}{_NOT_THAT}",
    rf"{_MEANT}(?! (?:the (?:other|first|second|last)|this|that|it)\b) .+{_NOT_THAT}",
    rf"^(?:{_OPENS})?{_WRONG}\s*[:;,\u2014\u2013-]+ ?(?=.*(?:\b{_BE}\b|\d|\b(?:ist|sind|hat|haben|heißt|est|sont|es|son|tiene|è|é)\b|(?-i: [A-Z])))\w.{{10,}}",
    r"^(?:korrektur|richtigstellung|correzione|corrección|correção|correctie|correction)\s*[:,]",
    r"\b(?:fix|correct|update|change) (?:that|this|it) in your (?:notes|memory|records)\b",
    r"^(?:nein|nee)(?:[,.:;!]| [\u2014\u2013-])+ ?(?:eigentlich )?(?:der|die|das|unser\w*|"
    r"mein\w*|er|sie|es|wir) .*\b(?:ist|sind|war|hat|haben|läuft|wohnt|heißt|kostet|beginnt)\b",
    r"^non(?:[,.:;!]| [\u2014\u2013-])+ ?(?:en fait,? )?(?:le|la|les|l'|notre|mon|ma|il|elle|"
    r"nous|c'est) ?.*\b(?:est|sont|a|était|habite|coûte|commence)\b",
    r"^no(?:[,.:;!]| [\u2014\u2013-])+ ?(?:en realidad,? )?(?:el|la|los|las|nuestr\w+|mi|es|"
    r"él|ella) .*\b(?:es|son|está|era|tiene|vive|cuesta|empieza)\b",
)
# Alone before "it is this, not that".
WRONG_ALONE = _pattern(rf"^(?:{_OPENS})?(?:{_WRONG}|no|nope|wrong|not quite|nein|falsch|non|no es así)[.!]*$")
NOT_THAT = _pattern(rf"\w{_NOT_THAT}")

# What is only supposed, asked, or left open.
SUPPOSED = _pattern(
    r"^(?:if|unless|suppose|assuming|should|shall|would|could|can|did|do|does|have|has|are|is|"
    r"what|why|how|when|which|who)\b",
    r"\b(?:haven'?t|have not|has not|hasn'?t|not yet|never|still have to|need to|want to|yet to|"
    r"before we|once we|until we|whether we) (?:\w+ ){0,2}(?:decided?|agreed?|settled?)\b",
    r"\b(?:if|unless|until|once|whether|in case) (?:we|you|I|it|they)\b",
    r"^(?:wenn|falls|ob|sollen|sollten|haben wir|hast|kannst|was|wie|warum|wann|wer)\b",
    r"\b(?:noch nicht|falls wir|wenn wir|ob wir)\b",
    r"^(?:si|est-ce|faut-il|pourquoi|comment|quand|¿|se|perché|come|quando|porque|por qué|als|of|waarom|hoe)\b",
    r"\b(?:pas encore|todavía no|aún no|non ancora|ainda não|nog niet)\b",
    r"\b(?:haha+|lol|just kidding)\b",
    r"\b(?:maybe|perhaps|I think|I guess|not sure|vielleicht|ich glaube|peut-être|quizás?|"
    r"forse|talvez|misschien)\b",
)
# What a task at hand is about: what should look or be otherwise now.
AT_HAND = _pattern(
    r"\b(?:should|shouldn't|must be fixed|needs? to be|still fails?|still broken|doesn't work|"
    r"does not work|try again)\b",
    r"\b(?:sollte|müsste|funktioniert nicht|geht nicht|klappt nicht|devrait|debería|dovrebbe|"
    r"deveria|zou moeten)\b",
    r"\b(?:this|that|the) (?:\w+ )?(?:test|function|method|variable|button|line|file|loop|branch|"
    r"commit|error|import|regex|output|build|call|argument|parameter|class|module|diff)s?\b",
    r"\b(?:line|Zeile|ligne|línea) \d",
)
# Where a wish for always is a wish for now.
NOW = _pattern(
    r"\b(?:in|for) (?:this|that) (?:function|file|test|loop|method|branch|class|script|module|component|section|paragraph|document|table|"
    r"answer|reply|message|email|one|chat|case|task)\b",
    r"\b(?:diesmal|this time|just this once|cette fois|esta vez)\b|\b(?:here|hier|ici|aquí)[.!]*$",
)
# A task that makes or changes something: what it says is to stand there, not to be remembered.
TASK = _pattern(
    r"^(?:(?:please|now|then|ok(?:ay)?|and|so|bitte)[,]? )*(?:write|draft|translate|summari[sz]e|rephrase|reword|proofread|add|"
    r"create|make|build|implement|generate|rename|fix|change|replace|insert|delete|remove|print|explain|describe|test|refactor|"
    r"schreib\w*|übersetz\w*|écris|traduis|escribe|traduce)\b(?!.*\b(?:from now on|always|never|ab jetzt|immer|nie|toujours|"
    r"jamais|siempre|nunca|désormais|a partir de ahora)\b)",
    r"^(?:\w+ ){0,3}(?:write|draft|translate|send|post|print) .*\b(?:saying|that says|telling|reading|labell?ed|titled|announcing)\b",
)
# Who speaks where something is told of what somebody else says.
TOLD = _pattern(
    r"\b(?:says?|said|tells?|told|writes?|wrote|reads?|states?|translate|summari[sz]e|error|mail|message|label|title|"
    r"if|when|unless)\b"
)

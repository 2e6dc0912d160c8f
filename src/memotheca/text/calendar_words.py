"""The closed classes of words in which eight languages speak of time: months, weekdays, relative days, and the small
words before them."""

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "da")

# January to December; spellings of one month stand beside each other.
MONTHS: dict[str, str] = {
    "en": "january february march april may june july august september october november december",
    "de": "januar/jänner februar/feber märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février/fevrier mars avril mai juin juillet août/aout septembre octobre novembre décembre/decembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
}
# Only beside the number of a day or a year; those that are words of their own (out, set, ago) are left out.
SHORT_MONTHS = (
    "jan/janv/ene feb/fév/febr/fev mar/mrt apr/avr/abr mag jun/giu jul/juil/lug aug sep/sept okt/oct/ott nov "
    "dec/dez/déc/dic"
)

# Monday to Sunday; in Portuguese only what is no numeral.
WEEKDAYS: dict[str, str] = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles/miercoles jueves viernes sábado domingo",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
}
SHORT_WEEKDAYS = "mon tue/tues wed thu/thur/thurs fri sat sun mo di mi do fr sa so lun mar mer jeu ven sam dim"

BEFORE_WEEKDAY = {
    "last": "last letzten letzter vorigen vergangenen afgelopen vorige sidste",
    "next": "next this nächsten kommenden diesen volgende komende deze næste próximo próxima prossimo prossima",
}
AFTER_WEEKDAY = {
    "last": "dernier pasado passado passada scorso scorsa",
    "next": "prochain próximo próxima prossimo prossima",
}

# Days from today, by language (specification: what the words mean).
RELATIVE_DAYS: dict[str, dict[str, int]] = {
    "en": {"today": 0, "this morning": 0, "this afternoon": 0, "yesterday": -1, "last night": -1, "tomorrow": 1}
    | {"the day before yesterday": -2},
    "de": {"heute": 0, "heute früh": 0, "gestern": -1, "vorgestern": -2},
    "fr": {"aujourd'hui": 0, "ce matin": 0, "avant-hier": -2, "demain": 1},
    "es": {"hoy": 0, "esta mañana": 0, "ayer": -1, "anoche": -1, "anteayer": -2},
    "pt": {"hoje": 0, "ontem": -1, "anteontem": -2, "amanhã": 1},
    "it": {"oggi": 0, "stamattina": 0, "ieri": -1, "l'altro ieri": -2, "domani": 1},
    "nl": {"vandaag": 0, "vanochtend": 0, "gisteren": -1, "eergisteren": -2},
    "da": {"i dag": 0, "i går": -1, "i forgårs": -2, "i morgen": 1},
}
# The same where a small word before it tells that it is no other word of that spelling (specification, as above).
RELATIVE_AFTER_WORD: dict[str, dict[str, int]] = {
    "en": {"now on": 0, "now": 0},
    "de": {"morgen": 1, "sofort": 0, "jetzt": 0},
    "fr": {"maintenant": 0},
    "es": {"mañana": 1, "ahora": 0},
    "pt": {"agora": 0},
    "it": {"ora": 0, "adesso": 0, "ora in poi": 0},
    "nl": {"morgen": 1, "nu": 0},
    "da": {"nu": 0, "nu af": 0},
}
# Weeks, months, years from this one.
RELATIVE_UNITS: dict[str, tuple[str, int]] = {
    phrase: (unit, step)
    for unit, step, phrases in (
        ("week", -1, "last week|letzte woche|vorige woche|la semaine dernière|la semana pasada|semana passada"),
        ("week", -1, "la settimana scorsa|settimana scorsa|vorige week|afgelopen week|sidste uge"),
        ("week", 1, "next week|nächste woche|nächster woche|kommende woche|la semaine prochaine|la próxima semana"),
        (
            "week",
            1,
            "la semana que viene|próxima semana|la prossima settimana|settimana prossima|volgende week|næste uge",
        ),
        ("month", -1, "last month|letzten monat|letztem monat|vorigen monat|le mois dernier|el mes pasado|mês passado"),
        ("month", -1, "il mese scorso|vorige maand|afgelopen maand|sidste måned"),
        ("month", 1, "next month|nächsten monat|nächstem monat|le mois prochain|el próximo mes|próximo mês"),
        ("month", 1, "il prossimo mese|volgende maand|næste måned"),
        ("year", -1, "last year|letztes jahr|letztem jahr|voriges jahr|l'année dernière|l'an dernier|el año pasado"),
        ("year", -1, "ano passado|l'anno scorso|vorig jaar|afgelopen jaar|sidste år"),
        (
            "year",
            1,
            "next year|nächstes jahr|nächstem jahr|l'année prochaine|el próximo año|próximo ano|volgend jaar|næste år",
        ),
    )
    for phrase in phrases.split("|")
}
# "3 days ago": what stands before and after the number and the unit.
AGO: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("", "ago", {"day": "days?", "week": "weeks?", "month": "months?", "year": "years?"}),
    ("vor", "", {"day": "tag(?:en)?", "week": "wochen?", "month": "monat(?:en)?", "year": "jahr(?:en)?"}),
    ("il y a", "", {"day": "jours?", "week": "semaines?", "month": "mois", "year": "ans?"}),
    ("hace", "", {"day": "días?", "week": "semanas?", "month": "mes(?:es)?", "year": "años?"}),
    ("há", "", {"day": "dias?", "week": "semanas?", "month": "m(?:ês|eses)", "year": "anos?"}),
    ("", "fa", {"day": "giorn[oi]", "week": "settiman[ae]", "month": "mes[ei]", "year": "ann[oi]"}),
    ("", "geleden", {"day": "dag(?:en)?", "week": "we(?:ek|ken)", "month": "maand(?:en)?", "year": "jaar"}),
    ("for", "siden", {"day": "dage?", "week": "uger?", "month": "måned(?:er)?", "year": "år"}),
)
NUMERALS: dict[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein einem einer eine un une uno una um uma een en et",
            "two zwei deux dos dois duas due twee to",
            "three drei trois tres três tre drie",
            "four vier quatre cuatro quatro quattro fire",
            "five fünf cinq cinco cinque vijf fem",
            "six sechs seis sei zes seks",
        ),
        1,
    )
    for word in words.split()
}

# What a time is to what is said: since when, from when on, until when it holds, or on which day something happened.
SMALL_WORDS: dict[str, dict[str, str]] = {
    "since": {
        "en": "since|ever since",
        "de": "seit|seit dem|seit der",
        "fr": "depuis|depuis le",
        "es": "desde|desde el",
        "pt": "desde|desde o|desde a",
        "it": "da|dal|dall'|dalla",
        "nl": "sinds|sedert",
        "da": "siden|siden den",
    },
    "from": {
        "en": "from|from the|starting|starting on|starting from|effective|effective from|as from",
        "de": "ab|ab dem|ab der|vom|von",
        "fr": "à partir de|à partir du|à partir d'|dès|dès le|à compter du|du",
        "es": "a partir de|a partir del|del",
        "pt": "a partir de|a partir do|a partir da",
        "it": "a partire da|a partire dal|d'",
        "nl": "vanaf|van",
        "da": "fra|fra den|fra og med",
    },
    "until": {
        "en": "until|till|'til|until the|till the|through",
        "de": "bis|bis zum|bis zu|bis einschließlich",
        "fr": "jusque|jusqu'au|jusqu'en|jusqu'à|jusqu'à la",
        "es": "hasta|hasta el|hasta la",
        "pt": "até|até o|até a|até ao|até à",
        "it": "fino a|fino al|fino all'|fino alla",
        "nl": "tot|tot en met|t/m",
        "da": "indtil|indtil den|til og med",
    },
    "on": {
        "en": "on|on the|as of",
        "de": "am|am vergangenen",
        "fr": "le",
        "es": "el",
        "pt": "no dia|em|na|no",
        "it": "il|l'",
        "nl": "op",
        "da": "den|på",
    },
    "in": {"en": "in", "de": "im|in", "fr": "en", "es": "en", "pt": "em", "it": "in|a|nel", "nl": "in", "da": "i"},
}
RANGE_WORDS = (
    "to",
    "until",
    "till",
    "through",
    "bis",
    "bis zum",
    "au",
    "al",
    "até",
    "tot",
    "tot en met",
    "til",
    "\u2013",
    "-",
)
EDGES = (
    "the end of|end of|mid|mid-|the beginning of|ende|mitte|anfang|fin|la fin de|fines de|finales de|el final de"
    "|final de|o final de|fim de|fine|la fine di|eind|einde|slutningen af"
).split("|")
BETWEEN_DAY_AND_MONTH = ("of", "de", "di", "d'")

# In English a participle after these tells of now: the shop is closed.
PASSIVE = r"(?:\b(?:is|are|am|be|being|gets?|remains?|stays?)|n't|'s|'re)\s+(?:(?:\w+ly|now|still|not|also)\s+)?\w+ed\b"
# Whether something is told as having happened: auxiliaries, strong forms and endings of each language.
PAST: dict[str, str] = {
    "en": (
        r"was|were|had|did|[a-z]{2,}ed|began|became|bought|broke|brought|built|came|caught|chose|cut|drew|drove|fell|felt|"
        r"found|flew|forgot|gave|got|grew|went|gone|heard|held|hit|kept|knew|learnt|left|lent|lost|made|meant|met|paid|put|"
        r"quit|ran|rang|read|rose|said|sat|saw|sold|sent|set|shut|slept|slipped|spent|spoke|stood|stole|stuck|swam|took|"
        r"taught|told|thought|threw|understood|woke|won|wore|wrote"
    ),
    "de": (
        r"hat|haben|hatten?|habe|war|waren|wurden?|gab|ging|kam|kamen|fiel|fielen|fand|fing|nahm|sah|lief|ließ|hielt|blieb|"
        r"schrieb|rief|begann|sprach|traf|stand|brach|bekam|[a-zäöüß]{2,}ge[a-zäöüß]+(?:t|en)|ge[a-zäöüß]{2,}(?:t|en)|"
        r"[a-zäöüß]{2,}iert"
    ),
    "fr": r"a|ont|ai|avons|avez|été|était|étaient|avait|avaient|est \w+(?:é|ée|i|ie|u|ue)|sont \w+(?:és|ées|is|us)",
    "es": r"ha|han|he|hemos|fue|fueron|era|estaba|hubo|había|tuvo|hizo|vino|dijo|puso|\w{2,}(?:ó|aron|ieron)",
    "pt": r"foi|foram|era|estava|houve|tinha|teve|fez|veio|disse|\w{2,}(?:ou|aram|eram|iram|eu|iu)",
    "it": r"ha|hanno|ho|abbiamo|era|fu|furono|è stat[oa]|sono stat[ie]|è \w+(?:at|ut|it)[oa]|\w{2,}(?:arono|irono)",
    "nl": r"heeft|hebben|had|hadden|was|waren|werd|werden|ging|kwam|kreeg|viel|ge[a-z]{2,}(?:d|t|en)",
    "da": r"blev|var|har|havde|kom|fik|gik|faldt|tog|gav|\w{3,}(?:ede|edes)",
}
# What makes of a date a wish, a duty, a plan or a condition, so that nothing is said to hold or to have happened.
UNREAL: dict[str, str] = {
    "en": "must should shall would could might need needs needed want wants wanted plan plans planned hope hopes "
    "expect expects expected due deadline unless if whether scheduled please let's booked reserved",
    "de": "muss müssen soll sollen sollte sollten könnte würde wenn falls ob spätestens geplant bitte fällig gebucht",
    "fr": "doit doivent devrait faut si prévu prévue réservé réservée",
    "es": "debe deben debería si previsto prevista reservado reservada",
    "pt": "deve devem deveria precisa precisam se previsto prevista reservado reservada",
    "it": "deve devono dovrebbe se previsto prevista prenotato prenotata",
    "nl": "moet moeten zou zouden als gepland uiterlijk geboekt",
    "da": "skal skulle hvis senest planlagt booket",
}
NEGATIONS: dict[str, str] = {
    "en": "not no never without only n't nobody nothing",
    "de": "nicht kein keine keinen keiner nie erst nur niemand",
    "fr": "pas jamais aucun aucune rien",
    "es": "no nunca solo sólo nada",
    "pt": "não nunca só nada",
    "it": "non mai solo niente",
    "nl": "niet geen nooit pas alleen",
    "da": "ikke ingen aldrig først kun",
}
# What begins a clause that only gives the ground or the time of another.
SUBORDINATE: dict[str, str] = {
    "en": "because after when while although as if once than",
    "de": "weil da nachdem als während obwohl dass wenn",
    "fr": "parce puisque après quand lorsque car",
    "es": "porque después cuando",
    "pt": "porque depois quando",
    "it": "perché dopo quando",
    "nl": "omdat nadat toen",
    "da": "fordi efter da",
}
# What begins one behind a comma that says more of a thing.
RELATIVES: dict[str, str] = {
    "en": "",
    "de": "der die das den dem was wo",
    "fr": "que qui dont où",
    "es": "que quien donde",
    "pt": "que quem onde",
    "it": "che chi dove",
    "nl": "dat die wat",
    "da": "som hvad",
}
# Of a state that is told as over no end is to come.
OVER: dict[str, str] = {
    "en": "was were had did",
    "de": "war waren wurde wurden hatte hatten hat",
    "fr": "était étaient avait avaient a ont",
    "es": "fue fueron era estaba ha han",
    "pt": "foi foram era estava",
    "it": "era fu ha hanno",
    "nl": "was waren werd werden had heeft",
    "da": "var blev havde har",
}
# What joins such a clause without a comma.
GROUNDS = frozenset(
    "because after when while although once weil nachdem porque perché omdat fordi quand cuando quando".split()
)
# The first one since March: no state holds since then.
FIRSTS = frozenset(
    "first last only best worst erste ersten premier première primero primera primeiro primeira eerste første".split()
)
# English puts no comma before what says which one is meant.
RELATIVE_PRONOUNS = frozenset("that which who whom whose what where how".split())
# What says that after the end of one state another begins.
THEN = frozenset("then afterwards thereafter dann danach ensuite puis luego después depois poi daarna derefter".split())
# A term that somebody is given: what ends with it is no state.
TERMS = frozenset("have has had give gives gave get gets got habe hat haben gibt".split())

# Spring to winter of the north, which begin with March, June, September and December.
SEASONS = (
    "spring frühling frühjahr printemps primavera lente voorjaar forår foråret",
    "summer sommer été verano verão estate zomer sommeren",
    "autumn fall herbst automne otoño outono autunno herfst efterår efteråret",
    "winter hiver invierno inverno vinter vinteren",
)
BEFORE_SEASON = (
    "in this past|this past|in the|last|in|im|letzten|vorigen|au|en|l'|el|no|na|in|van de|afgelopen|vorige|i|sidste"
).split("|")
# What asks for how it was: adverbs and conjunctions of an earlier time.
FORMERLY: dict[str, str] = {
    "en": "used to|formerly|previously|originally|initially|back then|at that time|at the time|in the past|before the|"
    "before we|before i|before he|before she|before they|before it|prior to|at first",
    "de": "früher|damals|vorher|zuvor|ursprünglich|anfangs|ehemals|vor dem|bevor",
    "fr": "avant le|avant la|avant que|auparavant|autrefois|à l'origine|à l'époque|initialement|jadis",
    "es": "antes|anteriormente|originalmente|al principio|en aquel entonces|solía|solían",
    "pt": "anteriormente|antigamente|originalmente|no início|naquela época|costumava|antes",
    "it": "in precedenza|in origine|inizialmente|all'epoca|una volta|prima del|prima della|prima di|prima che",
    "nl": "vroeger|voorheen|destijds|eerder|oorspronkelijk|aanvankelijk|voordat",
    "da": "tidligere|dengang|oprindeligt|førhen|inden|før",
}

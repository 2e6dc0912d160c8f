"""Closed classes of words in nine languages: what a sentence is made with, whatever it is about.

English, German, French, Spanish, Portuguese, Italian, Dutch, Danish and Swedish; folded. Lists of the grammars, not of
any corpus: months, days, numerals, pronouns, articles, auxiliaries, denials, words of time and of change."""

from memotheca.model.knowledge import fold
from memotheca.text.words import STOP_WORDS


def _folded(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


# The order of a name is its number: January or Monday in each language. Forms are told apart by their beginning where
# a language shortens them (jan, mon); see `values.py`.
MONTHS = tuple(
    tuple(fold(each).split("|"))
    for each in (
        "january|januar|janvier|enero|janeiro|gennaio|januari|jänner|jan|janv|gen|ene",
        "february|februar|février|febrero|fevereiro|febbraio|februari|feb|févr|fev",
        "march|märz|mars|marzo|março|maart|marts|mar|mrz|mrt",
        "april|avril|abril|aprile|apr|avr|abr",
        "may|mai|mayo|maio|maggio|mei|maj|mag",
        "june|juni|juin|junio|junho|giugno|jun|giu",
        "july|juli|juillet|julio|julho|luglio|jul|juil|lug",
        "august|août|agosto|augustus|augusti|aug|ago",
        "september|septembre|septiembre|setembro|settembre|sept|sep|set|sett",
        "october|oktober|octobre|octubre|outubro|ottobre|oct|okt|out|ott",
        "november|novembre|noviembre|novembro|nov",
        "december|dezember|décembre|diciembre|dezembro|dicembre|dec|dez|dic|déc",
    )
)
WEEKDAYS = tuple(
    tuple(fold(each).split("|"))
    for each in (
        "monday|montag|lundi|lunes|segunda-feira|lunedì|maandag|mandag|måndag|mon",
        "tuesday|dienstag|mardi|martes|terça-feira|martedì|dinsdag|tirsdag|tisdag|tue|tues",
        "wednesday|mittwoch|mercredi|miércoles|quarta-feira|mercoledì|woensdag|onsdag|wed|mittwochs",
        "thursday|donnerstag|jeudi|jueves|quinta-feira|giovedì|donderdag|torsdag|thu|thur|thurs",
        "friday|freitag|vendredi|viernes|sexta-feira|venerdì|vrijdag|fredag|fri",
        "saturday|samstag|sonnabend|samedi|sábado|sabato|zaterdag|lørdag|lördag|sat",
        "sunday|sonntag|dimanche|domingo|domenica|zondag|søndag|söndag|sun",
    )
)
NUMERALS = {
    fold(word): number
    for number, names in {
        0: "zero null zéro cero nul",
        1: "one eins ein eine einen einem einer un une uno una um uma één en et",
        2: "two zwei deux dos dois duas due twee to två twice zweimal",
        3: "three drei trois tres três tre drie",
        4: "four vier quatre cuatro quatro quattro fire fyra",
        5: "five fünf cinq cinco cinque vijf fem",
        6: "six sechs seis sei zes seks sex",
        7: "seven sieben sept siete sete sette zeven syv sju",
        8: "eight acht huit ocho oito otto otte åtta",
        9: "nine neun neuf nueve nove negen ni nio",
        10: "ten zehn dix diez dez dieci tien ti tio",
        11: "eleven elf onze once undici elleve elva",
        12: "twelve zwölf douze doce doze dodici twaalf tolv",
        15: "fifteen fünfzehn quinze quince quindici vijftien femten femton",
        20: "twenty zwanzig vingt veinte vinte venti twintig tyve tjugo",
        30: "thirty dreißig trente treinta trinta trenta dertig tredive trettio",
        40: "forty vierzig quarante cuarenta quarenta quaranta veertig fyrre fyrtio",
        50: "fifty fünfzig cinquante cincuenta cinquenta cinquanta vijftig halvtreds femtio",
        60: "sixty sechzig soixante sesenta sessenta sessanta zestig tres sextio",
        90: "ninety neunzig noventa negentig halvfems nittio",
    }.items()
    for word in names.split()
}
# Articles in the clothes of numerals: never a figure.
for _article in _folded("ein eine einen einem einer un une uno una um uma en et one to once sex ti ni tres set out"):
    NUMERALS.pop(_article, None)

# Articles, pronouns, auxiliaries, prepositions, conjunctions.
FUNCTION = STOP_WORDS | _folded(
    """
    der die das den dem des ein eine einen einem einer eines und oder aber in im ins an am auf aus bei beim von vom zu
    zum zur mit nach vor für über unter um bis durch gegen ohne ist sind war waren wird werden wurde hat haben hatte es
    er sie wir ihr ich du mich mir dich dir sich uns euch ihm ihn ihnen mein meine meinen unser unsere sein seine ihre
    als auch dass da wenn wie was wer wo so noch nur schon sehr man kann können muss soll will dann denn doch hier dort
    le la les un une des du de et ou mais en dans au aux sur sous par pour avec sans est sont était a ont avait il elle
    on nous vous ils elles je tu me te se que qui quoi ce cette ces son sa ses leur mon ma mes notre nos ne y si plus
    el los las unos unas del al y o pero en con por para sin es son era está están fue ha han había lo su sus mi mis
    nuestro nuestra que quien como se le les nos yo tú ella ellos este esta estos estas muy también
    os as um uma uns umas do da dos das no na nos nas ao à aos às e ou mas em com por para sem é são era está estão foi
    tem têm ele ela eles elas eu tu me se que quem como seu sua meu minha nosso nossa este esta isso muito também já
    il lo gli i uno una di del della dei delle degli al alla ai alle e o ma in nel nella con per su da dal è sono era
    ha hanno aveva che chi come si ci mi ti lui lei noi voi loro suo sua mio mia nostro questo questa molto anche
    de het een en of maar in op aan uit bij van voor met naar over onder om tot door zonder is zijn was waren wordt
    worden heeft hebben had hij zij ze wij we ik je jij u mij me ons hun haar mijn zijn onze dat die dit deze wat wie
    ook als dan nog wel zo
    den det de en et og eller men i på af fra til med om for ved under over uden er var bliver blev har havde han hun vi
    jeg du man mig dig sig os jer dem min mit mine vores din sin at som der hvad hvem så også kun
    och är av från utan ett jag ni mig oss vår vårt inte att så även
    mr mrs ms dr herr herrn frau mme
    """
)
# What denies.
DENIALS = _folded(
    """
    not no never none nobody nothing neither nor without cannot can't won't isn't aren't wasn't weren't doesn't don't
    didn't hasn't haven't hadn't shouldn't wouldn't couldn't isnt dont nicht kein keine keinen keinem keiner nie niemals
    nichts ohne weder pas jamais aucun aucune rien sans no nunca ningún ninguna nada sin não nunca nenhum nenhuma nada
    sem non mai nessuno nessuna niente senza niet geen nooit niets zonder ikke ingen intet aldrig uden inte ingen aldrig
    """
)
# What says that it is otherwise from now on.
CHANGES = _folded(
    """
    now anymore longer instead again back changed changes change switched moved moves replaced replaces replacing
    new newly since became becomes raised lowered increased reduced extended postponed delayed cancelled canceled
    corrected correction update updated former formerly previously still already meanwhile finally
    jetzt nun mehr statt stattdessen wieder neu neue neuer neuen neues seit ab geändert gewechselt ersetzt verschoben
    verlegt nunmehr bisher bislang früher inzwischen mittlerweile abgesagt künftig ehemals doch
    erhöht angehoben gesenkt herabgesetzt verringert reduziert gekürzt verlängert aufgestockt
    augmenté augmentée relevé relevée réduit réduite baissé baissée abaissé abaissée prolongé prolongée
    aumentado aumentada subió subido reducido reducida rebajado rebajada ampliado ampliada prorrogado prorrogada
    aumentou subiu baixou reduzido reduzida prolongado prolongada
    aumentato aumentata alzato alzata abbassato abbassata ridotto ridotta prolungato prolungata
    verhoogd verlaagd verminderd verlengd hævet forhøjet sænket nedsat forlænget hevet senket höjd höjt sänkt förlängd
    maintenant désormais plus dorénavant nouveau nouvelle nouveaux depuis remplacé changé déplacé reporté annulé
    remplacée changée déplacée reportée annulée auparavant
    ahora ya nuevo nueva desde cambiado cambió sustituido trasladado aplazado cancelado cambiada sustituida trasladada
    aplazada cancelada antes
    agora já novo nova desde mudou mudado substituído adiado cancelado mudada substituída adiada cancelada passou antes
    adesso ora ormai nuovo nuova dal dalla cambiato sostituito spostato rinviato annullato cambiata sostituita spostata
    rinviata annullata prima
    nu nieuw nieuwe voortaan sinds vanaf veranderd vervangen verplaatst uitgesteld geannuleerd voorheen
    nu ny nyt nye siden fremover ændret udskudt flyttet erstattet aflyst tidligere
    nu ny nytt nya sedan ändrat flyttat ersatt inställd tidigare nå lenger lengre
    teraz już obecnie odtąd zmieniono zmieniony zmieniona przeniesione przeniesiony przeniesiona nowy nowa dawniej
    nyní teď už nově dříve přesunuto теперь сейчас уже перенесли перенесена перенесён тепер зараз вже
    şimdi yeni nyt enää uusi siirretty már mostantól τώρα πλέον acum mutat
    """
)
# Behind which an hour is one of the clock: à 10h; and behind which one is a length: dure 1h30.
AT_HOUR = _folded("à às las alle um at om vers dès ab jusqu'à até hasta")
LASTING = _folded(
    "dure durent durait durera durant pendant dura duran duró durante durou dauert duurt varer varar lasts last lasted "
    "takes take took prend prennent during for in en für im"
)
# What is counted on and told by its number: week 12.
NUMBERED_PERIODS = _folded(
    """
    week wk day sprint iteration quarter season semester trimester term round woche kw tag quartal saison runde
    semaine jour trimestre saison tour semana día trimestre temporada ronda dia rodada settimana giorno stagione
    week dag kwartaal seizoen ronde uge kvartal uke vecka dag säsong tydzień tygodniu tydzien týden týdnu неделя неделю
    неделе viikko hét hafta
    """
)
# What may be, is wanted, or is planned.
PLANS = _folded(
    """
    if would could should might may maybe perhaps plan plans planned planning goal target aim want wants wanted wish
    hope hopes consider considering suppose unless whether propose proposed suggests suggested proposal ideally
    wenn falls würde könnte sollte vielleicht plan plant geplant ziel möchte möchten wünscht hofft ob
    si serait pourrait devrait peut-être prévu objectif souhaite
    sería podría debería quizás plan previsto objetivo quiere
    se seria poderia deveria talvez plano previsto objetivo quer
    sarebbe potrebbe dovrebbe forse piano previsto obiettivo vuole
    als zou zouden misschien plan gepland doel wil
    hvis ville kunne skulle måske plan planlagt mål ønsker
    om skulle kanske planerat mål vill
    """
)
# What makes a condition, or something that is only asked.
CONDITIONS = _folded(
    """
    if unless whether wenn ob sofern indien tenzij hvis medmindre ifall såvida jeśli jeżeli czy если якщо pokud jestli
    jos eğer dacă
    """
)
# Of these, what is one in some languages and something else in others.
BORROWED_CONDITIONS = {
    "falls": (("de",), ("en",)),
    "si": (("fr", "es"), ("it",)),
    "se": (("it", "pt"), ("es", "fr")),
    "als": (("nl",), ("de",)),
    "om": (("sv", "da"), ("nl",)),
}
# Of which forms a sentence with a condition is made up.
MOODS = _folded(
    """
    would could might würde würden könnte könnten wäre wären hätte hätten serait seraient pourrait pourraient aurait
    auraient sería serían podría podrían habría tendría seria seriam poderia poderiam teria sarebbe sarebbero potrebbe
    potrebbero avrebbe zou zouden ville skulle
    """
)
# What is aimed at, against what is.
GOALS = _folded(
    """
    goal goals target targets aim aims limit limits maximum minimum budget ziel ziele grenze grenzwert höchstens
    objectif
    limite objetivo límite meta obiettivo doel doelstelling grens mål grænse gräns
    """
)
# What is aimed at, and no statement of what is.
AIMS = _folded(
    """
    goal goals target targets aim aims objective objectives ziel ziele objectif objectifs objetivo objetivos meta
    obiettivo obiettivi doel doelen mål
    """
)
# Who says so, where it is not the one who writes.
SAYINGS = _folded(
    """
    says said say saying claims claimed according reports reported wrote writes told tells thinks believes insists
    certain sure swears sagt sagte sagen laut meint behauptet schreibt schrieb zufolge glaubt dit selon affirme écrit
    pense dice dijo según afirma escribe cree diz disse segundo afirma escreveu acha dice secondo afferma scrive crede
    zegt zei volgens beweert schrijft denkt siger sagde ifølge påstår skriver mener säger enligt skriver
    """
)
# That something was said before.
REPETITIONS = _folded(
    """
    again repeat repeats repeated repeating repetition remind reminder reminds confirm confirms confirmed confirmation
    same likewise recall restated restates reiterates once-more duplicate twice summary summarises
    wieder wiederholt wiederholung nochmal nochmals erneut bestätigt bestätigung erinnerung erinnert gleiche dasselbe
    encore répété répète rappel rappelle confirme confirmé confirmation même otra vez repite repetido recordatorio
    confirma confirmado mismo novamente repete repetido lembrete confirma confirmado mesmo ancora ripetuto ripete
    promemoria conferma confermato stesso opnieuw herhaald herinnering bevestigd bevestiging zelfde igen gentaget
    gentager påmindelse bekræftet samme upprepat påminnelse bekräftat samma
    """
)
# That others say, see or measure it otherwise.
DISPUTES = _folded(
    """
    another other different differs differ differing opposite contrary contradicts contradict contradiction conflict
    conflicting conflicts disagree disagrees disagreement dispute disputes disputed denies denied deny inconsistent
    unlike whereas versus second wrong view version account claim claims doubt doubts mismatch discrepancy
    andere anderes anderer anders widerspricht widerspruch gegenteil abweichend hingegen dagegen zweite falsch
    bestreitet
    autre différent contraire contredit conflit tandis faux conteste otro otra diferente contrario contradice conflicto
    mientras falso niega outro outra diferente contrário contradiz conflito enquanto falso nega altro altra diverso
    contrario contraddice conflitto mentre falso nega ander anders tegendeel spreekt tegen tweede fout ontkent anden
    andet anderledes modsat modsiger forkert benægter annan annat motsatt motsäger fel förnekar
    """
)
# Which stand for something said before.
# Of these, what may also be the article of the word behind it.
ARTICLES = _folded("das het den det de il")
# Of these, what is an article in one language and a pronoun in others: that one first.
BORROWED = {"de": ("nl", "da", "sv"), "il": ("it", "fr")}
# What says how much something is, where no other word does.
AMOUNTS = _folded(
    """
    amounts costs cost stands lies comes beträgt betrug liegt lag kostet kostete steht élève coûte vaut asciende cuesta
    vale custa ammonta costa bedraagt bedroeg kost ligt ligger koster udgør utgjør kostar uppgår wynosi kosztuje
    """
)
# What says what something is.
BEING = _folded("is are was were ist sind war waren est sont était es son era é são è sono zijn er är jest są")
# What says of what was something that it comes to be otherwise: est à 10h, passe à 11h30.
BECOMING = _folded(
    "moves shifts goes wechselt rückt springt passe passent passera pasa pasan pasará passa passam passano passerà "
    "gaat verschuift verhuist flytter rykker skifter flyttar byter"
)
HAVING = _folded("have has had hat haben habe a ont ai avons avez ha han he hemos ho hanno heeft hebben heb har")
# English verbs that are of the past without -ed.
IRREGULAR_PAST = _folded(
    """
    ate beat began bent bit blew bought broke brought built came caught chose did drank drew drove fell felt fought
    flew forgot froze gave got grew heard held hid hurt knew laid lent lost made met paid ran rang rode rose said sang
    sat saw sent shook shot showed slept sold sowed spent spoke stole stood struck swam swore taught threw told took
    understood went won woke wore wrote
    """
)
PAST_BEING = _folded("was were war waren était étaient era eran eram erano foi fue fueron foram var")
AUXILIARIES = BEING | _folded(
    "has have had hat haben hatte heeft hebben wordt worden werd kan moet mag zal wil zou har havde hade skal vil blev"
)
FIRST_PERSON = _folded("i we ich wir je nous yo nosotros nosotras eu nós io noi ik wij jeg jag vi")
# Small words that exclude each other where all else is said alike.
OPPOSED = tuple(
    tuple(fold(pair).split("/"))
    for pair in (
        "before/after above/below over/under if/unless on/off up/down in/out inside/outside vor/nach über/unter an/aus "
        "avant/après sur/sous plus/moins antes/después más/menos antes/depois mais/menos prima/dopo più/meno voor/na "
        "meer/minder før/efter mere/mindre före/efter mer/mindre"
    ).split()
)
# Of which one there is, behind a form of being or of holding: is the captain, leads the team.
DEFINITE = _folded("the der die das le la el il lo o de het den det")
HOLDING = _folded(
    """
    owns leads chairs heads maintains captains runs leitet besitzt führt dirige dirigent possède gère gestisce possiede
    posee gestiona coordena possui gere leidt bezit beheert leder ejer äger eier styrer
    """
)
RESPONSIBLE = _folded(
    "responsible accountable verantwortlich zuständig responsable responsável responsabile verantwoordelijk ansvarlig "
    "ansvarig"
)
INDEFINITE = _folded("a an one ein eine einer un une uno una um uma een en et ett")
PRONOUNS = _folded(
    """
    it they he she this that these those its their his her er sie es dies das diese il elle ils elles ce cela él ella
    ellos eso esto ele ela eles isso lui lei esso questo quello hij zij ze het dit dat han hun den det de detta
    """
)

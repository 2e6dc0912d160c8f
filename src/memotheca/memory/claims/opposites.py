"""Opposites: words that cannot both be said of one thing, and sets of which a thing has one member."""

from collections.abc import Iterable
from functools import lru_cache

from memotheca.text.words import stem

_PAIRS = """enable/disable mutable/immutable
always/never increase/decrease true/false allow/deny allow/forbid permit/prohibit permit/forbid
accept/reject accept/refuse approve/reject open/close open/shut on/off up/down start/stop begin/end succeed/fail
success/failure pass/fail required/optional mandatory/optional public/private synchronous/asynchronous
sync/async online/offline before/after above/below high/low higher/lower fast/slow faster/slower hot/cold
warm/cold early/late earlier/later first/last more/less more/fewer most/least better/worse best/worst love/hate
like/dislike enjoy/dislike win/lose won/lost buy/sell bought/sold rise/fall rose/fell grow/shrink present/absent
alive/dead full/empty strong/weak hard/soft wet/dry light/dark light/heavy old/new old/young long/short
big/small large/small cheap/expensive easy/difficult easy/hard simple/complex free/paid encrypted/plaintext
include/exclude add/remove single/married left/right north/south east/west minimum/maximum internal/external
automatic/manual automatically/manually static/dynamic serial/parallel sequential/parallel raise/lower
raised/lowered gain/lose keep/drop keep/discard keep/delete supported/deprecated recommended/deprecated
correct/wrong right/wrong guilty/innocent permanent/temporary import/export upload/download none/all
improve/worsen prevent/cause help/harm helpful/harmful beneficial/harmful continue/cancel confirmed/cancelled
confirmed/canceled granted/revoked merged/reverted local/remote stateful/stateless sunny/rainy rich/poor
near/far inside/outside indoor/outdoor thick/thin wide/narrow deep/shallow loud/quiet clean/dirty safe/dangerous
healthy/sick awake/asleep day/night morning/evening arrive/depart arrived/left join/leave joined/left hire/fire
hired/fired promote/demote promoted/demoted positive/negative even/odd horizontal/vertical ascending/descending
top/bottom front/back push/pull send/receive borrow/lend ally/enemy friend/enemy majority/minority
finished/unfinished ready/unready eager/lazy strict/lenient tight/loose hourly/daily daily/weekly weekly/monthly
nightly/hourly allowed/forbidden allowed/banned permitted/banned legal/banned include/omit included/omitted
accept/decline accepted/declined confirm/deny confirmed/denied profit/loss victory/defeat increase/fall increased/fell
rise/drop rose/dropped grew/shrank gained/lost strengthen/weaken expand/contract appear/vanish visible/hidden
upstairs/downstairs junior/senior fixed/variable natural/artificial male/female beginner/expert plural/singular
busy/idle occupied/vacant occupied/free fresh/stale sharp/blunt rough/smooth tall/short bright/dim tidy/messy
wealthy/poor ancient/modern polite/rude brave/cowardly succeed/lose everybody/nobody everyone/nobody everything/nothing
works/broken works/fails intact/broken find/lose found/lost remember/forget remembered/forgot agree/refuse
agreed/refused attend/miss attended/missed voluntary/compulsory voluntary/mandatory optional/compulsory
edible/poisonous drinkable/poisonous deaf/hearing sink/float sank/floated melt/freeze""".split()

_SETS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april may june july august september october november december",
    "red orange yellow green blue purple violet pink brown black white grey gray",
    "spring summer autumn fall winter",
    "tabs spaces",
    "vegetarian vegan omnivore",
    "hourly daily weekly monthly yearly nightly quarterly",
)
PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis")
_PREFIX_SIZES = sorted({len(prefix) for prefix in PREFIXES})


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS:
        one, other = (stem(word) for word in pair.split("/"))
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    for group in _SETS:
        members = {stem(word) for word in group.split()}
        for member in members:
            found.setdefault(member, set()).update(members - {member})
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES = _table()
_MEMBERS = frozenset(stem(word) for group in _SETS for word in group.split())


@lru_cache(maxsize=65536)
def denials(word: str) -> frozenset[str]:
    """What excludes a stem: by the table, or by a prefix that denies it."""
    prefixed = (stem(prefix + word) for prefix in PREFIXES) if len(word) >= 4 else ()
    return _OPPOSITES.get(word, frozenset()) | frozenset(prefixed)


def opposites_between(one: Iterable[str], other: Iterable[str]) -> set[tuple[str, str]]:
    """Every pair of stems, one of each side, that exclude each other."""
    left, right = set(one), set(other)
    return {*_excluding(left, right), *((denied, word) for word, denied in _excluding(right, left))}


def _excluding(some: set[str], others: set[str]) -> list[tuple[str, str]]:
    """Each of some stems with those of the others that deny it. What a prefix denies is worked out only where one of
    the others, after what may be a prefix, ends or goes on with the letter the word begins with."""
    after = {other[size : size + 1] for other in others if other.startswith(PREFIXES) for size in _PREFIX_SIZES}
    likely = [word for word in some if word in _OPPOSITES or (after and (word[0] in after or "" in after))]
    return [(word, other) for word in likely for other in denials(word) & others]


def in_closed_set(word: str) -> bool:
    """Whether a stem is a weekday, a month, a colour or the like."""
    return word in _MEMBERS

"""Made-up conversations: one asks, the other answers without naming what was asked about, as people do. What is said
once is looked up later in other words. Written for this; two halves, of which one is kept back."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PEOPLE = (
    "Ada Brandt Chiara Dimitri Elena Farouk Greta Hideo Imani Jonas Keiko Leander "
    "Maren Nadia Oskar Priya Quentin Rosa Sven Tamara Uwe Violet Wanda Yusuf"
).split()


@dataclass(frozen=True, slots=True)
class Matter:
    """What is asked in a conversation, what may be answered, and how it is looked up later."""

    asked: str
    answers: Sequence[str]
    looked_up: str


@dataclass(frozen=True, slots=True)
class LookUp:
    """A question about one conversation, and the number of the turn that answers it."""

    text: str
    conversation: str
    turn: int


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: who spoke and what, in order."""

    name: str
    turns: Sequence[tuple[str, str]]


DEVELOPMENT = (
    Matter(
        "Do you know where {who} leaves the car these days?",
        ("Behind the bakery.", "On the third deck, as ever.", "In the yard, next to the bins.", "At her sister's."),
        "parking spot of {who}",
    ),
    Matter(
        "What did {who} say about the draft?",
        (
            "Too long, and the second chapter should go.",
            "Fine as it is.",
            "The figures are missing.",
            "Not a word yet.",
        ),
        "{who}'s opinion on the manuscript",
    ),
    Matter(
        "Has {who} told you when the holiday starts?",
        ("On the ninth.", "The Monday after next.", "Only in October.", "Tomorrow already."),
        "first day of {who}'s vacation",
    ),
    Matter(
        "Which doctor is {who} seeing now?",
        ("The one by the station.", "Somebody new in Lindenstrasse.", "The same as before.", "None at the moment."),
        "who treats {who}?",
    ),
    Matter(
        "How does {who} take coffee?",
        ("Black, no sugar.", "With oat milk.", "Two sugars and cream.", "Not at all, only tea."),
        "what to order for {who} at the cafe",
    ),
    Matter(
        "Who is looking after the dog while {who} is away?",
        ("The neighbours from upstairs.", "A kennel near the lake.", "Her mother, I think.", "We are, apparently."),
        "pet care during {who}'s absence",
    ),
    Matter(
        "What is {who} allergic to again?",
        ("Peanuts, badly.", "Shellfish.", "Cats, and a little bit of pollen.", "Penicillin."),
        "food or medicine {who} must avoid",
    ),
    Matter(
        "How much did we agree to pay {who}?",
        ("Forty an hour.", "A flat six hundred.", "Nothing until it is finished.", "The usual rate plus travel."),
        "fee promised to {who}",
    ),
    Matter(
        "Which size of shoes should I get for {who}?",
        ("Thirty-eight, but wide.", "Forty-four.", "Forty-one and a half.", "Take the largest they have."),
        "{who}'s feet measure what",
    ),
    Matter(
        "Why did {who} leave the meeting so early?",
        ("The school had called.", "A train to catch.", "It was the wrong meeting.", "Some trouble with the landlord."),
        "reason {who} went before the end",
    ),
)
KEPT_BACK = (
    Matter(
        "Where did {who} put the spare keys?",
        ("Under the blue flower pot.", "In the second drawer.", "With the caretaker.", "On the hook in the cellar."),
        "second set of keys from {who}",
    ),
    Matter(
        "What is {who} working on this quarter?",
        ("The new invoices.", "Moving everything to the other data centre.", "Mostly hiring.", "Support, until June."),
        "current job of {who}",
    ),
    Matter(
        "Which hotel has {who} booked?",
        ("The small one on the harbour.", "Something near the airport.", "The Continental.", "A flat, no hotel."),
        "accommodation of {who} on the trip",
    ),
    Matter(
        "When is {who}'s birthday?",
        ("The last day of February.", "Midsummer, easy to remember.", "In the second week of May.", "Next Thursday."),
        "day on which {who} was born",
    ),
    Matter(
        "What does {who} want for lunch?",
        ("The lentil soup.", "Whatever is without meat.", "Just an apple.", "Two of those rolls with cheese."),
        "meal for {who} at noon",
    ),
    Matter(
        "How did {who} get home last night?",
        ("By taxi, shared with two others.", "On foot, all the way.", "The last tram.", "Not at all, it was the sofa."),
        "{who}'s way back after the party",
    ),
    Matter(
        "Who taught {who} to sail?",
        ("An uncle on the coast.", "A course in Kiel.", "Nobody, by the look of it.", "The former neighbour."),
        "sailing lessons of {who}",
    ),
    Matter(
        "What went wrong with {who}'s laptop?",
        ("The battery was swollen.", "Coffee, again.", "The disk had given up.", "Only the charger."),
        "defect of the computer that {who} has",
    ),
    Matter(
        "Which song does {who} want at the wedding?",
        ("The slow one from the film.", "Anything by Nina Simone.", "A waltz first.", "No music, if possible."),
        "music {who} wishes for the ceremony",
    ),
    Matter(
        "How is {who} getting on with the exam?",
        ("Two parts are passed, one is left.", "It was put off to autumn.", "Failed, but only just.", "Top marks."),
        "test results of {who}",
    ),
)
SMALL_TALK = (
    ("Did it rain at your place too?", "All night, the street was a river."),
    ("Sorry, I was on the other line.", "No problem, I have just made tea."),
    ("Can you hear me now?", "Much better, thank you."),
    ("I still have not slept properly.", "Then let us be quick today."),
    ("By the way, the lift is broken again.", "I noticed, six floors with the shopping."),
    ("Shall we go on tomorrow?", "Yes, same time."),
)
TOGETHER = 5
SEED = 2026


def make_talks(matters: Sequence[Matter]) -> tuple[list[Talk], list[LookUp]]:
    """Every matter about every person, once; five of them in a conversation, with small talk between; the same each
    time."""
    dice = random.Random(SEED)
    wanted = [(matter, who) for matter in matters for who in PEOPLE]
    dice.shuffle(wanted)
    talks: list[Talk] = []
    asked: list[LookUp] = []
    for number, start in enumerate(range(0, len(wanted), TOGETHER), start=1):
        name = f"call-{number}"
        turns: list[tuple[str, str]] = []
        for matter, who in wanted[start : start + TOGETHER]:
            turns += _spoken(*dice.choice(SMALL_TALK)) if dice.random() < 0.5 else ()
            turns += _spoken(matter.asked.format(who=who), dice.choice(matter.answers))
            asked.append(LookUp(matter.looked_up.format(who=who), name, len(turns)))
        talks.append(Talk(name, turns))
    return talks, asked


def _spoken(one: str, other: str) -> Iterator[tuple[str, str]]:
    yield "human", one
    yield "assistant", other

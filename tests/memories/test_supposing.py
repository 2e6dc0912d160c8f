"""Supposing: what is only supposed, asked about or made a condition is no evidence against what is stated."""

import pytest

from memotheca.memory.claims.supposed import supposed_in
from tests.conftest import Time
from tests.memories.librarian import Librarian
from tests.memories.test_judgement import asserted, remember_both


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pool opens at 8.", "If the pool opened at 9, we could sleep longer."),
        ("The rent is 700 euros.", "If the rent were 800 euros we would have to move."),
        ("The gate is closed at night.", "If the gate is not closed at night the sheep get out."),
        ("The boat leaves at 7.", "Imagine the boat leaves at 6."),
        ("The clinic closes at 17:00.", "What if the clinic closes at 18:00."),
        ("The boat has 6 life jackets.", "Nobody knows whether the boat has 8 life jackets."),
        ("The mooring fee is 120 pounds.", "Were the mooring fee 150 pounds, half the members would leave."),
        ("Lessons start at 8:15.", "Unless lessons start at 8:30 the bus is too late."),
        ("Der Laden schließt um 18 Uhr.", "Eva fragte, ob der Laden um 19 Uhr schließt."),
        ("Die Miete beträgt 700 Euro.", "Wäre die Miete 800 Euro, müssten wir ausziehen."),
        ("Le magasin ferme à 18:00.", "Si le magasin ferme à 19:00, on ira après le travail."),
        ("La piscina abre a las 8.", "Si la piscina abriera a las 9, iríamos antes del trabajo."),
        ("A escola abre às 8:00.", "Se a escola abrir às 9:00, chegamos a tempo."),
        ("De winkel sluit om 18:00.", "Als de winkel om 19:00 sluit, halen we het brood later."),
        ("Butiken stänger 18:00.", "Om butiken stänger 19:00 hinner vi handla."),
        # In the other order, too: what was supposed is not replaced.
        ("Suppose the tractor uses 15 litres an hour.", "The tractor uses 12 litres an hour."),
    ],
)
def test_what_is_only_supposed_is_not_asserted(librarian: Librarian, time: Time, one: str, other: str) -> None:
    _, answer = remember_both(librarian, time, one, other)
    assert asserted(answer) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gate opens at 9 if the warden is there.", "The gate opens at 10 if the warden is there."),
        (
            "If the temperature exceeds 30 degrees, school ends at 12:00.",
            "If the temperature exceeds 30 degrees, school ends at 13:00.",
        ),
        (
            "The alarm fires if the queue holds more than 500 jobs.",
            "The alarm fires if the queue holds more than 800 jobs.",
        ),
        (
            "Wenn es regnet, beginnt das Training um 18 Uhr in der Halle.",
            "Wenn es regnet, beginnt das Training um 19 Uhr in der Halle.",
        ),
        ("Visitors park in row 3 unless it is full.", "Visitors now park in row 5 unless it is full."),
    ],
)
def test_what_both_say_under_the_same_condition_is_compared(
    librarian: Librarian, time: Time, one: str, other: str
) -> None:
    first, answer = remember_both(librarian, time, one, other)
    assert [each["id"] for each in answer["updates"] + answer["conflicts"]] == [first]


@pytest.mark.parametrize(
    "sentence",
    [
        "Si apre alle 9.",
        "Se abre a las 9.",
        "Om 10:00 begint de les.",
        "The temperature falls to 3 degrees.",
        "Assume UTC in all logs.",
    ],
)
def test_a_word_that_makes_a_condition_in_another_language_supposes_nothing(sentence: str) -> None:
    assert supposed_in(sentence) is None

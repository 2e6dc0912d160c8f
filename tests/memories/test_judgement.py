"""Judgement: what a new memory updates, contradicts or repeats, what is near it, and what a caller decides of it."""

from itertools import permutations
from typing import Any

import pytest

from memotheca.memory.claims.alignment import TermWeights, Weighing, align, closeness_of
from memotheca.memory.claims.evidence import Pair
from memotheca.memory.claims.told import tell
from memotheca.memory.claims.verdict import PairVerdict, VerdictKind, follow
from memotheca.model.clock import DAY, SECOND
from memotheca.model.knowledge import Entry
from tests.conftest import Time
from tests.memories.librarian import WHY, Librarian


def remember_both(librarian: Librarian, time: Time, one: str, other: str) -> tuple[str, dict[str, Any]]:
    """The id of the first, and the answer to the second, a few days later."""
    first = librarian.remember(one)
    time.advance(3 * DAY // SECOND)
    return first, librarian.call("store_memory", content=other, rationale=WHY)


def end_of(librarian: Librarian, id: str) -> int | None:
    with librarian.kernel.read() as snapshot:
        entry = snapshot.entry(id)
    assert entry is not None
    return entry.validity.end


def asserted(answer: dict[str, Any]) -> list[str]:
    return [each["id"] for kind in ("updates", "conflicts", "duplicates") for each in answer[kind]]


@pytest.mark.parametrize(
    ("one", "other", "slot"),
    [
        ("The scraper runs on Python 3.12.", "The scraper runs on Python 3.13.", ("3.12", "3.13")),
        ("Memcached listens on port 11211.", "Memcached listens on port 11212.", ("11211", "11212")),
        ("The archive is in eu-north-1.", "The archive is in ap-south-2.", ("eu-north-1", "ap-south-2")),
        ("Our gateway speaks SOAP.", "Our gateway speaks GraphQL.", ("SOAP", "GraphQL")),
        ("Sessions expire after 60 minutes.", "Sessions expire after 30 minutes.", ("60 minutes", "30 minutes")),
        (
            "Der Schlüssel zum Dachboden hängt bei Frau Nowak.",
            "Der Schlüssel zum Dachboden hängt jetzt bei Frau Adomeit.",
            ("Nowak", "Adomeit"),
        ),
        ("Die Werkstatt öffnet um 8 Uhr.", "Die Werkstatt öffnet ab jetzt erst um 9 Uhr.", ("8 Uhr", "9 Uhr")),
        ("Spotkanie zespołu jest o 10:00.", "Spotkanie zespołu jest teraz o 9:30.", ("10:00", "9:30")),
        ("Møtet er på tirsdag.", "Møtet er flyttet til onsdag.", ("tirsdag", "onsdag")),
        ("Das Kontingent liegt bei 840 Stück.", "Das Kontingent wurde auf 960 erhöht.", ("840", "960")),
        ("Die Auflage beträgt 700 Hefte.", "Die Auflage wurde auf 650 Hefte gesenkt.", ("700", "650")),
        ("Het magazijn sluit om 17:00.", "Het magazijn sluit nu om 18:00.", ("17:00", "18:00")),
        ("Det hus er 4 meter bredt.", "Det hus er nu 5 meter bredt.", ("4 meter", "5 meter")),
        ("Il treno per Asti parte dal binario 4.", "Il treno per Asti parte dal binario 9.", ("4", "9")),
        ("De kapper is dicht op maandag.", "De kapper is nu dicht op dinsdag.", ("maandag", "dinsdag")),
        (
            "Customer number at the waterworks: 88120",
            "Customer number at the waterworks: 88471 (as we moved)",
            ("88120", "88471"),
        ),
        (
            "El panadero del barrio es Horno Salas.",
            "Desde octubre el panadero del barrio es Pan Aliste.",
            ("Horno Salas", "Pan Aliste"),
        ),
        ("Our database is MariaDB 10.", "MariaDB 11 is our database now.", ("10", "11")),
        ("La réunion de l'équipe est à 10h.", "La réunion de l'équipe passe à 11h30.", ("10h", "11h30")),
        ("Le marché ouvre à 7h.", "Le marché ouvre désormais à 8h30.", ("7h", "8h30")),
        ("A aula de desenho começa às 14h.", "A aula de desenho começa às 15h.", ("14h", "15h")),
        ("Le trajet dure 2h.", "Le trajet dure 1h45.", ("2h", "1h45")),
        ("Le vétérinaire vient mardi.", "Le vétérinaire vient jeudi.", ("mardi", "jeudi")),
        ("The outage lasted 70 minutes.", "The outage lasted 65 minutes.", ("70 minutes", "65 minutes")),
    ],
)
def test_another_value_of_the_same_is_told_as_it_is_written(
    librarian: Librarian, time: Time, one: str, other: str, slot: tuple[str, str]
) -> None:
    first, answer = remember_both(librarian, time, one, other)
    (found,) = answer["updates"] + answer["conflicts"]
    assert (found["id"], found["other_sentence"], found["sentence"]) == (first, one, other)
    assert (found["slot"]["before"], found["slot"]["after"]) == slot
    assert all(value in found["explanation"] for value in slot)
    assert answer["duplicates"] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The harbour master is Nilsson.", "Okafor is the harbour master."),
        ("Priya is the tech lead.", "Tomás is the tech lead."),
        ("Alice owns the billing service.", "Bob owns the billing service."),
        ("Jutta Kern leitet die Abteilung Einkauf.", "Paul Wirth leitet die Abteilung Einkauf."),
        ("Chloé est responsable de la cantine.", "Hugo est responsable de la cantine."),
        ("The head nurse of ward 3 is Amara Diallo.", "The head nurse of ward 3 is Lena Voss."),
    ],
)
def test_another_holder_of_what_there_is_one_of_is_told(librarian: Librarian, time: Time, one: str, other: str) -> None:
    first, answer = remember_both(librarian, time, one, other)
    assert [each["id"] for each in answer["updates"] + answer["conflicts"]] == [first]


def test_what_is_no_longer_so_is_an_update_and_no_dispute(librarian: Librarian, time: Time) -> None:
    first, answer = remember_both(librarian, time, "Ida is vegetarian.", "Ida is not vegetarian any more.")
    assert [each["id"] for each in answer["updates"]] == [first]
    assert answer["conflicts"] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The indexer is small. It is written in Go.", "The mailer is small. It is written in Rust."),
        ("The cellar pump ran 5 minutes on 2 January.", "The cellar pump ran 20 minutes on 3 January."),
        ("In 2024 the orchard gave 310 crates.", "In 2025 the orchard gave 280 crates."),
        ("Rent paid in May: 700 €.", "Rent paid in June: 700 €."),
        ("Im Mai 2025 kamen 31 Gäste.", "Im Juni 2025 kamen 44 Gäste."),
        ("Nilsson is a rower.", "A rower is Okafor."),
        ("In spring the choir sang with Anna Berg.", "In spring the choir sang with Ole Lund."),
        ("Il coûte 12 euros.", "Il coûte 30 euros."),
        ("De kommer på fredag.", "De kommer på lördag."),
        ("De kiosk is klein. Het sluit om 17:00.", "De brug is smal. Het sluit om 18:00."),
        ("The library opens at 9.", "The library café now opens at 10."),
        ("Biblioteka w Krakowie jest otwarta do 20.", "Biblioteka w Lublinie jest otwarta do 18."),
        ("Die Miete für die Garage beträgt 70 Euro.", "Die Miete für den Keller beträgt 35 Euro."),
        ("La farmacia di via Roma chiude alle 20.", "La farmacia di via Dante chiude alle 19."),
        ("Server alpha has 16 GB of memory.", "Server beta has 32 GB of memory."),
        ("Pump A: 40 %", "Pump B: 55 %"),
        (
            "The firing in week 12 reached cone 6 and came out even.",
            "The firing in week 18 reached cone 6 and came out even.",
        ),
        ("In Woche 12 kamen 31 Gäste.", "In Woche 13 kamen 44 Gäste."),
        ("In sprint 14 we closed 31 tickets.", "In sprint 15 we closed 28 tickets."),
        ("LK-14 weighs 310 grams.", "LK-15 weighs 280 grams."),
        ("Yesterday it rained 12 mm.", "Yesterday it rained 3 mm."),
        ("Heute waren 12 Kinder da.", "Heute waren 15 Kinder da."),
        ("I slept 6 hours last night.", "I slept 8 hours last night."),
        ("Spent 40 euros on feed.", "Spent 55 euros on feed."),
        ("Ich habe 3 Runden geschwommen.", "Ich habe 5 Runden geschwommen."),
        ("The tank is filled before the milking.", "The tank is filled after the milking."),
        ("Der Hof ist vor dem Markt geöffnet.", "Der Hof ist nach dem Markt geöffnet."),
        # What many may have; what happened twice; what was so before; what is so elsewhere.
        ("Anna owns a dog.", "Bob owns a dog."),
        ("Anna is a nurse.", "Bob is a nurse."),
        ("Anna is on the team.", "Bob is on the team."),
        ("Kim met Sara in Bergen.", "Kim met Sara in Oslo."),
        ("We visited the dairy on 3 May.", "We visited the dairy on 10 June."),
        ("Lena hat Bob am Montag angerufen.", "Lena hat Bob am Freitag angerufen."),
        ("Marie a déjeuné avec Paul.", "Marie a déjeuné avec Luc."),
        ("The clinic is led by Dr Hahn.", "The clinic was led by Dr Weiss."),
        ("The shop closes at 18:00.", "The shop used to close at 17:00."),
        ("The herd counts 40 cows.", "Previously the herd counted 55 cows."),
        ("Dogs are allowed on deck 2.", "Dogs are not allowed on deck 3."),
        ("How many seats has the hall, 40?", "How many seats has the hall, 60?"),
        ("The goal for the year is 50 members.", "The goal for next year is 80 members."),
    ],
)
def test_others_of_a_kind_other_days_questions_and_aims_are_not_asserted(
    librarian: Librarian, time: Time, one: str, other: str
) -> None:
    _, answer = remember_both(librarian, time, one, other)
    assert asserted(answer) == []


def test_the_same_in_other_order_is_a_duplicate(librarian: Librarian, time: Time) -> None:
    one, other = (
        "The choir rehearsal starts at 19:30 in the parish hall.",
        "Rehearsal of the choir is in the parish hall and starts at 19:30.",
    )
    first, answer = remember_both(librarian, time, one, other)
    assert [(each["id"], each["sentence"], each["other_sentence"]) for each in answer["duplicates"]] == [
        (first, other, one)
    ]


def test_a_value_in_both_counts_as_a_word_of_what_is_the_same(librarian: Librarian, time: Time) -> None:
    first, answer = remember_both(
        librarian, time, "Der Hofladen ist sonntags geschlossen.", "Sonntags ist der Hofladen geschlossen."
    )
    assert [each["id"] for each in answer["duplicates"]] == [first]


def test_what_was_before_beside_what_is_now_hides_no_update(librarian: Librarian, time: Time) -> None:
    first, answer = remember_both(librarian, time, "The fee is 25 euros.", "The fee is 30 euros, previously 25.")
    assert [each["id"] for each in answer["updates"]] == [first]


def test_near_names_the_sentence_its_date_its_source_and_what_differs(librarian: Librarian) -> None:
    said = "We met Ruta at the fair. The ferry to Holm leaves at 07:40. It was windy."
    first = librarian.remember(said, source="colleague")
    answer = librarian.call("store_memory", content="The ferry to Holm leaves at 08:10 on Sundays.", rationale=WHY)
    near = answer["near"][0]
    assert (near["id"], near["sentence"], near["source"]) == (first, "The ferry to Holm leaves at 07:40.", "colleague")
    assert near["date"].startswith("20")
    assert {"kind": "time", "before": "07:40", "after": "08:10"} in near["differs"]


def test_what_is_superseded_ends_in_the_same_transaction_and_undo_brings_it_back(librarian: Librarian) -> None:
    first = librarian.remember("The ferry to Holm leaves at 07:40.")
    answer = librarian.call(
        "store_memory", content="The ferry to Holm leaves at 08:10.", rationale=WHY, supersedes=[first]
    )
    assert [(each["id"], each["stated"]) for each in answer["updates"]] == [(first, True)]
    assert end_of(librarian, first) is not None
    assert librarian.call("critique_context", check_types=["conflicts"])["findings"] == []
    librarian.call("undo", tx_id=answer["tx_id"])
    assert end_of(librarian, first) is None


def test_a_decision_can_be_made_later(librarian: Librarian) -> None:
    first = librarian.remember("The ferry to Holm leaves at 07:40.")
    second = librarian.remember("The boat over to the island is at ten past eight.")
    answer = librarian.call("annotate_node", node_id=second, supersedes=[first])
    assert answer["changed_fields"] == ["supersedes"]
    assert end_of(librarian, first) is not None
    again = librarian.call("annotate_node", node_id=second, supersedes=[first])
    assert again["changed_fields"] == []


def test_a_stated_contradiction_is_an_open_dispute_and_the_same_is_none(librarian: Librarian) -> None:
    first = librarian.remember("Ruta saw the seal at the pier.")
    answer = librarian.call(
        "store_memory", content="Nobody was at the pier that day.", rationale=WHY, contradicts=[first]
    )
    assert [each["id"] for each in answer["conflicts"]] == [first]
    (finding,) = librarian.call("critique_context", check_types=["conflicts"])["findings"]
    assert finding["node_ids"] == [first, answer["node_id"]]
    assert end_of(librarian, first) is None


def test_nothing_is_decided_twice_or_of_itself(librarian: Librarian) -> None:
    first = librarian.remember("The ferry to Holm leaves at 07:40.")
    given = {"content": "The ferry leaves at 08:10.", "rationale": WHY}
    error = librarian.error("store_memory", **given, supersedes=[first], same_as=[first])
    assert error["data"]["field"] == "same_as"
    error = librarian.error("annotate_node", node_id=first, supersedes=[first])
    assert error["data"]["field"] == "supersedes"


def test_an_unstated_domain_and_a_counted_thing_hinder_no_merge(librarian: Librarian) -> None:
    one = librarian.remember("The upload takes 3 tries.", name="cache flush 1", domain="Code")
    other = librarian.remember("The upload takes three tries.", name="cache flush 2")
    given = {"source_node_ids": [one, other], "target_name": "tries of the upload", "rationale": WHY}
    assert not librarian.reply("merge_concepts", **given).failed


def test_a_refused_merge_names_the_values(librarian: Librarian) -> None:
    one = librarian.remember("Keep the files for ten years.", domain="Legal")
    other = librarian.remember("Keep the files for a decade.", domain="Medical")
    given = {"source_node_ids": [one, other], "target_name": "files", "rationale": WHY}
    message = librarian.error("merge_concepts", **given)["message"]
    assert "domain Legal against Medical" in message


def test_how_close_two_texts_are_does_not_hang_on_the_order_of_their_words():
    shared = "abcde"
    weights = [dict(zip(shared, order, strict=True)) for order in permutations((0.1, 0.2, 0.3, 0.7, 0.9))]
    one, other = frozenset(shared) | {"x"}, frozenset(shared) | {"y"}
    found = {closeness_of(one, other, Weighing({**each, "x": 0.4, "y": 0.4})) for each in weights}
    assert len(found) == 1


@pytest.mark.parametrize("text", ["The supply boat comes on Thursdays.", "The flag is taken down at sunset."])
def test_what_is_said_again_word_for_word_is_a_repetition(librarian: Librarian, time: Time, text: str) -> None:
    first, answer = remember_both(librarian, time, text, text.lower())
    assert [each["id"] for each in answer["duplicates"]] == [first]
    assert (answer["updates"], answer["conflicts"]) == ([], [])


def test_what_replaces_the_latest_replaces_its_twin_and_what_that_replaced(librarian: Librarian, time: Time) -> None:
    said = (
        "The bakery delivers bread on Mondays at 07:15.",
        "The bakery delivers the bread on Mondays, at 07:15 as before.",
        "The bakery now delivers bread on Fridays at 09:40.",
    )
    for text in said[:-1]:
        librarian.remember(text)
        time.advance(3 * DAY // SECOND)
    answer = librarian.call("store_memory", content=said[-1], rationale=WHY)
    assert {each["other_sentence"] for each in answer["updates"]} == set(said[:-1])


def verdict_of(kind: VerdictKind, score: float) -> PairVerdict:
    return PairVerdict(kind, "factual", score, "", "", None, "")


def gate_entry(hour: str) -> Entry:
    return Entry(
        id=hour, kind="memory", title="", body=f"The gate opens at {hour} o'clock.", created_at=0, updated_at=0
    )


@pytest.mark.parametrize(
    ("over", "between", "is_older", "kind"),
    [
        ("update", "update", True, "update"),
        ("duplicate", "update", True, "update"),
        ("update", "duplicate", False, "update"),
        ("contradiction", "duplicate", True, "contradiction"),
        ("update", "update", False, None),
        ("contradiction", "update", True, None),
        ("duplicate", "duplicate", True, None),
        ("update", "contradiction", True, None),
    ],
)
def test_a_chain_of_updates_and_repetitions_is_followed(
    over: VerdictKind, between: VerdictKind, is_older: bool, kind: str | None
) -> None:
    newer, older = (tell(gate_entry(hour)) for hour in ("9", "7"))
    aligned = align(newer, older, Weighing(TermWeights()))
    assert aligned is not None
    pair = Pair(newer, older, aligned, None, Weighing(TermWeights()))
    found = follow(pair, verdict_of(over, 0.9), verdict_of(between, 0.8), is_older=is_older)
    assert (None if found is None else found.kind) == kind
    assert found is None or found.score == 0.8

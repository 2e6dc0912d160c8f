"""What texts say of their own times, in eight languages, and what they do not say."""

import pytest

from memotheca.memory.claims.said_times import read_times
from memotheca.memory.claims.when import FIELDS
from memotheca.model.clock import from_iso, to_iso

# A Wednesday.
NOW = from_iso("2026-10-14T09:30:00Z")


def read(text: str, now: int = NOW) -> dict[str, str]:
    times = read_times(text, now)
    found = {field: times.at(field) for field in FIELDS}
    return {
        field: to_iso(point.last if field == "valid_to" else point.first)[: 16 if point.precision == "minute" else 10]
        for field, point in found.items()
        if point is not None
    }


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The lift was repaired on 3 August.", "2026-08-03"),
        ("On 3 August the lift got stuck twice.", "2026-08-03"),
        ("Anke sold the van on Monday.", "2026-10-12"),
        ("Anke sold the van last Wednesday.", "2026-10-07"),
        ("The van broke down yesterday.", "2026-10-13"),
        ("Moved the hives 3 days ago.", "2026-10-11"),
        ("The shop opened on 2025-11-30 at last.", "2025-11-30"),
        ("Customs released the crate on August 5, 2026.", "2026-08-05"),
        ("The valve failed on 7 July 2026 at 02:05 and flooded the cellar.", "2026-07-07T02:05"),
        ("2026-10-01 04:10 pump off, level 3", "2026-10-01T04:10"),
        ("12 September: the roof leaks again.", "2026-09-12"),
        ("Der Kessel ist am 3. August ausgefallen.", "2026-08-03"),
        ("Am 14.08. wurde der Zähler getauscht.", "2026-08-14"),
        ("Gestern kam die Lieferung.", "2026-10-13"),
        ("Vor zwei Tagen hat Jule gekündigt.", "2026-10-12"),
        ("La chaudière a été réparée le 3 août.", "2026-08-03"),
        ("Nous avons reçu les clés avant-hier.", "2026-10-12"),
        ("La caldera se rompió el 3 de agosto.", "2026-08-03"),
        ("Ayer llegó el pedido.", "2026-10-13"),
        ("A caldeira foi trocada no dia 3 de agosto.", "2026-08-03"),
        ("Ontem o técnico não apareceu.", "2026-10-13"),
        ("La caldaia è stata cambiata il 3 agosto.", "2026-08-03"),
        ("De ketel werd op 3 augustus vervangen.", "2026-08-03"),
        ("Kedlen blev skiftet den 3. august.", "2026-08-03"),
        ("I går kom pakken.", "2026-10-13"),
    ],
)
def test_a_past_event_happened_on_its_day(text: str, day: str) -> None:
    assert read(text) == {"occurred_at": day}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Sales fell in September.", "2026-09-01"),
        ("The bakery closed in 2019.", "2019-01-01"),
        ("Sales fell last week.", "2026-10-05"),
        ("The union voted last month.", "2026-09-01"),
    ],
)
def test_a_month_a_week_or_a_year_is_no_day(text: str, day: str) -> None:
    point = read_times(text, NOW).occurred
    assert point is not None
    assert (to_iso(point.first)[:10], point.precision != "day", point.known) == (day, True, "read")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Since Tuesday the gate opens by itself.", "2026-10-13"),
        ("The canteen is vegetarian since September.", "2026-09-01"),
        ("From 1 November the ferry runs hourly.", "2026-11-01"),
        ("The ferry runs hourly from next week.", "2026-10-19"),
        ("Effective 1 January 2027 parking costs 4 euros.", "2027-01-01"),
        ("Rosa leads the choir from now on.", "2026-10-14"),
        ("Seit Montag ist das Tor offen.", "2026-10-12"),
        ("Ab 1. November fährt die Fähre stündlich.", "2026-11-01"),
        ("Ab morgen gilt der neue Tarif.", "2026-10-15"),
        ("Depuis septembre la cantine est végétarienne.", "2026-09-01"),
        ("À partir du 1er novembre le bac passe toutes les heures.", "2026-11-01"),
        ("Desde septiembre el comedor es vegetariano.", "2026-09-01"),
        ("A partir de 1 de novembro a balsa sai de hora em hora.", "2026-11-01"),
        ("Dal 1 novembre il traghetto parte ogni ora.", "2026-11-01"),
        ("Sinds september is de kantine vegetarisch.", "2026-09-01"),
        ("Vanaf 1 november vaart de pont elk uur.", "2026-11-01"),
        ("Fra den 1. november sejler færgen hver time.", "2026-11-01"),
    ],
)
def test_what_holds_since_or_from_a_day_begins_then(text: str, day: str) -> None:
    assert read(text) == {"valid_from": day}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Ilse is on leave until 30 November.", "2026-11-30"),
        ("The bridge is closed till Friday.", "2026-10-16"),
        ("The licence is valid until March 2027.", "2027-03-31"),
        ("Die Brücke ist bis Freitag gesperrt.", "2026-10-16"),
        ("Le pont est fermé jusqu'au 30 novembre.", "2026-11-30"),
        ("El puente está cerrado hasta el viernes.", "2026-10-16"),
        ("A ponte está fechada até 30 de novembro.", "2026-11-30"),
        ("Il ponte è chiuso fino al 30 novembre.", "2026-11-30"),
        ("De brug is tot vrijdag dicht.", "2026-10-16"),
        ("Broen er lukket indtil fredag.", "2026-10-16"),
    ],
)
def test_what_holds_until_a_day_ends_with_it(text: str, day: str) -> None:
    assert read(text) == {"valid_to": day}


@pytest.mark.parametrize(
    "text",
    [
        "Ilse is on leave from 2 to 13 November.",
        "Ilse ist vom 2. bis 13. November im Urlaub.",
        "Ilse ist vom 2. November bis zum 13. November im Urlaub. Uwe vertritt sie.",
        "Ilse est absente du 2 au 13 novembre.",
        "Ilse está de vacaciones del 2 al 13 de noviembre.",
    ],
)
def test_a_stretch_to_come_is_when_it_holds(text: str) -> None:
    assert read(text) == {"valid_from": "2026-11-02", "valid_to": "2026-11-13"}


@pytest.mark.parametrize(
    "text",
    [
        "The report is due by 30 November.",
        "We have until 30 November to object.",
        "The tender must be in until Friday.",
        "Please keep the shed locked until Friday.",
        "The office does not open until Monday.",
        "Paula runs the shop until December, then Otto.",
        "The dentist appointment is on 3 November.",
        "Her birthday is on 3 August.",
        "The concert is moved to 3 November.",
        "Is the bridge closed until Friday?",
        'The sign says "closed until Friday" in red.',
        "Since Monday is a holiday, the shop is closed.",
        "The pump stopped because the fuse blew on 3 August.",
        "It was the first frost since March.",
        "The letter from 3 August mentions a fee.",
        "The minutes of 3 August are in the folder.",
        "The shop is open from Monday to Friday.",
        "The gate is open from 8:00 until 16:30.",
        "Licences: Ada (until March 2027), Bo (until May 2027).",
        "The hut sleeps 30. It costs 12.11. per night",
        "You may 3 times retry.",
        "The contract was extended until 31 December.",
        "If it rains until Friday the match is off.",
        "Bis Freitag muss der Antrag da sein.",
        "Wir haben bis Freitag Zeit.",
        "Version 3.12 since build 2019a.",
        "yesterday's bread is cheaper",
        "The plan is to move in March.",
    ],
)
def test_what_is_a_plan_a_deadline_a_quotation_or_no_date_says_nothing(text: str) -> None:
    assert read(text) == {}


def test_a_text_with_several_days_has_no_end_of_its_own() -> None:
    assert read("Ilse is on leave until 30 November. Uwe is back on 3 December.") == {}


def test_the_words_are_kept_in_which_a_time_was_read() -> None:
    point = read_times("Since last Tuesday, oddly enough, the gate opens by itself.", NOW).since
    assert point is not None
    assert (point.words, point.known) == ("Since last Tuesday", "read")


def test_code_and_the_far_end_of_a_long_text_say_nothing() -> None:
    assert read("```\nbackup was made on 3 August\n```") == {}
    assert read("word " * 1000 + ". The van broke down yesterday.") == {}

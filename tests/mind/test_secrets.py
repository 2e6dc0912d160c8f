"""Secrets never reach the memory; ordinary sentences about them do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.text.secrets import scrub

KEY = "sk-" + "live" + "4f9a8b7c6d5e4f3a2b1c0d9e"


@pytest.mark.parametrize(
    ("text", "secret", "type"),
    [
        (f"Use {KEY} for billing.", KEY, "api_key"),
        ("password: hunter2!x", "hunter2!x", "password"),
        ("The password is Tr0ub4dor&3.", "Tr0ub4dor&3", "password"),
        ("Authorization: Bearer abcdefghij0123456789xyz", "abcdefghij0123456789xyz", "bearer_token"),
        ("His SSN is 123-45-6789.", "123-45-6789", "ssn"),
        ("Card 4111 1111 1111 1111 was charged.", "4111 1111 1111 1111", "card_number"),
        ("postgres://ada:s3cr3t-word@db.local/x", "s3cr3t-word", "password"),
        ("api_key=9f8e7d6c5b4a", "9f8e7d6c5b4a", "api_key"),
    ],
)
def test_a_secret_is_replaced_by_what_it_was(text: str, secret: str, type: str) -> None:
    clean, redactions = scrub(text)
    assert secret not in clean
    assert f"[REDACTED:{type}]" in clean
    assert [redaction.type for redaction in redactions] == [type]


@pytest.mark.parametrize(
    "text",
    [
        "The password is required and must not be empty.",
        "Reset your password in the settings.",
        "The token expired after an hour.",
        "Order 4111 1111 1111 1112 does not exist.",
        "Call me at 555-0199 tomorrow.",
        "The secret: practice every day.",
        "Commit 9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c3b2a1f0e fixes it.",
    ],
)
def test_ordinary_sentences_stay_as_they_are(text: str) -> None:
    assert scrub(text) == (text, [])


@given(st.text(max_size=300))
def test_scrubbing_twice_is_scrubbing_once(text: str) -> None:
    clean, _ = scrub(text)
    assert scrub(clean)[0] == clean

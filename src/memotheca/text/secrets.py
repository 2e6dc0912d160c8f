"""Secrets and personal numbers: found before anything is embedded, and replaced by what they were (memory-model:
Secrets)."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private_key",
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    ),
    ("bearer_token", re.compile(r"(?<=\bbearer )[A-Za-z0-9._~+/-]{16,}=*", re.IGNORECASE)),
    (
        # Only the first place in a run of letters is tried: where that is none, no later one is.
        "token",
        re.compile(
            r"(?<![A-Za-z0-9_-])(?:(?!\beyJ)[A-Za-z0-9_-])*+"
            r"(?P<secret>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?)"
        ),
    ),
    (
        "api_key",
        re.compile(
            r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_A-Za-z0-9]{16,}|\bgh[pousr]_[A-Za-z0-9]{30,}"
            r"|\bgithub_pat_\w{30,}|\bglpat-[\w-]{18,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}"
            r"|\bxox[abprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{30,}|\bnpm_[A-Za-z0-9]{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
        ),
    ),
    ("password", re.compile(r"(?<=://)[^\s/:@]*:(?P<secret>[^\s/@]{3,})(?=@)")),
    ("ssn", re.compile(r"\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b")),
)
_LABELLED = re.compile(
    r"\b(?P<label>passw(?:or)?d|passphrase|pwd|secret(?:[ _-]?key)?|api[ _-]?key|access[ _-]?(?:key|token)|"
    r"auth[ _-]?token|client[ _-]?secret|private[ _-]?token|token|credentials?)\b"
    r"(?P<joint>[\"']?\s*(?:[:=]|=>|\bis\b:?)\s*[\"'`]?)(?P<secret>[^\s\"'`,;]{4,})",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-])")
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]+")
_HARMLESS = frozenset(
    "required optional missing wrong invalid incorrect expired empty null none true false undefined string text the a "
    "an not stored kept hidden rotated changed reset hashed encrypted secure weak strong in on at your set valid "
    "based protected generated".split()
)


@dataclass(frozen=True, slots=True)
class Redaction:
    """What kind of thing was taken out, and how often."""

    type: str
    count: int


def scrub(text: str) -> tuple[str, list[Redaction]]:
    """The text with every secret replaced by `[REDACTED:type]`, and what was replaced (memory-model: Secrets)."""
    found: Counter[str] = Counter()
    for kind, pattern in _PATTERNS:
        text = pattern.sub(lambda match, kind=kind: _replace(match, kind, found), text)
    text = _LABELLED.sub(lambda match: _replace_labelled(match, found), text)
    text = _CARD.sub(lambda match: _replace_card(match, found), text)
    return text, [Redaction(type, count) for type, count in sorted(found.items())]


def scrub_all(value: Any) -> tuple[Any, list[Redaction]]:
    """As `scrub`, for every text in a value, however deep; the key of a value is its label."""
    found: Counter[str] = Counter()
    cleaned = _cleaned(value, "", found)
    return cleaned, [Redaction(type, count) for type, count in sorted(found.items())]


def _cleaned(value: Any, label: str, found: Counter[str]) -> Any:
    if isinstance(value, str):
        before = f"{label}: " if label else ""
        spoken, redactions = scrub(before + value)
        found.update({redaction.type: redaction.count for redaction in redactions})
        return spoken.removeprefix(before)
    if isinstance(value, Mapping):
        members = cast(Mapping[Any, Any], value).items()
        return {key: _cleaned(member, str(key), found) for key, member in members}
    if isinstance(value, list | tuple):
        return [_cleaned(member, label, found) for member in cast(Sequence[Any], value)]
    return value


def _replace(match: re.Match[str], type: str, found: Counter[str]) -> str:
    found[type] += 1
    if "secret" not in match.re.groupindex:
        return f"[REDACTED:{type}]"
    start = match.start("secret") - match.start()
    return f"{match.group()[:start]}[REDACTED:{type}]{match.group()[start + len(match['secret']) :]}"


def _replace_labelled(match: re.Match[str], found: Counter[str]) -> str:
    secret = match["secret"].rstrip(".!?)")
    is_password = match["label"].lower().startswith(("pass", "pwd"))
    is_spoken = "is" in match["joint"].lower()
    if secret.startswith("[REDACTED") or not _looks_secret(secret, may_be_a_word=is_password and not is_spoken):
        return match.group()
    type = "password" if is_password else "api_key"
    found[type] += 1
    return f"{match['label']}{match['joint']}[REDACTED:{type}]{match['secret'][len(secret) :]}"


def _looks_secret(secret: str, *, may_be_a_word: bool) -> bool:
    """After `password:` anything but a common word; elsewhere only what no sentence would go on with."""
    if secret.lower() in _HARMLESS or re.fullmatch(r"[<{$(\[].*|\*+|x+|\.+|…", secret, re.IGNORECASE):
        return False
    mixed = bool(re.search(r"\d", secret)) + bool(re.search(r"[A-Za-z]", secret)) + bool(re.search(r"[^\w]", secret))
    if may_be_a_word:
        return mixed >= 2 or len(secret) >= 6
    return mixed >= 2 or (len(secret) >= 12 and _entropy(secret) > 3.2 and len(_WORD.findall(secret)) > 3)


def _entropy(text: str) -> float:
    counted = Counter(text)
    return -sum(times / len(text) * math.log2(times / len(text)) for times in counted.values())


def _replace_card(match: re.Match[str], found: Counter[str]) -> str:
    digits = [int(letter) for letter in match.group() if letter.isdigit()]
    if len(set(digits)) < 2 or digits[0] not in (2, 3, 4, 5, 6) or not _passes_luhn(digits):
        return match.group()
    found["card_number"] += 1
    return "[REDACTED:card_number]"


def _passes_luhn(digits: list[int]) -> bool:
    doubled = [
        digit if place % 2 == 0 else (digit * 2 - 9 if digit > 4 else digit * 2)
        for place, digit in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0

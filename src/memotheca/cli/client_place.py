"""Where a program that a client starts finds the data: the words that say so, which stand in the client's file."""

import re

from memotheca.model.errors import Failure, Refusal
from memotheca.settings import FILE, Settings, load

# In an address as it is spelled, or among its options.
_PASSWORD = re.compile(r"://[^/@:]*+:[^/@]*+@|password\s*+=")


def place_words(settings: Settings) -> list[str]:
    """The directory, and the database where its memotheca.toml does not name it; an address with a password is not
    said."""
    data = str(settings.data.absolute())
    words = ["--data", data]
    if _is_given(settings) and not has_secret_place(settings):
        words += ["--database", settings.text("database")]
    return words


def has_secret_place(settings: Settings) -> bool:
    return _is_given(settings) and _PASSWORD.search(settings.text("database")) is not None


def refuse_secret_place(settings: Settings) -> None:
    """The files of clients are read by more programs than ours, and so are the arguments of what they start."""
    if has_secret_place(settings):
        raise Refusal(
            Failure.INVALID,
            "The address of the database has a password, which would stand in the client's file. Write the address "
            f'into {FILE} in the data directory (database = "postgresql://…"), or the password into ~/.pgpass.',
            field="database",
        )


def _is_given(settings: Settings) -> bool:
    """What stands in memotheca.toml a program reads there itself."""
    return settings.text("database") != load({"data": str(settings.data.absolute())}, {}).text("database")

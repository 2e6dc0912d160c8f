"""Command lines as a person can paste them: quoted for the shell there is, with the program as it was started."""

import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_BARE = re.compile(r"[\w@+=:,./\\-]+", re.ASCII)


# Folders of environments that a runner makes for one run and throws away, and what starts such a run again.
_PASSING = {"archive-v0": ("uvx",), "environments-v2": ("uvx",), "builds-v0": ("uvx",), ".cache": ("pipx", "run")}


def this_program() -> list[str]:
    """How to start this very Memotheca from anywhere, also where another program of its name is on the PATH."""
    runner = _runner()
    if runner:
        found = shutil.which(runner[0])
        return [found or runner[0], *runner[1:], "memotheca"]
    started = Path(sys.argv[0])
    if started.stem == "memotheca":
        found = shutil.which(str(started))
        if found:
            return [str(Path(found).absolute())]
    beside = Path(sys.executable).with_name("memotheca.exe" if sys.platform == "win32" else "memotheca")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "memotheca"]


def typed_program() -> list[str]:
    """The same, as short as a person may type it here."""
    words = this_program()
    runner = _runner()
    if runner:
        return [*runner, "memotheca"]
    found = shutil.which("memotheca")
    return ["memotheca"] if found and Path(found).absolute() == Path(words[0]) else words


def _runner() -> tuple[str, ...]:
    """`uvx` or `pipx run` where it was started by one of them: the place it runs from will not stay."""
    parts = Path(sys.prefix).parts
    for name, words in _PASSING.items():
        if name in parts and words[0].removesuffix("x") in "/".join(parts):
            return words
    return ()


def spell_command(words: Sequence[str], platform: str = sys.platform) -> list[str]:
    """The command on a line; on Windows on two where its two shells want it quoted otherwise."""
    if platform != "win32":
        return [shlex.join(words)]
    prompt, power = " ".join(map(_for_prompt, words)), " ".join(map(_for_powershell, words))
    return [prompt] if prompt == power else [f"{prompt}    (cmd)", f"{power}    (PowerShell)"]


def _for_prompt(word: str) -> str:
    if _BARE.fullmatch(word):
        return word
    # Backslashes before a quotation mark count twice, so those at the end are doubled.
    return '"' + '\\"'.join(part + _ending(part) for part in word.split('"')) + '"'


def _ending(part: str) -> str:
    return part[len(part.rstrip("\\")) :]


def _for_powershell(word: str) -> str:
    if _BARE.fullmatch(word) and not word.startswith("@") and "," not in word:
        return word
    if re.fullmatch(r"[\w@+=:,./\\ -]*[\w@+=:,./ -]", word, re.ASCII):
        return f'"{word}"'
    return "'" + word.replace("'", "''") + "'"

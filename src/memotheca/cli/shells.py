"""Command lines as a person can paste them: quoted for the shell there is, with the program as it was started."""

import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_BARE = re.compile(r"[\w@+=:,./\\-]+", re.ASCII)


def this_program() -> list[str]:
    """How to start this very Memotheca from anywhere, also where another program of its name is on the PATH."""
    started = Path(sys.argv[0])
    if started.stem == "memotheca":
        found = shutil.which(str(started))
        if found:
            return [str(Path(found).absolute())]
    beside = Path(sys.executable).with_name("memotheca.exe" if sys.platform == "win32" else "memotheca")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "memotheca.cli.main"]


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

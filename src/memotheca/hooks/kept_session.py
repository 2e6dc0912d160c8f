"""Kept session: a session's transcript as its client writes it, kept as a conversation, once however often."""

import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from memotheca.admin.imports.agent_transcripts import CLAUDE_CODE, CODEX, read_claude_code, read_codex
from memotheca.admin.imports.foreign_content import ForeignContent
from memotheca.admin.imports.gemini_transcripts import GEMINI, read_gemini
from memotheca.conversations.keep import KeptConversation, keep_conversation
from memotheca.hooks.hook_event import project_of
from memotheca.hooks.waiting_sessions import WaitingSession
from memotheca.kernel.kernel import Kernel

ACTOR = "hook"
LONGEST_LINE = 64_000_000  # chosen: bytes; what a tool answered may be long, and is not kept
LONGEST_FILE = 4_000_000_000  # chosen: bytes; what is longer is no transcript
_READERS: dict[str, Callable[..., ForeignContent]] = {
    CLAUDE_CODE: read_claude_code,
    CODEX: read_codex,
    GEMINI: read_gemini,
}


class LostTranscript(Exception):
    """A transcript that is nothing that can be read as one; waiting makes it no better."""


class MissingTranscript(Exception):
    """A transcript that is not there, as that of a session in which nothing was said; or not yet."""


def keep_session(kernel: Kernel, waiting: WaitingSession) -> list[KeptConversation]:
    """Keep what is new in a session's transcript, without secrets. A session that was deleted or undone stays so."""
    reader = _READERS.get(waiting.client)
    if reader is None:
        raise LostTranscript(f"nothing is known of transcripts of {waiting.client!r}")
    gathered = reader(_lines(Path(waiting.transcript)), is_strict=False)
    project = project_of(waiting.folder)
    return [
        keep_conversation(kernel, replace(each, project=project or each.project), actor=ACTOR)
        for each in gathered.conversations
    ]


def _lines(path: Path) -> Iterator[str]:
    """The lines of a plain file, which its client may be writing to; one that is endless is passed over."""
    try:
        held = path.stat()
    except OSError as error:
        raise MissingTranscript from error
    if not stat.S_ISREG(held.st_mode) or held.st_size > LONGEST_FILE:
        raise LostTranscript("the transcript is no file of lines")
    with path.open("rb") as file:
        yield from _bounded(iter(lambda: file.readline(LONGEST_LINE), b""))


def _bounded(pieces: Iterable[bytes]) -> Iterator[str]:
    is_rest = False
    for piece in pieces:
        is_whole = piece.endswith(b"\n") or len(piece) < LONGEST_LINE
        if is_whole and not is_rest:
            yield piece.decode("utf-8", "replace")
        is_rest = not is_whole

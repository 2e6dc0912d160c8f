"""Briefing: what a session should know as it begins: what is known of its project, how the last session ended, what is
pinned, disputed and new."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.conversations.turns import KeptTurn, cite, turns_of
from memotheca.hooks.hook_event import HookEvent, project_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.recall.context import Occasion, compose
from memotheca.memory.recall.session_brief import brief
from memotheca.memory.recall.unsaid import UNMENTIONED
from memotheca.model.clock import to_iso
from memotheca.model.kinds import CONVERSATION, ENTRY, MEMORY
from memotheca.model.knowledge import Entry
from memotheca.storage.lookups import ids_made_last
from memotheca.text.tokens import count_tokens

SHARE = 1 / 3  # chosen: of the budget for what is known of the project; as much for how the last session ended
LEAST = 60  # chosen: tokens; fewer hold nothing that helps
RECENT = 50  # chosen: conversations that are looked at for the last one of a project
LETTERS = 3  # chosen: of a token, rather few, so that what is cut fits


def brief_session(kernel: Kernel, event: HookEvent, tokens: int) -> str:
    """The parts that fit, each cited; empty where nothing is known."""
    if tokens < LEAST:
        return ""
    project = project_of(event.folder)
    about, known = _about(kernel, project, round(SHARE * tokens))
    parts = [about, _last_session(kernel, project, event.session, round(SHARE * tokens))]
    left = tokens - sum(count_tokens(part) for part in parts)
    lines, _ = brief(kernel, project, left, but=known, changed=(MEMORY, ENTRY))
    return "\n".join(part for part in (*parts, *lines) if part)


def _about(kernel: Kernel, project: str, tokens: int) -> tuple[str, set[str]]:
    """What mentions the project, and the ids of that; what merely comes near its name is not told."""
    if not any(map(str.isalnum, project)):
        return "", set()
    heading = f"About {project}:"
    made = compose(kernel, Occasion(query=project, tokens=max(tokens - count_tokens(heading), LEAST // 2)))
    if not made.text or made.text.startswith(UNMENTIONED):
        return "", set()
    return f"{heading}\n{made.text}", {hit.version.id for hit in made.hits}


@dataclass(frozen=True, slots=True)
class _PastSession:
    entry: Entry
    turns: Sequence[KeptTurn]


def _last_session(kernel: Kernel, project: str, session: str, tokens: int) -> str:
    """What was asked last in the project's last session, and what was said to it; of the one that goes on, nothing."""
    last = _find_last(kernel, project, session)
    if last is None:
        return ""
    ended = last.turns[-1]
    asked = next((turn for turn in reversed(last.turns) if turn.speaker == "user"), None)
    shown = [turn for turn in (asked, ended) if turn is not None]
    shown = shown[:1] if shown[0] is ended else shown
    at = next((turn.at for turn in reversed(last.turns) if turn.at is not None), last.entry.updated_at)
    heading = f"The last session here ended on {to_iso(at)[:10]} ({last.entry.attributes.get('client', '')}):"
    room = (tokens - count_tokens(heading)) // len(shown)
    return "\n".join([heading, *(_quoted(last.entry, turn, room) for turn in shown)])


def _find_last(kernel: Kernel, project: str, session: str) -> _PastSession | None:
    with kernel.read() as snapshot:
        living = snapshot.living(ids_made_last(snapshot, CONVERSATION, limit=RECENT))
    of_project = [
        entry
        for entry in living.values()
        if entry.attributes.get("project", "") == project and entry.attributes.get("session") != session
    ]
    entry = max(of_project, key=lambda each: each.updated_at, default=None)
    turns = [] if entry is None else turns_of(entry)
    return _PastSession(entry, turns) if entry is not None and turns else None


def _quoted(entry: Entry, turn: KeptTurn, tokens: int) -> str:
    """A turn's words on a line, cut to so many tokens, with where they stand."""
    cited = f"[{cite(entry, turn.number)}]"
    room = max(tokens - count_tokens(f"{turn.speaker}:  {cited}"), LEAST // 4) * LETTERS
    said = " ".join(turn.text[: room * 2].split())
    if len(said) > room:
        said = f"{said[: room - 1].rstrip()}…"
    while count_tokens(said) > max(tokens, LEAST // 4) and len(said) > 1:
        said = f"{said[: len(said) * 3 // 4].rstrip('… ')}…"
    return f"{turn.speaker}: {said} {cited}"

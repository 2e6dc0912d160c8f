"""Steps that change how chunks are made: those that are there are stale, and made anew from the journal."""

from memotheca.storage.database import Session, scalar


def set_stop_words_apart(session: Session) -> None:
    """Stop-words became terms of their own, which no stem of another word is equal to; words of more scripts are parted
    as their readers part them."""
    make_chunks_anew(session)


def make_chunks_anew(session: Session) -> None:
    if scalar(session, "SELECT 1 FROM version LIMIT 1"):
        session.run("INSERT INTO meta (name, value) VALUES ('stale', 'chunks') ON CONFLICT (name) DO NOTHING")

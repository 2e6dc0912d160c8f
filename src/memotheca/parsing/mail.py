"""Letters: who, to whom, when and about what, the letter itself, and the files that came with it."""

from collections.abc import Callable
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import EmailMessage, MIMEPart
from typing import cast

from memotheca.model.errors import Refusal
from memotheca.parsing.builder import DocumentBuilder
from memotheca.parsing.document import Document
from memotheca.parsing.html import HtmlStream
from memotheca.parsing.source import MAX_DEPTH, Source
from memotheca.text.encoding import decode

MAX_ATTACHMENTS = 200  # chosen: bounds the time; far above what is sent
_HEADERS = ("From", "To", "Cc", "Date")


def read_mail(source: Source, read: Callable[[Source], Document]) -> Document:
    """`read` is for the attachments, which may be anything."""
    message = message_from_bytes(source.content, _class=EmailMessage, policy=policy.default)
    draft = DocumentBuilder()
    subject = _header(message, "Subject")
    draft.heading(1, subject)
    lines = (f"{name}: {value}" for name in _HEADERS if (value := _header(message, name)))
    draft.paragraph("\n".join(lines))
    warnings: list[str] = []
    body = message.get_body(("plain", "html"))
    if body is not None:
        _write_body(draft, body)
    for number, part in enumerate(message.iter_attachments()):
        if number >= MAX_ATTACHMENTS:
            warnings.append(f"Only the first {MAX_ATTACHMENTS} attachments were read")
            break
        warnings += _attach(draft, part, source, read=read)
    return draft.finish(
        "eml",
        title=subject or None,
        author=_header(message, "From") or None,
        created=_date(message),
        warnings=tuple(warnings),
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (MessageError, ValueError, IndexError, AttributeError):
        return ""


def _date(message: EmailMessage) -> str | None:
    sent = getattr(message.get("Date"), "datetime", None)
    return sent.isoformat() if isinstance(sent, datetime) else None


def _write_body(draft: DocumentBuilder, body: MIMEPart) -> None:
    text = decode(_payload(body), declared=str(body.get_content_charset() or ""))
    if body.get_content_type() == "text/html":
        stream = HtmlStream(draft)
        stream.feed(text)
        stream.close()
    else:
        for paragraph in text.replace("\r\n", "\n").split("\n\n"):
            draft.paragraph(paragraph)


def _payload(part: MIMEPart) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner = cast("EmailMessage", part.get_content())
        return inner.as_bytes()
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _attach(draft: DocumentBuilder, part: MIMEPart, source: Source, *, read: Callable[[Source], Document]) -> list[str]:
    """Write a file that came with the letter; answers what there is to warn of."""
    letter = part.get_content_type() == "message/rfc822"
    name = part.get_filename() or ("letter.eml" if letter else "")
    content = _payload(part)
    if not name or not content:
        return []
    draft.leave_headings()
    draft.move(part=f"attachment {name}")
    draft.heading(2, name)
    if source.depth >= MAX_DEPTH:
        return [f"{name} lies too deep in other letters and was not read"]
    try:
        document = read(source.within(name, content))
    except Refusal as refusal:
        return [f"Attachment not read: {refusal.message}"]
    draft.include(document)
    return list(document.warnings)

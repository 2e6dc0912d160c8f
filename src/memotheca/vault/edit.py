"""Edits of a note that touch only what they mean: comments, order, quotes and line ends around them stay."""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import yaml

from memotheca.model.errors import Failure, Refusal
from memotheca.vault.frontmatter import UnreadableProperties, read_properties
from memotheca.vault.note_file import ParsedNote, as_tags, read
from memotheca.vault.resolve import LinkMatch, Resolved, Resolver
from memotheca.vault.wikilinks import Link, LinkSyntax, folded, is_note, without_suffix

_ENDS = re.compile(r"\r\n|\n|\r")
_PLAIN = re.compile(r"[^\W_](?:[\w ./()'+-]*[\w.)])?")
_BLOCK_STYLES = ("|", ">")


class _KeyValue(NamedTuple):
    """A key's value in the block: where its colon ends, and the node."""

    after_colon: int
    node: yaml.Node


def compose(path: str, title: str, body: str, *, tags: Sequence[str] = ()) -> ParsedNote:
    """A new note; its title is written down only where the path does not say it."""
    note = read(body, path=path)
    if note.title != title:
        note = with_title(note, title)
    return with_tags(note, tags) if tags else note


def with_title(note: ParsedNote, title: str) -> ParsedNote:
    return note if note.has_own_title and note.title == title else with_property(note, "title", title)


def with_tags(note: ParsedNote, tags: Sequence[str]) -> ParsedNote:
    """These tags in the frontmatter; those in the text stay where they are."""
    wanted = as_tags(tags)
    if list(note.own_tags) == wanted:
        return note
    held = {} if note.unreadable else read_properties(note.frontmatter)
    if "tag" in held and "tags" not in held:
        return with_property(note, "tag", wanted)
    if "tag" in held:
        note = with_property(note, "tag", [])
    return with_property(note, "tags", wanted)


def with_body(note: ParsedNote, body: str) -> ParsedNote:
    """The same frontmatter above another text, with the line ends of the file."""
    if body == note.body:
        return note
    if note.newline != "\n":
        body = _ENDS.sub(note.newline, body)
    head = note.text[: note.body_start]
    if head and body and not head.endswith(("\n", "\r")):
        head += note.newline
    after = read(head + body, path=note.path, encoding=note.encoding)
    if after.frontmatter == note.frontmatter and after.text[after.body_start :] == body:
        return after
    # A text that opens with dashes would be read as frontmatter, and its own first empty line as the one that parts it
    # from the frontmatter: an empty line before it keeps it a text, and whole.
    return read(head + note.newline + body, path=note.path, encoding=note.encoding)


def with_property(note: ParsedNote, key: str, value: Any) -> ParsedNote:
    """One key of the frontmatter set; the block is made where there is none."""
    named = note.path or "the note"
    if note.unreadable:
        raise Refusal(
            Failure.CORRUPT,
            f"The frontmatter of {named} cannot be read ({note.unreadable}), so {key!r} is not set. Mend it by hand.",
        )
    text = _set(note, key, value) if note.block else _headed(note, key, value)
    after = read(text, path=note.path, encoding=note.encoding)
    if not _is_meant(note, after, key):
        raise Refusal(
            Failure.CORRUPT,
            f"The frontmatter of {named} is written in a way that cannot be edited safely, so {key!r} is not set.",
        )
    return after


def _is_meant(before: ParsedNote, after: ParsedNote, key: str) -> bool:
    """Whether the edit changed this key and nothing else."""
    if after.unreadable or before.text[before.body_start :] != after.text[after.body_start :]:
        return False
    old, new = read_properties(before.frontmatter), read_properties(after.frontmatter)
    old.pop(key, None)
    return new.pop(key, None) is not None and old == new


def _headed(note: ParsedNote, key: str, value: Any) -> str:
    end = note.newline
    return f"---{end}{_spell(key)}: {_spell(value)}{end}---{end}{end if note.text else ''}{note.text}"


def _set(note: ParsedNote, key: str, value: Any) -> str:
    assert note.block is not None
    start, end = note.block
    block = note.frontmatter
    found = _find(block, key)
    if found is None:
        return f"{note.text[:end]}{_spell(key)}: {_spell(value)}{note.newline}{note.text[end:]}"
    first, last, written = _replacement(block, found, value, note.newline)
    return f"{note.text[: start + first]}{written}{note.text[start + last :]}"


def _find(block: str, key: str) -> _KeyValue | None:
    compose_node: Callable[..., Any] = yaml.compose  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    root = compose_node(block, yaml.SafeLoader)
    found = None
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if isinstance(name, yaml.ScalarNode) and name.value == key:
            found = _KeyValue(block.index(":", name.end_mark.index) + 1, value)
    return found


def _replacement(block: str, found: _KeyValue, value: Any, newline: str) -> tuple[int, int, str]:
    """Which part of the block gives way to what: the value as its author wrote the one before."""
    after_colon, node = found
    start, end = node.start_mark.index, _end(block, node)
    if isinstance(node, yaml.SequenceNode) and isinstance(value, list) and value:
        words: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return (
            _lines(block, node, words, newline) if not node.flow_style else (start, end, _in_flow(block, node, words))
        )
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    if is_block or start == end or (isinstance(node, yaml.ScalarNode) and node.style in _BLOCK_STYLES):
        return after_colon, max(end, after_colon), f" {_spell(value)}"
    if isinstance(node, yaml.ScalarNode) and isinstance(value, str):
        return start, end, _quoted(value, node.style)
    if isinstance(node, yaml.ScalarNode) and not node.style and isinstance(value, list) and value:
        return start, end, _joined(node.value, value)  # pyright: ignore[reportUnknownArgumentType]
    return start, end, _spell(value)


def _end(block: str, node: yaml.Node) -> int:
    """The end of what is written for the node; a block's own mark stands only at the next key."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last: Any = node.value[-1]
        return _end(block, last[1] if isinstance(last, tuple) else last)  # pyright: ignore[reportUnknownArgumentType]
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(block[start:end].rstrip())


def _lines(block: str, node: yaml.SequenceNode, values: list[Any], newline: str) -> tuple[int, int, str]:
    """A list of lines: those of values that stay are kept, with their quotes, comments and what stands between."""
    begins = [block.rindex("-", 0, held.start_mark.index + 1) for held in node.value]
    ends = [_line_end(block, _end(block, held)) for held in node.value]
    wanted = [str(value) for value in values]
    kept = [place for place, held in enumerate(node.value) if str(held.value) in wanted]
    old = [str(node.value[place].value) for place in kept]
    indent = newline + " " * node.start_mark.column
    lines = dict(zip(old, (block[begins[place] : ends[place]] for place in kept), strict=True))
    if kept and wanted[: len(old)] == old:
        between = [block[ends[place - 1] : begins[place]] if place else "" for place in kept]
        written = "".join(gap + lines[word] for gap, word in zip(["", *between[1:]], old, strict=True))
        added = values[len(old) :]
    else:
        written = indent.join(lines.get(word, f"- {_spell(value)}") for word, value in zip(wanted, values, strict=True))
        added = []
    return begins[0], ends[-1], written + "".join(f"{indent}- {_spell(value)}" for value in added)


def _line_end(block: str, at: int) -> int:
    following = _ENDS.search(block, at)
    return following.start() if following else len(block)


def _in_flow(block: str, node: yaml.SequenceNode, values: list[Any]) -> str:
    written = {str(held.value): block[held.start_mark.index : held.end_mark.index] for held in node.value}
    return "[" + ", ".join(written.get(str(value)) or _spell(value) for value in values) + "]"


def _joined(before: str, words: list[Any]) -> str:
    """Words in one string, as some people write tags."""
    parts = [str(word) for word in words]
    if any(re.search(r"[\s,]", part) or _spell(part) != part for part in parts):
        return _spell(words)
    return (", " if "," in before else " ").join(parts) if re.search(r"[\s,]", before) else _spell(words)


def _quoted(text: str, style: str | None) -> str:
    if style == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False) if style == '"' else _spell(text)


def _spell(value: Any) -> str:
    """The value on one line; JSON is YAML wherever plain words would be read as something else."""
    if isinstance(value, list):
        return "[" + ", ".join(_spell(each) for each in value) + "]"  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        try:
            if read_properties(f"k: {value}") == {"k": value}:
                return value
        except UnreadableProperties:
            pass
    return json.dumps(value, ensure_ascii=False)


_UNSAFE = re.compile(r"[\s()<>\\]")
_UNWRITABLE = re.compile(r"[\[\]|#^\n]")


def replace_targets(note: ParsedNote, written: Mapping[Link, str]) -> ParsedNote:
    """The note with these links' targets written so; everything else stays as it is."""
    text, end, parts = note.text, len(note.text), list[str]()
    for link in sorted(written, key=lambda link: link.start, reverse=True):
        parts += [text[link.target_end : end], written[link]]
        end = link.target_start
    parts.append(text[:end])
    return read("".join(reversed(parts)), path=note.path, encoding=note.encoding)


def retarget(link: Link, found: Resolved, destination: str, *, source: str, resolver: Resolver) -> str | None:
    """How `link` in the note at `source` is to be written so that it means `destination`, None where it may stay.

    `found` is what it meant before; `resolver` already knows the notes as they will be.
    """
    now = resolver.find(link.target, source, is_path=link.form is not LinkSyntax.WIKI)
    if now is not None and now.path == destination:
        return None
    for candidate in _candidates(link, found, destination, source=source, resolver=resolver):
        if link.form is LinkSyntax.WIKI and _UNWRITABLE.search(candidate):
            continue
        meant = resolver.find(candidate, source, is_path=link.form is not LinkSyntax.WIKI)
        if meant is not None and meant.path == destination:
            return _spelled(candidate, link)
    return None


def _candidates(link: Link, found: Resolved, destination: str, *, source: str, resolver: Resolver) -> Iterable[str]:
    """The ways to write it, the author's own first, the longest last."""
    path = destination if is_note(link.target) else without_suffix(destination)
    segments = path.split("/")
    above, slash, _ = link.target.rpartition("/")
    if slash and posixpath.dirname(found.path) == posixpath.dirname(destination):
        yield f"{above}/{segments[-1]}"
    if link.target.startswith("/"):
        yield f"/{path}"
    if found.means is LinkMatch.RELATIVE:
        relative = posixpath.relpath(path, posixpath.dirname(source) or ".")
        yield f"./{relative}" if link.target.startswith("./") and not relative.startswith("../") else relative
    named = resolver.get(destination)
    if named and (found.means in (LinkMatch.TITLE, LinkMatch.VARIANT) or folded(named.title) == folded(segments[-1])):
        yield named.title
    if found.means is LinkMatch.PATH and folded(without_suffix(link.target)) == folded(without_suffix(found.path)):
        yield path
    for count in range(min(above.strip("/").count("/") + 1 + bool(slash), len(segments)), len(segments) + 1):
        yield "/".join(segments[-count:])
    yield f"/{path}"


def _spelled(candidate: str, link: Link) -> str:
    """With the escapes that the link's form asks for."""
    if link.form is LinkSyntax.WIKI or link.is_angled:
        return candidate
    if _UNSAFE.search(candidate) or "%" in candidate:
        return quote(candidate, safe="/!$&'*+,;=:@~-._" + "".join(c for c in candidate if ord(c) > 127))
    return candidate

"""The lines of an export of ours, each checked before anything is done with it: a file may be cut off, changed by hand
or somebody else's."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, cast, get_args

from memotheca.kernel.handles import EDGE_NAMES, ENTRY_NAMES, TALK_NAMES
from memotheca.model import kinds
from memotheca.model.commits import Operation
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import is_id
from memotheca.search.embed import LEAST_CHUNK, MOST_CHUNK
from memotheca.vectors.embedders import DEFAULT, NONE
from memotheca.vectors.profile import VOICES

# Names that are counted: two houses count alike, so that one name says nothing about what bears it.
COUNTED = {ENTRY_NAMES: "e", EDGE_NAMES: "t", TALK_NAMES: "c"}
_KINDS = (*kinds.KINDS, kinds.TUNING)
_OPERATIONS = get_args(Operation)
_MOST = 1 << 53  # chosen: no counter or time comes near it, and every database can hold it
_DIGITS = len(str(_MOST))
_EARLIEST, _LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999  # chosen: µs; years 1 to 9999 have dates
_OF_BOTH = {"attributes", "aliases", "validity", "created_at", "updated_at"}
_OF_ENTRY = _OF_BOTH | {"kind", "title", "body", "tags", "expires_at"}
_OF_EDGE = _OF_BOTH | {"source", "target", "type", "predicate", "weight", "confidence"}
_plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

Line = dict[str, Any]


class _Unsound(Exception):
    """What is not as an export has it."""


def sound_header(header: Mapping[str, Any]) -> None:
    try:
        for name in ("tx", "time"):
            _count(header.get(name), name)
        for last in _map(header.get("serials"), "serials").values():
            _count(last, "serials")
        _map(header.get("settings"), "settings")
        _written(header)
    except _Unsound as error:
        raise _refusal(1, error) from None


def sound_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """What of a collection's settings comes along; and the embedder that does not, since it is a place: no file may
    decide where texts are sent, or what is loaded."""
    chosen, size = settings.get("embedder", DEFAULT), settings.get("chunk_size")
    is_ours = chosen in (*VOICES, NONE)
    kept: dict[str, Any] = {"embedder": chosen} if is_ours and "embedder" in settings else {}
    if kept and "voice" in settings and chosen in VOICES:
        kept["voice"] = asdict(VOICES[chosen])
    if isinstance(size, int) and LEAST_CHUNK <= size <= MOST_CHUNK:
        kept["chunk_size"] = size
    return kept, "" if is_ours else str(chosen)


def sound_lines(header: Mapping[str, Any], lines: Iterable[Line]) -> Iterator[Line]:
    """Each transaction in turn; a line that no export has, or an end that is missing, refuses all of it."""
    newest = 0
    for count, line in enumerate(lines):
        if "end" in line:
            if line.get("transactions") == count:
                return
            break
        try:
            _check_transaction(line, newest, header)
        except _Unsound as error:
            raise _refusal(count + 2, error) from None
        newest = line["tx"]
        yield line
    raise Refusal(Failure.CORRUPT, "The export is cut off: its end is missing. Nothing was imported.")


def _refusal(number: int, error: _Unsound) -> Refusal:
    return Refusal(Failure.INVALID, f"Line {number} is not as an export has it ({error}); nothing was imported.")


def _check_transaction(line: Line, newest: int, header: Mapping[str, Any]) -> None:
    _count(line.get("tx"), "tx")
    _expect(newest < line["tx"] <= header["tx"], "tx")
    _count(line.get("time"), "time")
    _expect(isinstance(line.get("actor"), str), "actor")
    _expect(line.get("operation") in _OPERATIONS, "operation")
    _expect(isinstance(line.get("subject_id"), str), "subject_id")
    _expect("undoes" in line, "undoes")
    if line["undoes"] is not None:
        _count(line["undoes"], "undoes")
    _map(line.get("note", {}), "note")
    for version in _list(line.get("versions"), "versions"):
        _check_version(_map(version, "versions"), header["serials"])
    _written(line)


def _check_version(version: Line, serials: Mapping[str, int]) -> None:
    _id(version.get("id"), "id")
    _expect(isinstance(version.get("kind"), str), "kind")
    _expect(isinstance(version.get("erased"), bool), "erased")
    subject = version.get("subject")
    _expect(subject in ("entry", "edge"), "subject")
    _expect("image" in version, "image")
    if version["image"] is None:
        return
    image = _map(version["image"], "image")
    if subject == "entry":
        _check_entry(image)
    else:
        _check_edge(image)
    _expect(version["kind"] == image["kind" if subject == "entry" else "type"], "kind")
    for name in ("created_at", "updated_at"):
        _count(image[name], name)
    _check_validity(_list(image["validity"], "validity"))
    for alias in _list(image["aliases"], "aliases"):
        _check_alias(_list(alias, "aliases"), serials)


def _check_entry(image: Line) -> None:
    _expect(image.keys() == _OF_ENTRY, "image")
    _expect(image["kind"] in _KINDS, "kind")
    _texts((image["title"], image["body"]), "text")
    _texts(_list(image["tags"], "tags"), "tags")
    _moment(image["expires_at"], "expires_at")
    attributes = _map(image["attributes"], "attributes")
    _number(attributes.get("importance", 0), "importance")
    if image["kind"] == kinds.SECTION:
        _id(attributes.get("document"), "document")


def _check_edge(image: Line) -> None:
    _expect(image.keys() == _OF_EDGE, "image")
    _expect(image["type"] in kinds.EDGE_TYPES, "type")
    _texts((image["predicate"],), "predicate")
    _id(image["source"], "source")
    _id(image["target"], "target")
    _number(image["weight"], "weight")
    if image["confidence"] is not None:
        _number(image["confidence"], "confidence")
    _map(image["attributes"], "attributes")


def _check_validity(validity: list[Any]) -> None:
    _expect(len(validity) == 3 and isinstance(validity[2], bool), "validity")
    for moment in validity[:2]:
        _moment(moment, "validity")


def _check_alias(alias: list[Any], serials: Mapping[str, int]) -> None:
    _texts(alias, "aliases")
    _expect(len(alias) == 2, "aliases")
    namespace, name = alias
    letter, _, number = name.partition("-")
    if letter == COUNTED.get(namespace) and number.isdecimal() and len(number) < _DIGITS:
        # Else the next thing to be counted would get the name of this one.
        _expect(int(number) <= serials.get(namespace, 0), "serials")


def _expect(is_so: bool, name: str) -> None:
    if not is_so:
        raise _Unsound(name)


def _list(said: Any, name: str) -> list[Any]:
    _expect(isinstance(said, list), name)
    return cast(list[Any], said)


def _map(said: Any, name: str) -> dict[str, Any]:
    _expect(isinstance(said, dict), name)
    return cast(dict[str, Any], said)


def _texts(said: Iterable[Any], name: str) -> None:
    _expect(all(isinstance(each, str) for each in said), name)


def _id(said: Any, name: str) -> None:
    _expect(isinstance(said, str) and said == said.lower() and is_id(said), name)


def _count(said: Any, name: str) -> None:
    _expect(isinstance(said, int) and not isinstance(said, bool) and 0 <= said < _MOST, name)


def _moment(said: Any, name: str) -> None:
    _expect(said is None or (isinstance(said, int) and _EARLIEST <= said <= _LATEST), name)


def _number(said: Any, name: str) -> None:
    is_number = isinstance(said, int | float) and not isinstance(said, bool)
    _expect(is_number and abs(said) < _MOST and not math.isnan(said), name)


def _written(line: Mapping[str, Any]) -> None:
    """What cannot be written down again is refused before anything of it is, not half way."""
    try:
        _plain(line).encode()
    except (ValueError, RecursionError):
        raise _Unsound("text") from None

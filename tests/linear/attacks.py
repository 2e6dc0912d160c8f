"""Texts that make careless patterns and loops explode, general ones and such as a pattern suggests by itself."""

import ast
import importlib
import pkgutil
import re
import re._constants as marks  # pyright: ignore[reportMissingImports]
import re._parser as parser  # pyright: ignore[reportMissingImports]
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import memotheca

UNITS = (
    *(
        " ",
        "\n",
        "\t",
        "\r\n",
        "#",
        "a",
        "aA",
        "A",
        "7",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "`",
        "~",
        "-",
        "=",
        "|",
        '"',
        "'",
    ),
    *(
        "@a",
        "if ",
        "eyJ-",
        "\u0301",
        "/",
        "*",
        "a ",
        "A ",
        "a,",
        "\n ",
        "\n#",
        "# ",
        "a\n",
        "- a\n",
        "    a\n",
        "\n\n    a",
    ),
    *(
        "[[a^",
        "[[",
        "](",
        "](a",
        "[a](",
        "$",
        "%%",
        "!",
        "_",
        "\\",
        "1.",
        "{",
        "}",
        ":",
        "&",
        "+",
        ".",
        "a.",
        "'s ",
        "x=",
    ),
    *(
        "<a ",
        "<!--",
        "//",
        "```",
        "```\n",
        "~~~\n",
        "> ",
        "\n>",
        "|-",
        "a-",
        "中",
        "é",
        "\u201c",
        "#a/",
        "#a ",
        "a:\n",
        "---\n",
    ),
)
ENDS = ("", "\0")


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, where it stands, and whether it is only ever tried at one place."""

    where: str
    pattern: re.Pattern[Any]
    is_anchored: bool


def repeated(unit: str, size: int, *, start: str = "", end: str = "") -> str:
    return start + unit * max(1, size // len(unit)) + end


def find_patterns() -> list[Found]:
    """Every regular expression of the package: those that modules hold, and those written where they are used."""
    found: dict[tuple[Any, int], Found] = {}
    for module in pkgutil.walk_packages(memotheca.__path__, "memotheca."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        source = Path(loaded.__file__ or "").read_text()
        for name, value in vars(loaded).items():
            uses = set(re.findall(rf"\b{re.escape(name)}\.(\w+)", source))
            for pattern in _held(value, 3):
                anchored = bool(uses) and uses <= {"match", "fullmatch", "pattern"}
                key = (pattern.pattern, pattern.flags)
                anchored = anchored and (key not in found or found[key].is_anchored)
                found[key] = Found(f"{module.name}.{name}", pattern, anchored)
        for place, pattern, anchored in _written(source):
            found.setdefault((pattern.pattern, pattern.flags), Found(f"{module.name}:{place}", pattern, anchored))
    return sorted(found.values(), key=lambda each: each.where)


def _held(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__
    elif depth and isinstance(value, dict | list | tuple | set | frozenset):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _held(member, depth - 1)


def _written(source: str) -> Iterator[tuple[int, re.Pattern[Any], bool]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=verb), args=[ast.Constant(value=text), *_]):
                if verb in ("search", "sub", "split", "findall", "finditer", "match", "fullmatch"):
                    yield node.lineno, re.compile(cast(str, text), _flags(node)), verb in ("match", "fullmatch")
            case _:
                pass


def _flags(call: ast.Call) -> int:
    spelled = " ".join(ast.unparse(each) for each in (*call.args, *(word.value for word in call.keywords)))
    return sum(getattr(re, name) for name in set(re.findall(r"re\.([A-Z]+)\b", spelled)))


def attacks_on(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """A beginning, what is repeated, and an end."""
    letters, words = _alphabet(pattern)
    units = dict.fromkeys([*UNITS, *letters, *words, *(f"{word} " for word in words)])
    units |= dict.fromkeys(one + other for one in letters[:8] for other in letters[:8])
    for unit in units:
        for end in ENDS:
            yield "", unit, end
    for start in (*words[:8], *letters[:8]):
        for unit in dict.fromkeys([*UNITS[:8], *letters[:10]]):
            yield start, unit, ENDS[-1]
            yield f"{start} ", unit, ENDS[-1]


_CLASSES = {"SPACE": " \n", "DIGIT": "7", "WORD": "aZ7_", "NOT_SPACE": "x", "NOT_DIGIT": "x", "NOT_WORD": "- "}


def _alphabet(pattern: re.Pattern[Any]) -> tuple[list[str], list[str]]:
    """Letters that the classes of a pattern take, and the words that stand in it."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    letters: dict[str, None] = {}
    words: dict[str, None] = {}
    _walk(parser.parse(text, pattern.flags & ~re.DEBUG), letters, words)
    return list(letters)[:20], list(words)[:16]


def _walk(tree: Any, letters: dict[str, None], words: dict[str, None]) -> None:
    run = ""
    for verb, given in tree:
        if verb is marks.LITERAL:
            run += chr(given)
            letters[chr(given)] = None
            continue
        words |= {run: None} if len(run) > 1 else {}
        run = ""
        if verb is marks.IN:
            letters |= dict.fromkeys("".join(_members(given)))
        elif verb in (marks.NOT_LITERAL, marks.ANY):
            letters["x"] = None
        else:
            for below in _below(verb, given):
                _walk(below, letters, words)
    words |= {run: None} if len(run) > 1 else {}


def _members(given: Any) -> Iterator[str]:
    for verb, value in given:
        if verb is marks.LITERAL:
            yield chr(value)
        elif verb is marks.RANGE:
            yield chr(value[0]) + chr((value[0] + value[1]) // 2)
        elif verb is marks.CATEGORY:
            yield _CLASSES.get(str(value).removeprefix("CATEGORY_"), "x")
        else:
            yield "x "


def _below(verb: Any, given: Any) -> Iterator[Any]:
    if verb in (marks.MAX_REPEAT, marks.MIN_REPEAT, marks.POSSESSIVE_REPEAT):
        yield given[2]
    elif verb is marks.SUBPATTERN:
        yield given[3]
    elif verb is marks.ATOMIC_GROUP:
        yield given
    elif verb is marks.BRANCH:
        yield from given[1]
    elif verb in (marks.ASSERT, marks.ASSERT_NOT):
        yield given[1]

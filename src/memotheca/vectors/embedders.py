"""Embedders by name: what a collection's setting means, before anything heavy is loaded."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memotheca.model.errors import Failure, Refusal

DEFAULT = "gte-small"
NONE = "none"
BUILT = "built"
# Two models side by side: a small English one, and one of many languages.
MULTILINGUAL = "multilingual"
SMALL = "minilm"
BESIDE = "use-multilingual"


@dataclass(frozen=True, slots=True)
class Model:
    """A published model that we build ourselves: its name where it was published, and the identity of its vectors,
    which changes whenever they do: weights, quantisation, windows, how title and text are put together."""

    published: str
    identity: str


# The first one is in every installation; the others are built, or installed, for those who choose them.
MODELS = {
    DEFAULT: Model("thenlper/gte-small", "gte-small/int8-7bit/2"),
    SMALL: Model("sentence-transformers/all-MiniLM-L6-v2", "all-MiniLM-L6-v2/int8-7bit/1"),
    "granite-30m": Model("ibm-granite/granite-embedding-30m-english", "granite-embedding-30m-english/int8-7bit/2"),
    BESIDE: Model("google/universal-sentence-encoder-multilingual", "use-multilingual-3/1"),
}
PAIR_IDENTITY = "all-MiniLM-L6-v2+use-multilingual-3/1"
SHIPPED_IDENTITY = MODELS[DEFAULT].identity
SHIPPED_FOLDER = Path(__file__).parent / DEFAULT
GRAPH_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting understood: which kind of embedder, where it is, and the identity its vectors carry. `mark` is what
    it was recognised by when it was chosen: the digest of a folder's model, the width of an endpoint's vectors."""

    setting: str
    kind: str
    place: str = ""
    name: str = ""
    identity: str = ""
    mark: str = ""


def understand(setting: str) -> Choice:
    """A model of ours, `none`, `onnx:FOLDER`, `fastembed:NAME`, or `openai:NAME@URL`, perhaps with `#` and a mark.
    Never refuses a setting that was once chosen: a folder may vanish, and nothing but its vectors may depend on it."""
    kind, _, rest = setting.partition(":")
    rest, _, mark = rest.partition("#")
    if setting == NONE:
        return Choice(setting, NONE)
    if setting in MODELS:
        return Choice(setting, BUILT, str(folder_of(setting)), MODELS[setting].published, MODELS[setting].identity)
    if setting == MULTILINGUAL:
        return Choice(setting, MULTILINGUAL, str(folder_of(BESIDE)), MODELS[BESIDE].published, PAIR_IDENTITY)
    if kind == "onnx" and rest:
        found = mark or digest_of_model(Path(rest)) or "unseen"
        return Choice(setting, kind, rest, Path(rest).name, f"onnx/{found}", mark)
    if kind == "fastembed" and rest:
        return Choice(setting, kind, "", rest, f"fastembed/{rest}")
    if kind == "openai" and "@" in rest:
        name, _, url = rest.partition("@")
        if not url.startswith(("http://", "https://")):
            raise Refusal(Failure.INVALID, "The address of an endpoint begins with http.", field="embedder")
        place = url.rstrip("/")
        return Choice(setting, kind, place, name, "/".join(["openai", name, place, *([mark] if mark else [])]), mark)
    raise Refusal(
        Failure.INVALID,
        f"{setting!r} is no embedder; there are {', '.join([*MODELS, MULTILINGUAL])}, none, onnx:FOLDER, "
        "fastembed:NAME, openai:NAME@URL.",
        field="embedder",
    )


def digest_of_model(folder: Path) -> str | None:
    """What a folder's model is recognised by; None where it is not whole."""
    path = folder / GRAPH_FILE
    return _digest_once(path, path.stat().st_mtime_ns) if is_model_there(folder) else None


@lru_cache(maxsize=8)
def _digest_once(path: Path, changed: int) -> str:
    del changed
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def folder_of(name: str) -> Path:
    """Where a model of ours lies once it is built or installed."""
    return SHIPPED_FOLDER.parent / name


def is_model_there(folder: Path) -> bool:
    return (folder / GRAPH_FILE).is_file() and (folder / TOKENIZER_FILE).is_file()


def is_shipped_model_there() -> bool:
    return is_model_there(SHIPPED_FOLDER)

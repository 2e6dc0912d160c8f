"""Build everything that is released into dist/, from the one version number in the package.

Wheel and source distribution come from hatchling; all else is a file of packaging/ with the version, the addresses and
the digests filled in. `--wheel FILE` takes a wheel that is there instead of building one.
"""

import argparse
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from memotheca.vectors.embedders import GRAPH_FILE, MODELS, TOKENIZER_FILE, folder_of  # noqa: E402
from scripts import build_model  # noqa: E402
from scripts.carriers import SOURCES  # noqa: E402

TEMPLATES = ROOT / "packaging"
REPOSITORY = "https://github.com/memotheca/memotheca"
EPOCH = (2020, 1, 1, 0, 0, 0)  # chosen: one time for every member, so that the same content makes the same file
PLACEHOLDER = re.compile(r"@([A-Z][A-Z0-9_]*)@")
TEXTS = (".json", ".toml", ".py", ".rb", ".md", ".yaml", ".service", ".timer", ".conf", "")


def version() -> str:
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / "src/memotheca/__init__.py").read_text("utf-8"))
    assert found is not None
    return found[1]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build(target: Path) -> Path:
    """The wheel; the source distribution is put beside it."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return target / f"memotheca-{version()}-py3-none-any.whl"


def fill_in(folder: str, target: Path, facts: dict[str, str]) -> None:
    """A folder of templates, filled in; a placeholder that nothing is known of is an error."""
    for template in sorted((TEMPLATES / folder).rglob("*")):
        if not template.is_file() or template.suffix not in TEXTS:
            continue
        place = target / template.relative_to(TEMPLATES / folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        filled = PLACEHOLDER.sub(lambda found: facts[found[1]], template.read_text("utf-8"))
        if template.suffix == ".json":
            json.loads(filled)
        place.write_text(filled, "utf-8", newline="\n")


def pack(folder: Path, target: Path) -> None:
    """A zip archive that is the same for the same files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes())


def assemble(target: Path, wheel: Path, repository: str = REPOSITORY) -> list[Path]:
    """All that is made from the wheel and the templates."""
    owner, name = repository.rstrip("/").split("/")[-2:]
    lock = target / "requirements.lock"
    shutil.copy(ROOT / "requirements.lock", lock)
    facts = {
        "VERSION": version(),
        "WHEEL": wheel.name,
        "WHEEL_SHA256": digest(wheel),
        "LOCK_SHA256": digest(lock),
        "REPOSITORY": repository,
        "REGISTRY_NAME": f"io.github.{owner}/{name}",
    }
    fill_in("mcpb", target / "mcpb", facts)
    shutil.copy(wheel, target / "mcpb" / wheel.name)
    bundle = target / f"memotheca-{version()}.mcpb"
    pack(target / "mcpb", bundle)
    facts["MCPB_SHA256"] = digest(bundle)
    for folder in ("registry", "systemd", "homebrew"):
        fill_in(folder, target, facts)
    fill_in("claude-code", target / "claude-code", facts)
    fill_in("docker", target / "docker", facts)
    fill_in("team", target / "team", facts)
    for path in (wheel, lock):
        shutil.copy(path, target / "docker" / path.name)
    return sorted(path for path in target.iterdir() if path.is_file())


def pack_model(name: str, target: Path) -> Path:
    """A wheel of its own for a model that is an option: its files, where the program looks for them."""
    build_model.build(SOURCES[name], folder_of(name))
    project, licence = f"memotheca-{name}", SOURCES[name].licence
    facts = f"{project.replace('-', '_')}-{version()}.dist-info"
    described = (
        f"Metadata-Version: 2.1\nName: {project}\nVersion: {version()}\nLicense: {licence}\nRequires-Dist: memotheca\n"
    )
    described += f"Summary: {MODELS[name].published} in seven bits, an embedder for Memotheca.\n"
    made = "Wheel-Version: 1.0\nGenerator: memotheca\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with tempfile.TemporaryDirectory() as staged:
        folder = Path(staged, "memotheca", "vectors", name)
        folder.mkdir(parents=True)
        for file in (GRAPH_FILE, TOKENIZER_FILE, build_model.LICENCE_FILE):
            shutil.copy(folder_of(name) / file, folder)
        for file, text in (("METADATA", described), ("WHEEL", made)):
            place = Path(staged, facts, file)
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, "utf-8")
        files = sorted(path for path in Path(staged).rglob("*") if path.is_file())
        recorded = [
            f"{path.relative_to(staged).as_posix()},sha256={_spelled(path)},{path.stat().st_size}" for path in files
        ]
        Path(staged, facts, "RECORD").write_text("\n".join([*recorded, f"{facts}/RECORD,,", ""]), "utf-8")
        wheel = target / f"{project.replace('-', '_')}-{version()}-py3-none-any.whl"
        pack(Path(staged), wheel)
    return wheel


def _spelled(path: Path) -> str:
    """A digest as a wheel's record spells it."""
    return base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")


def check_bundle(manifest: Path) -> str:
    """What the packer from npm says of the manifest, where it can be had."""
    npx = shutil.which("npx")
    if npx is None:
        return "not checked by the packer: there is no npm"
    command = [npx, "--yes", "@anthropic-ai/mcpb", "validate", str(manifest)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if line and "npm warn" not in line]
    if done.returncode and "npm error" in done.stderr:
        return "not checked by the packer: npm does not have it"
    if done.returncode:
        raise SystemExit("The packer refuses the manifest:\n" + "\n".join(said))
    return "the packer says: " + said[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", type=Path, default=ROOT / "dist", help="where to put it; emptied first")
    parser.add_argument("--wheel", type=Path, help="a wheel of this version that is there")
    parser.add_argument("--repository", default=REPOSITORY, help="where the files of a release will lie")
    parser.add_argument(
        "--model", action="append", default=[], choices=[*MODELS][1:], help="also a wheel of this model"
    )
    parser.add_argument("--no-npm", action="store_true", help="do not ask the packer from npm")
    asked = parser.parse_args()
    wheel: Path | None = asked.wheel and asked.wheel.resolve()
    if asked.target.exists():
        shutil.rmtree(asked.target)
    asked.target.mkdir(parents=True)
    wheel = Path(shutil.copy(wheel, asked.target)) if wheel else build(asked.target)
    for name in asked.model:
        pack_model(name, asked.target)
    for path in assemble(asked.target, wheel, asked.repository):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    print(
        "mcpb/manifest.json: " + ("not checked" if asked.no_npm else check_bundle(asked.target / "mcpb/manifest.json"))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

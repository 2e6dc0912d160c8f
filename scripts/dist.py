"""Build everything that is released into dist/, from the one version number in the package.

Wheel and source distribution come from hatchling; all else is a file of packaging/ with the version, the addresses and
the digests filled in. `--wheel FILE` takes a wheel that is there instead of building one.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "packaging"
REPOSITORY = "https://github.com/memotheca/memotheca"
EPOCH = (2020, 1, 1, 0, 0, 0)  # chosen: one time for every member, so that the same content makes the same file
PLACEHOLDER = re.compile(r"@([A-Z][A-Z0-9_]*)@")
TEXTS = (".json", ".toml", ".py", ".rb", ".md", ".yaml", ".service", "")


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
    for path in (wheel, lock):
        shutil.copy(path, target / "docker" / path.name)
    return sorted(path for path in target.iterdir() if path.is_file())


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
    parser.add_argument("--no-npm", action="store_true", help="do not ask the packer from npm")
    asked = parser.parse_args()
    wheel: Path | None = asked.wheel and asked.wheel.resolve()
    if asked.target.exists():
        shutil.rmtree(asked.target)
    asked.target.mkdir(parents=True)
    wheel = Path(shutil.copy(wheel, asked.target)) if wheel else build(asked.target)
    for path in assemble(asked.target, wheel, asked.repository):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    print(
        "mcpb/manifest.json: " + ("not checked" if asked.no_npm else check_bundle(asked.target / "mcpb/manifest.json"))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

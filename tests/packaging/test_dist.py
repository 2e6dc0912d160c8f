"""What is released: built from one number, installed without a network, and it answers."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import jsonschema_rs
import pytest

from memotheca import __version__
from memotheca.vectors.embedders import folder_of, is_model_there, is_shipped_model_there
from scripts import build_page, dist
from scripts.other_pythons import has_wheels, new_enough, too_old
from tests.packaging.registry_rules import RULES
from tests.patience import PATIENCE, until
from tests.server.sockets import free_port

ROOT = Path(__file__).parents[2]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

pytestmark = pytest.mark.skipif(
    not is_shipped_model_there() or (any(build_page.source_files()) and not build_page.is_current()),
    reason="a wheel is built from the model and the page: make setup",
)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    target = tmp_path_factory.mktemp("dist")
    dist.assemble(target, dist.build(target))
    return target


@pytest.fixture(scope="module")
def installed(released, tmp_path_factory):
    """An environment of its own with the wheel; what it depends on is borrowed from the one that runs the tests."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    wheel = next(released.glob("*.whl"))
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True)
    library = next((home / "lib").glob("python3*/site-packages"))
    (library / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home


def surroundings(data, **more):
    return {"PATH": os.environ["PATH"], "HOME": str(data), "MEMOTHECA_DATA": str(data), **more}


def test_the_wheel_has_the_model_the_patterns_and_nothing_of_the_workshop(released):
    names = zipfile.ZipFile(next(released.glob("*.whl"))).namelist()
    assert {"memotheca/vectors/gte-small/model.onnx", "memotheca/vectors/gte-small/tokenizer.json"} <= set(names)
    assert any(name.startswith("memotheca/patterns/") and not name.endswith(".py") for name in names)
    assert {name.partition("/")[0] for name in names} == {"memotheca", f"memotheca-{__version__}.dist-info"}


@pytest.mark.skipif(not is_model_there(folder_of("granite-30m")), reason="make model EMBEDDER=granite-30m")
def test_another_model_is_chosen_once_its_wheel_is_installed_beside_it(installed, tmp_path):
    command = [installed / "bin" / "memotheca", "reindex", "--embedder", "granite-30m"]
    before = subprocess.run(command, env=surroundings(tmp_path), capture_output=True, text=True, check=False)
    assert before.returncode != 0
    assert "pip install memotheca-granite-30m" in before.stderr
    wheel = dist.pack_model("granite-30m", tmp_path)
    python = installed / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True)
    subprocess.run(command, env=surroundings(tmp_path), capture_output=True, check=True)
    remove = [sys.executable, "-m", "pip", "--python", python, "uninstall", "--quiet", "--yes", "memotheca-granite-30m"]
    subprocess.run(remove, check=True)
    assert subprocess.run([*command[:1], "status"], env=surroundings(tmp_path), check=False).returncode == 0


def play_session(program, data):
    calls = [
        ("initialize", HELLO),
        ("tools/call", {"name": "store", "arguments": {"topic": "releases", "content": "We release on Tuesdays."}}),
        ("tools/call", {"name": "query", "arguments": {"content": "on which day do we ship?"}}),
    ]
    server = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings(data), text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    answers = []
    for number, (method, params) in enumerate(calls):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        answers.append(next(said for line in server.stdout if (said := json.loads(line)).get("id") == number))
    server.stdin.close()
    server.stdout.close()
    assert server.wait(PATIENCE) == 0
    assert answers[0]["result"]["serverInfo"]["version"] == __version__
    assert "Tuesdays" in json.dumps(answers[2]["result"])
    assert answers[2]["result"]["structuredContent"]["mode"] == "hybrid"


def test_installed_from_the_wheel_alone_it_plays_a_session_over_stdio(installed, tmp_path):
    play_session(installed / "bin" / "memotheca", tmp_path)


@pytest.mark.parametrize("python", new_enough(), ids=lambda python: python.name)
def test_on_each_other_python_that_is_there_it_is_installed_without_a_network_and_plays_a_session(
    released, tmp_path, python
):
    if not has_wheels(python):
        pytest.skip("what it depends on was not fetched: make setup-dev")
    home = tmp_path / "empty"
    subprocess.run([python.program, "-m", "venv", "--without-pip", home], check=True)
    install = [sys.executable, "-m", "pip", "--python", home / "bin/python", "install", "--quiet", "--no-index"]
    wheel = next(released.glob("*.whl"))
    try:
        subprocess.run([*install, "--find-links", python.wheels, wheel], check=True)
        play_session(home / "bin" / "memotheca", tmp_path / "data")
    finally:
        shutil.rmtree(home)  # 300 MB, which pytest would keep for the next runs


@pytest.mark.parametrize("python", too_old(), ids=lambda python: python.name)
def test_a_python_that_is_too_old_says_so_in_one_sentence(installed, tmp_path, python):
    library = next((installed / "lib").glob("python3*/site-packages"))
    for command in (["-m", "memotheca"], [installed / "bin" / "memotheca", "--help"]):
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(library)}
        done = subprocess.run([python.program, *command], env=environment, capture_output=True, text=True, check=False)
        told = f"memotheca: Python 3.11 or newer is needed, and this is {python.name}.\n"
        assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


def test_what_runs_is_the_wheel_and_it_finds_by_meaning(installed, tmp_path):
    code = "import memotheca; print(memotheca.__file__)"
    where = subprocess.run(
        [installed / "bin" / "python", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert Path(where.strip()).is_relative_to(installed)
    told = subprocess.run(
        [installed / "bin" / "memotheca", "doctor"],
        env=surroundings(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "model" not in told.stderr.lower()


def test_everything_has_the_one_version(released):
    manifest = json.loads((released / "mcpb" / "manifest.json").read_text())
    registry = json.loads((released / "server.json").read_text())
    plugin = json.loads((released / "claude-code/memotheca/.claude-plugin/plugin.json").read_text())
    assert {manifest["version"], registry["version"], plugin["version"]} == {__version__}
    assert {package["version"] for package in registry["packages"]} == {__version__}
    started = json.loads((released / "claude-code/memotheca/.mcp.json").read_text())["mcpServers"]["memotheca"]
    assert started["args"][0] == f"memotheca@{__version__}"
    assert f"/v{__version__}/" in (released / "memotheca.rb").read_text()


def test_the_bundle_starts_what_it_carries_and_asks_for_what_it_reads(released):
    bundle = zipfile.ZipFile(released / f"memotheca-{__version__}.mcpb")
    manifest = json.loads(bundle.read("manifest.json"))
    wheel = tomllib.loads(bundle.read("pyproject.toml").decode())["tool"]["uv"]["sources"]["memotheca"]["path"]
    assert {wheel, manifest["server"]["entry_point"]} <= set(bundle.namelist())
    asked = set(manifest["server"]["mcp_config"]["env"].values())
    assert asked == {f"${{user_config.{name}}}" for name in manifest["user_config"]}


@pytest.mark.parametrize("left", ["", "${user_config.data}"])
def test_what_was_left_empty_in_the_form_of_the_bundle_is_not_asked_for(released, tmp_path, left):
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    empty = {"MEMOTHECA_DATA": left, "MEMOTHECA_VAULT": "${user_config.vault}", "MEMOTHECA_TOOLSETS": left}
    done = subprocess.run(
        [sys.executable, released / "mcpb/server/main.py"],
        input=hello + "\n",
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **empty},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["version"] == __version__
    assert not (tmp_path / left).name.startswith("${") or not (tmp_path / left).exists()


def test_the_entry_of_the_registry_is_formed_as_the_registry_wants_it(released):
    entry = json.loads((released / "server.json").read_text())
    jsonschema_rs.validator_for(RULES).validate(entry)
    bundle = next(package for package in entry["packages"] if package["registryType"] == "mcpb")
    assert bundle["fileSha256"] == dist.digest(released / f"memotheca-{__version__}.mcpb")
    # By this line the registry knows that the package is ours.
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry: entry.pop("description"),
        lambda entry: entry.update(description="x" * 101),
        lambda entry: entry.update(name="memotheca"),
        lambda entry: entry.update(titel="Memotheca"),
        lambda entry: entry["packages"][0].pop("transport"),
        lambda entry: entry["packages"][0].update(version="latest"),
        lambda entry: entry["packages"][0]["environmentVariables"][0].update(format="folder"),
        lambda entry: entry["packages"][0]["packageArguments"][0].pop("value"),
        lambda entry: entry["packages"][1].update(fileSha256="X"),
    ],
)
def test_an_entry_that_the_registry_would_refuse_is_seen(released, spoil):
    entry = json.loads((released / "server.json").read_text())
    spoil(entry)
    assert not jsonschema_rs.validator_for(RULES).is_valid(entry)


def test_the_skill_and_the_commands_name_tools_that_the_plugin_shows(released, installed, tmp_path):
    plugin = released / "claude-code" / "memotheca"
    args = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["memotheca"]["args"]
    command = [installed / "bin" / "memotheca", "call", "--list", "--json", *args[2:]]
    listed = subprocess.run(command, env=surroundings(tmp_path), capture_output=True, text=True, check=True).stdout
    shown = {each["name"] for each in json.loads(listed)}
    for page in (*plugin.glob("commands/*.md"), *plugin.glob("skills/*/SKILL.md")):
        named = set(re.findall(r"`([a-z_]+)`", page.read_text("utf-8")))
        assert named, page
        assert named <= shown, page


def instruction(text, name):
    found = re.search(rf"^{name} (\[.*\])$", text, re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def test_what_the_container_runs_serves_and_is_found_healthy(released, installed, tmp_path):
    """Without an engine: its own words, in a plain directory, as on another port."""
    text = (released / "docker" / "Dockerfile").read_text()
    port = free_port()
    entry, words = instruction(text, "ENTRYPOINT"), instruction(text, "CMD")
    environment = surroundings(tmp_path, MEMOTHECA_TOKEN="a-long-token-for-a-test", MEMOTHECA_PORT=str(port))
    server = subprocess.Popen([installed / "bin" / entry[0], *words], env=environment, stdout=subprocess.DEVNULL)
    healthy = [word.replace(":3000", f":{port}") for word in instruction(text, "    CMD")]
    try:
        asked = [sys.executable, *healthy[1:]]
        until(lambda: subprocess.run(asked, capture_output=True, check=False).returncode == 0)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/mcp", data=b"{}"))
        assert refused.value.code == 401
        refused.value.close()
    finally:
        server.terminate()
        assert server.wait(PATIENCE) == 0
    assert "USER 10001:10001" in text
    compose = (released / "docker" / "compose.yaml").read_text()
    assert "read_only: true" in compose
    assert "cap_drop: [ALL]" in compose


def test_the_unit_is_one_for_systemd(released, installed, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd")
    unit = tmp_path / "memotheca.service"
    unit.write_text((released / "memotheca.service").read_text().replace("/usr/local", str(installed)))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert str(unit) not in done.stderr
    assert "memotheca.service" not in done.stderr


def test_what_the_formula_runs_is_understood(released, installed, tmp_path):
    """Without brew: it runs what makes completions once a shell, whose name comes last where nothing else is said."""
    text = (released / "memotheca.rb").read_text()
    made = re.search(r'generate_completions_from_executable\(bin/"memotheca", "completion"\)', text)
    assert made is not None
    program = installed / "bin" / "memotheca"
    for shell in ("bash", "zsh", "fish"):
        done = subprocess.run(
            [program, "completion", shell], env=surroundings(tmp_path), capture_output=True, check=True
        )
        assert b"memotheca" in done.stdout
    (tried,) = re.findall(r'system bin/"memotheca", "--data", testpath/"data", (.+)$', text, re.MULTILINE)
    words = json.loads(f"[{tried}]")
    subprocess.run([program, "--data", tmp_path / "data", *words], env=surroundings(tmp_path), check=True)
    assert dist.digest(next(released.glob("*.whl"))) in text
    assert dist.digest(released / "requirements.lock") in text

"""The commands about vaults: what a person sees of their notes."""

import json
import os

import pytest

from memotheca import settings
from memotheca.admin import vault_health
from memotheca.app import build
from memotheca.cli.main import main
from memotheca.notes import write_notes
from memotheca.notes.mounts import owner_role
from memotheca.notes.write_notes import NoteEdit, update_note
from memotheca.storage.locks import role
from memotheca.storage.store import write_setting


@pytest.fixture
def vault(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "data"))
    folder = tmp_path / "vault"
    (folder / "x").mkdir(parents=True)
    (folder / "index.md").write_text('[[tea]] [[Nowhere "quoted" <b>]]')
    (folder / "tea.md").write_text("[[index]]")
    (folder / "x" / "tea.md").write_text("other")
    (folder / "alone.md").write_text("---\ntitle: TEA\n---\n")
    return folder


@pytest.fixture
def run(invoke):
    return invoke


def test_vault_shows_what_is_there_and_what_to_mend(run, vault):
    code, out, _ = run("vault", "--vault", str(vault))
    assert code == 0
    for words in ("4 notes, 3 links, 1 ghost, 2 orphans", "broken links (1)", "duplicate titles (1)", "4 created"):
        assert words in out
    (vault / "new.md").write_text("x")
    assert "5 notes" not in run("vault")[1]
    _, out, _ = run("vault", "--sync", "--json")
    found = json.loads(out)
    assert (found["notes"], found["ghosts"], found["synced"]["created"]) == (5, 1, 1)
    assert found["broken_links"] == [{"note": "index.md", "target": 'Nowhere "quoted" <b>'}]
    assert found["orphans"] == ["alone.md", "new.md", "x/tea.md"]
    assert ["alone.md", "tea.md", "x/tea.md"] in found["duplicate_titles"]


def test_without_a_vault_it_says_how_to_mount_one(run, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMOTHECA_DATA", str(tmp_path / "data"))
    run("call", "store", '{"topic": "tea", "content": "Steep it."}')
    assert "--vault" in run("vault")[1]


def test_graph_draws_a_tree(run, vault):
    run("vault", "--vault", str(vault))
    _, out, _ = run("graph", "tea", "--depth", "2")
    assert out.splitlines() == [
        "Tea  tea.md",
        "└─> Index  index.md",
        '   └─> Nowhere "quoted" <b>  (not there)',
    ]


def test_graph_draws_mermaid_dot_and_json(run, vault):
    run("vault", "--vault", str(vault))
    mermaid = run("graph", "index.md", "--format", "mermaid")[1]
    assert mermaid.startswith("graph LR")
    assert 'n2["Nowhere #quot;quoted#quot; #lt;b#gt;"]:::ghost' in mermaid
    assert "n0 --> n1" in mermaid
    assert "n1 --> n0" in mermaid
    dot = run("graph", "index.md", "--format", "dot")[1]
    assert 'label="Nowhere \\"quoted\\" <b>", style=dashed' in dot
    drawn = json.loads(run("graph", "index.md", "--format", "json")[1])
    assert [node["id"] for node in drawn["nodes"]][:2] == ["index.md", "tea.md"]
    assert {"source": "index.md", "target": "tea.md", "predicate": "links to"} in drawn["edges"]
    assert run("graph", "nobody")[0] == 1


def test_tools_can_be_called_and_undone_from_the_command_line(run, vault):
    run("vault", "--vault", str(vault))
    code, out, _ = run("call", "update_node", '{"id": "tea.md", "title": "Black Tea"}', "--json")
    assert code == 0
    assert json.loads(out)["id"] == "black-tea.md"
    assert "[[black-tea]]" in (vault / "index.md").read_text()
    assert run("undo")[0] == 0
    assert (vault / "index.md").read_text().startswith("[[tea]]")
    assert (vault / "tea.md").exists()
    (vault / "fresh.md").write_text("just saved")
    assert "just saved" in run("call", "get_node", '{"id": "fresh.md"}')[1]


def test_a_vault_can_be_unmounted_and_mounted_again(run, vault):
    run("vault", "--vault", str(vault))
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    assert "4 notes have left" in run("vault", "--unmount")[1]
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before
    assert "No vault is mounted" in run("vault")[1]
    assert "4 created" in run("vault", "--vault", str(vault))[1]
    assert run("undo")[1].startswith("There is nothing")


def _vault_findings(run):
    code, out, _ = run("doctor", "--json")
    found = {each["name"]: each for each in json.loads(out)["findings"]}
    return code, found["vault vault in default"], found["files on their way in default"]


def test_doctor_says_whether_a_vault_is_in_step_and_what_to_do(run, vault):
    run("vault", "--vault", str(vault))
    code, found, waiting = _vault_findings(run)
    assert (code, found["well"], waiting["well"]) == (0, True, True)
    assert "no server follows it" in found["detail"]
    (vault / "picture.png").write_bytes(b"x")
    os.utime(vault / "alone.md", (1, 1))
    assert _vault_findings(run)[1]["well"], "neither another file nor a new time stamp is a change of a note"
    (vault / "new.md").write_text("x")
    (vault / "alone.md").write_text("changed")
    (vault / "tea.md").rename(vault / "coffee.md")
    (vault / "x" / "tea.md").unlink()
    (vault / "binary.md").write_bytes(b"\0\1\2")
    code, found, _ = _vault_findings(run)
    assert (code, found["well"], found["fix"]) == (1, False, "memotheca vault --sync")
    assert "(2 new, 1 changed, 1 moved, 1 gone)" in found["detail"]
    assert "memotheca vault --sync" in run("doctor")[1]
    run("vault", "--sync")
    code, found, _ = _vault_findings(run)
    assert (code, found["well"]) == (0, True), found
    (vault / "link.md").symlink_to(vault / "index.md")
    assert "passed over: 1 file" in _vault_findings(run)[1]["detail"]


def test_doctor_says_whether_a_server_follows_the_vault(run, vault, tmp_path):
    run("vault", "--vault", str(vault))
    with role(tmp_path / "data", owner_role("default")):
        assert "a server follows it" in _vault_findings(run)[1]["detail"]


def test_doctor_misses_a_vault_that_is_away_or_cannot_be_written(run, vault, monkeypatch):
    run("vault", "--vault", str(vault))
    monkeypatch.setattr(vault_health.os, "access", lambda place, mode: not mode & os.W_OK or place != vault)
    code, found, _ = _vault_findings(run)
    assert code == 1
    assert "not written" in found["detail"]
    assert "chmod u+w" in found["fix"]
    monkeypatch.setattr(vault_health.os, "access", lambda place, mode: place != vault)
    assert "cannot be read" in _vault_findings(run)[1]["detail"]
    vault.rename(vault.with_name("elsewhere"))
    code, found, _ = _vault_findings(run)
    assert code == 1
    assert "is not there" in found["detail"]
    assert "--unmount" in found["fix"]


def test_doctor_finds_a_vault_that_was_never_read_to_the_end(run, vault, tmp_path):
    app = build(settings.load({"data": str(tmp_path / "data"), "vault": str(vault)}, {}))
    app.kernel.store.operate(lambda session: write_setting(session, "default", "embedder", "none"))
    app.kernel.store.close()
    assert "has not been read" in _vault_findings(run)[1]["detail"]
    run("vault", "--sync")
    assert _vault_findings(run)[1]["well"]


def test_doctor_finds_files_that_a_change_has_not_reached(run, vault, tmp_path, monkeypatch):
    run("vault", "--vault", str(vault))
    monkeypatch.setattr(write_notes, "finish", lambda kernel: None)
    app = build(settings.load({"data": str(tmp_path / "data")}, {}))
    update_note(app.kernel, "tea.md", NoteEdit(title="Green Tea"), actor="test")
    app.kernel.store.close()
    code, _, waiting = _vault_findings(run)
    assert (code, waiting["well"]) == (1, False)
    assert waiting["detail"] == "3 files not written yet, the first is green-tea.md"
    run("vault", "--sync")
    code, found, waiting = _vault_findings(run)
    assert (code, found["well"], waiting["well"]) == (0, True, True)
    assert (vault / "green-tea.md").exists()


def test_vault_asks_before_it_takes_out_most_notes(run, vault):
    run("vault", "--vault", str(vault))
    vault.rename(vault.with_name("disk"))
    vault.mkdir()
    code, out, _ = run("vault", "--sync")
    assert code == 0
    assert "4 notes, 3 links" in out
    assert "4 withheld" in out
    assert "If they are meant to be gone: memotheca vault --accept-removals" in out
    assert "--accept-removals" in run("vault")[1], "it is said until it is settled"
    assert "--accept-removals" in run("status")[1]
    assert "--accept-removals" in run("doctor")[1]
    _, out, _ = run("vault", "--accept-removals", "--json")
    found = json.loads(out)
    assert (found["notes"], found["synced"]["removed"], found["withheld"]) == (0, 4, [])
    assert "--accept-removals" not in run("doctor")[1]


def test_a_mounted_vault_is_searched_by_meaning_at_once(run, vault):
    code, out, _ = run("vault", "--vault", str(vault))
    assert code == 0
    assert "4 embedded" in out
    assert "wait" not in out
    assert json.loads(run("search", "--json", "tea")[1])["indexing"] == 0
    (vault / "new.md").write_text("about rain")
    _, out, _ = run("vault", "--sync", "--no-wait")
    assert "1 passage waits for its vector: the next server that runs makes them, or memotheca vault --sync" in out
    assert "a server makes, or memotheca reindex" in run("search", "rain")[2]
    assert json.loads(run("vault", "--json")[1])["waiting"] == 1
    found = json.loads(run("vault", "--sync", "--json")[1])
    assert (found["synced"]["embedded"], found["waiting"]) == (1, 0)


def test_the_way_to_accept_removals_is_told_for_the_data_directory_that_was_named(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("MEMOTHECA_DATA", raising=False)
    folder, data = tmp_path / "notes", tmp_path / "some where"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.md").write_text(f"Note {number}.\n")
    assert main(["vault", "--vault", str(folder), "--no-wait", "--data", str(data)]) == 0
    for path in folder.iterdir():
        path.unlink()
    capsys.readouterr()
    assert main(["vault", "--sync", "--no-wait", "--data", str(data)]) == 0
    assert f"memotheca vault --data '{data}' --accept-removals" in capsys.readouterr().out

"""The commands about vaults: what a person sees of their notes."""

import json

import pytest

from pinakes.cli.main import main


@pytest.fixture
def vault(tmp_path, monkeypatch):
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "data"))
    folder = tmp_path / "vault"
    (folder / "x").mkdir(parents=True)
    (folder / "index.md").write_text('[[tea]] [[Nowhere "quoted" <b>]]')
    (folder / "tea.md").write_text("[[index]]")
    (folder / "x" / "tea.md").write_text("other")
    (folder / "alone.md").write_text("---\ntitle: TEA\n---\n")
    return folder


@pytest.fixture
def run(capsys):
    def invoke(*arguments):
        code = main(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return invoke


def test_vault_shows_what_is_there_and_what_to_mend(run, vault):
    code, out, _ = run("vault", "--vault", str(vault))
    assert code == 0
    for words in ("4 notes, 3 links, 1 ghosts, 2 orphans", "broken links (1)", "duplicate titles (1)", "4 created"):
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
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "data"))
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
    assert {"source": "index.md", "target": "tea.md"} in drawn["edges"]
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

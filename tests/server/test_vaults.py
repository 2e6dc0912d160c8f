"""Vaults as servers see them: people's edits arrive, two servers share one vault, one takes over from another."""

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memotheca.app import open_store
from memotheca.kernel.kernel import Kernel
from memotheca.notes.note_bytes import to_bytes
from memotheca.search.prepared import LATER
from memotheca.storage import vault_index as rows
from memotheca.vault.files import digest_of
from tests.patience import PATIENCE, until
from tests.server.raw import RawServer


class Reader(RawServer):
    """A client of a server with a vault."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder / "data", "--vault", str(folder / "vault"), *options)
        self.begin()
        self.wait(lambda node: node is not None, "get_node", patience=PATIENCE, id="a.md")

    def ask(self, name: str, **arguments):
        answer = self.request("tools/call", {"name": name, "arguments": arguments})["result"]
        assert not answer["isError"], answer
        return json.loads(answer["content"][0]["text"])

    def wait(self, wanted, name: str, *, patience: float = PATIENCE, **arguments):
        """Ask until the answer is as wanted."""
        deadline = time.monotonic() + patience
        while True:
            answer = self.ask(name, **arguments)
            if wanted(answer):
                return answer
            assert time.monotonic() < deadline, answer


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("one [[b]]")
    return tmp_path


def _notes_txs(server):
    answer = server.request("tools/call", {"name": "history", "arguments": {"entity_type": "note"}})["result"]
    return answer["structuredContent"]["items"]


def test_what_people_do_arrives_and_is_told(folder):
    server = Reader(folder)
    try:
        server.request("resources/subscribe", {"uri": "knowledge://notes"})
        place = folder / "vault"
        temporary = place / ".a.md.swp"
        temporary.write_text("saved by an editor that renames")
        os.replace(temporary, place / "a.md")
        server.wait(lambda node: node["content"].startswith("saved"), "get_node", id="a.md")
        note = server.notification()
        assert note["params"]["uri"] == "knowledge://notes"
        assert note["params"]["_meta"]["knowledge/change"]["changed_ids"] == ["a.md"]
        (place / "sub").mkdir()
        (place / "sub" / "b.md").write_text("[[a]]")
        server.wait(lambda node: node is not None, "get_node", id="sub/b.md")
        shutil.move(place / "sub", place / "moved")
        server.wait(lambda node: node is not None, "get_node", id="moved/b.md")
        server.wait(lambda node: node is None, "get_node", id="sub/b.md")
        found = server.read_resource("knowledge://notes")
        assert [item["id"] for item in found["items"]] == ["a.md", "moved/b.md"]
        one = server.read_resource("knowledge://notes/moved%2Fb.md")
        assert one["items"][0]["links"] == [{"id": "a.md", "title": "A"}]
    finally:
        server.close()


def test_a_checkout_of_many_files_is_a_few_transactions(folder):
    git = ["git", "-C", str(folder / "vault"), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"], ["checkout", "-qb", "more"]):
        subprocess.run([*git, *command], check=True)
    for number in range(300):
        (folder / "vault" / f"n{number}.md").write_text(f"[[a]] {number}")
    for command in (["add", "."], ["commit", "-qm", "two"], ["checkout", "-q", "-"]):
        subprocess.run([*git, *command], check=True)
    server = Reader(folder)
    try:
        subprocess.run([*git, "checkout", "-q", "more"], check=True)
        server.wait(lambda hubs: hubs[0]["score"] == 300, "get_hubs")
        assert len(_notes_txs(server)) < 20
        subprocess.run([*git, "checkout", "-q", "-"], check=True)
        server.wait(lambda hubs: hubs[0]["score"] == 1, "get_hubs")
    finally:
        server.close()


def test_two_servers_read_a_vault_once_and_one_takes_over_from_the_other(folder):
    first, second = Reader(folder), Reader(folder)
    try:
        second.ask("create_node", title="From two", content="[[a]]")
        first.ask("create_node", title="From one", content="[[from-two]]")
        assert [each["id"] for each in first.ask("get_neighbors", id="from-two.md")] == ["a.md", "from-one.md"]
        (folder / "vault" / "c.md").write_text("by hand")
        for server in (first, second):
            server.wait(lambda node: node is not None, "get_node", id="c.md")
        by = [(each["entity_id"], each["actor"]) for each in _notes_txs(second)]
        assert sorted(by) == [("a.md", "vault"), ("c.md", "vault"), ("from-one.md", "raw"), ("from-two.md", "raw")]
        first.child.send_signal(signal.SIGKILL)
        first.child.wait()
        (folder / "vault" / "d.md").write_text("after the first died")
        second.wait(lambda node: node is not None, "get_node", id="d.md")
    finally:
        first.close()
        second.close()


def test_a_live_server_completes_what_another_left_half_done(folder):
    server = Reader(folder)
    try:
        store = open_store(folder / "data")

        def decide(transaction):
            before = transaction.entry(transaction.find_alias("note", "a.md"))
            after = replace(before, body="decided")
            digest = digest_of(to_bytes(after))
            after = replace(after, attributes={**before.attributes, "digest": digest, "links": []})
            transaction.put(after, LATER)
            root = str(folder / "vault")
            old = before.attributes["digest"]
            rows.add_intents(
                transaction.session,
                "default",
                [
                    rows.Intent(
                        tx=transaction.tx,
                        vault="",
                        root=root,
                        path="a.md",
                        before=old,
                        after=digest,
                        content=b"decided",
                    )
                ],
            )

        Kernel(store, "default").write(decide, actor="somebody who died")
        store.close()
        until(lambda: (folder / "vault" / "a.md").read_text() == "decided")
        assert server.ask("get_node", id="a.md")["content"] == "decided"
    finally:
        server.close()


def test_another_vault_under_the_same_name_is_refused_while_a_server_has_one(folder, memotheca):
    server = Reader(folder)
    try:
        other = folder / "other"
        other.mkdir()
        command = [memotheca, "vault", "--data", str(folder / "data"), "--vault", str(other), "--json"]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert refused.returncode == 1
        assert json.loads(refused.stdout)["error"]["code"] == "conflict"
    finally:
        server.close()


def test_a_disk_that_goes_while_it_is_served_takes_no_note_with_it(folder):
    """The vault's place is first empty, then gone, then as before; what was not deleted is not removed."""
    place = folder / "vault"
    server = Reader(folder)
    try:
        place.rename(folder / "disk")
        place.mkdir()
        told = []

        def is_told(node):
            told.extend(node.get("_warnings", ()))
            return any("--accept-removals" in line for line in told)

        server.wait(is_told, "get_node", id="a.md")
        assert server.ask("get_node", id="a.md")["content"] == "one [[b]]"
        place.rmdir()
        refused = server.request("tools/call", {"name": "create_node", "arguments": {"title": "new", "content": "x"}})
        error = refused["result"]["structuredContent"]["error"]
        assert error["code"] == "PROVIDER_ERROR"
        assert "is not there; is its disk mounted?" in error["message"]
        (folder / "disk").rename(place)
        (place / "c.md").write_text("[[a]]")
        server.wait(lambda node: node is not None, "get_node", id="c.md")
        assert {tx["op"] for tx in _notes_txs(server)} == {"INDEX", "CREATE"}
        assert not (folder / "vault" / "new.md").exists()
    finally:
        server.close()


def test_a_server_that_was_told_so_takes_out_what_is_gone_at_its_start(folder):
    place = folder / "vault"
    for number in range(20):
        (place / f"n{number}.md").write_text("x")
    first = Reader(folder)
    first.wait(lambda node: node is not None, "get_node", id="n19.md")
    first.close()
    for number in range(20):
        (place / f"n{number}.md").unlink()
    careful = Reader(folder)
    try:
        (place / "new.md").write_text("x")
        careful.wait(lambda node: node is not None, "get_node", id="new.md")
        assert careful.ask("get_node", id="n7.md") is not None
    finally:
        careful.close()
    told = Reader(folder, "--accept-removals")
    try:
        told.wait(lambda node: node is None, "get_node", id="n7.md")
    finally:
        told.close()

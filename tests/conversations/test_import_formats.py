"""What other programs export is known by what is in it, brought in once, and leaves nothing where it is broken."""

import csv
import gzip
import io
import json
import zipfile
from typing import Any

import pytest

HEX = "0123456789abcdef0123456789abcdef"


def chatgpt_node(id, parent, role=None, text="", at: Any = 1_760_000_000.5, **content: Any) -> Any:
    message = None
    if role is not None:
        said = {"content_type": "text", "parts": [text], **content}
        message = {"id": id, "author": {"role": role}, "create_time": at, "content": said, "metadata": {}}
    return {"id": id, "parent": parent, "children": [], "message": message}


def chatgpt(title="Soup", last="d", **more: Any) -> Any:
    nodes = [
        chatgpt_node("root", None),
        chatgpt_node("s", "root", "system", "be kind"),
        chatgpt_node("a", "s", "user", "How do I thicken soup?"),
        chatgpt_node("b", "a", "assistant", "With flour."),
        chatgpt_node("c", "a", "assistant", "With potato starch."),
        chatgpt_node("d", "c", "user", "I prefer potato starch."),
    ]
    mapping = {node["id"]: node for node in nodes}
    return {"title": title, "conversation_id": f"id-{title}", "current_node": last, "mapping": mapping, **more}


def claude(name="Trip", **more):
    def message(id, sender, text):
        blocks = [{"type": "text", "text": text}, {"type": "tool_use", "name": "web"}]
        return {
            "uuid": id,
            "sender": sender,
            "text": text,
            "content": blocks,
            "created_at": "2026-01-02T03:04:05.000000Z",
        }

    messages = [message("1", "human", "Which train goes to Riga?"), message("2", "assistant", "The night train.")]
    return {"uuid": f"u-{name}", "name": name, "chat_messages": messages, **more}


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def account(run, *arguments):
    code, out, err = run("import", *arguments, "--json", "--no-wait")
    assert code == 0, err
    return json.loads(out)


def refused(run, *arguments):
    code, out, err = run("import", *arguments, "--no-wait")
    assert code != 0, out
    return " ".join(err.split())


def nothing_is_stored(run):
    code, out, _ = run("history", "--json")
    return code != 0 or json.loads(out)["items"] == []


def shown(run, thing):
    code, out, err = run("show", thing, "--json")
    assert code == 0, err
    return json.loads(out)


def test_of_chatgpts_tree_the_path_that_was_read_last_is_kept(run, tmp_path):
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt(), chatgpt("Empty", mapping={})]))
    told = account(run, file)
    assert (told["format"], told["conversations"], told["turns"]) == ("chatgpt", 1, 3)
    assert told["left_out"]["messages of branches that were left"] == 1
    talk = shown(run, "c-1")
    assert talk["text"].split("\n\n") == [
        "user: How do I thicken soup?",
        "assistant: With potato starch.",
        "user: I prefer potato starch.",
    ]
    assert shown(run, "c-1#3")["text"].startswith("#2 (2025-10-09T08:53) assistant")


def test_run_again_it_brings_only_what_is_new_and_one_undo_takes_it_back(run, tmp_path):
    file = zipped(
        tmp_path / "export.zip", **{"conversations.json": json.dumps([chatgpt(), chatgpt("Stew")]), "a.png": "x"}
    )
    assert account(run, file)["conversations"] == 2
    again = account(run, file)
    assert (again["conversations"], again["turns"], again["known"], again["transactions"]) == (0, 0, 6, 0)
    longer = chatgpt("Stew", last="e")
    longer["mapping"]["e"] = chatgpt_node("e", "d", "assistant", "Noted.")
    zipped(file, **{"conversations.json": json.dumps([chatgpt(), longer])})
    more = account(run, file)
    assert (more["conversations"], more["turns"]) == (1, 1)
    assert run("undo")[0] == 0
    assert run("undo")[0] == 0
    assert run("show", "c-1")[1].count("Deleted") == 1
    assert account(run, file)["conversations"] == 2


def test_a_dry_run_says_the_same_and_stores_nothing(run, tmp_path):
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([claude()]))
    told = account(run, file, "--dry-run")
    assert (told["format"], told["conversations"], told["turns"], told["dry_run"]) == ("claude", 1, 2, True)
    assert nothing_is_stored(run)
    assert "Would be imported from claude: 1 conversation with 2 new turns." in run("import", file, "--dry-run")[1]
    assert account(run, file)["turns"] == 2
    graph = tmp_path / "memory.json"
    graph.write_text('{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}\n')
    assert account(run, graph, "--dry-run")["entries"] == 1
    assert account(run, graph)["entries"] == 1
    export = tmp_path / "export.jsonl"
    run("export", export)
    assert account(run, export, "--dry-run", "--collection", "copy")["transactions"] == 2
    assert account(run, export, "--collection", "copy")["transactions"] == 2


def test_an_export_of_claude_is_read_with_its_times(run, tmp_path):
    file = zipped(tmp_path / "data.zip", **{"conversations.json": json.dumps([claude()]), "users.json": "[]"})
    told = account(run, file)
    assert told["left_out"] == {"blocks of type tool_use": 2, "other files of the archive": 1}
    assert shown(run, "c-1#1")["text"].startswith("#1 (2026-01-02T03:04) user: Which train goes to Riga?")


def test_transcripts_are_read_from_a_file_or_a_folder(run, tmp_path):
    folder = tmp_path / "projects" / "engine"
    folder.mkdir(parents=True)
    for session in ("one", "two"):
        message = {
            "type": "user",
            "uuid": f"{session}-1",
            "sessionId": session,
            "message": {"content": f"hello {session}"},
        }
        (folder / f"{session}.jsonl").write_text(json.dumps(message) + "\r\n")
    assert account(run, folder / "one.jsonl")["conversations"] == 1
    told = account(run, tmp_path / "projects")
    assert (told["format"], told["conversations"], told["known"]) == ("claude-code", 1, 1)
    rollout = tmp_path / "rollout-1.jsonl"
    meta = {"type": "session_meta", "payload": {"id": "x", "cwd": "/w"}}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi\u2028there"}]}
    lines = [meta, {"type": "response_item", "payload": said}]
    rollout.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    assert account(run, rollout)["format"] == "codex"


MEM0 = {
    "id": "m-1",
    "memory": "Likes tea",
    "categories": ["food"],
    "created_at": "2026-01-01T00:00:00Z",
    "user_id": "ada",
}


@pytest.mark.parametrize(
    "value",
    [[MEM0], {"results": [MEM0]}, {"memories": [MEM0], "total": 1}, MEM0],
    ids=["list", "results", "memories", "one"],
)
def test_a_dump_of_mem0_becomes_entries_with_their_categories(run, tmp_path, value):
    file = tmp_path / "dump.json"
    file.write_text(json.dumps(value))
    assert account(run, file)["entries"] == 1
    assert shown(run, "e-1")["tags"] == ["food"]
    again = account(run, file)
    assert (again["format"], again["entries"], again["known"]) == ("mem0", 0, 1)


def test_of_two_records_with_one_id_the_first_is_kept(run, tmp_path):
    file = tmp_path / "dump.json"
    file.write_text(json.dumps([MEM0, {**MEM0, "memory": "Likes coffee"}]))
    told = account(run, file)
    assert (told["entries"], told["left_out"]) == (1, {"records with an id that another one has": 1})
    assert shown(run, "e-1")["text"] == "Likes tea"


def test_lines_of_memories_are_read_too(run, tmp_path):
    file = tmp_path / "dump.jsonl"
    file.write_text(json.dumps(MEM0) + "\n" + json.dumps({**MEM0, "id": "m-2", "memory": "Dislikes coffee"}) + "\n")
    assert account(run, file)["entries"] == 2


def openmemory():
    return {
        "user": {"id": "u"},
        "categories": [{"id": "k", "name": "work"}],
        "memories": [
            {"id": "1", "content": "Uses Python 3.11", "state": "active", "category_ids": ["k"]},
            {"id": "2", "content": "Used Perl", "state": "deleted", "category_ids": []},
        ],
    }


def test_a_backup_of_openmemory_leaves_out_what_was_deleted_there(run, tmp_path):
    file = zipped(tmp_path / "backup.zip", **{"memories.json": json.dumps(openmemory()), "memories.jsonl.gz": b"x"})
    told = account(run, file)
    assert (told["format"], told["entries"]) == ("openmemory", 1)
    assert told["left_out"] == {"memories that were deleted or archived there": 1}
    assert shown(run, "e-1")["tags"] == ["work"]
    packed = tmp_path / "memories.jsonl.gz"
    lines = [
        {"id": "1", "content": "Uses Python 3.11", "state": "active"},
        {"id": "3", "content": "b", "state": "active"},
    ]
    packed.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    assert account(run, packed)["entries"] == 1


@pytest.mark.parametrize("odd", [[], ["deleted"], {}, 5, None])
def test_a_state_that_is_no_word_hinders_nothing(run, tmp_path, odd):
    file = tmp_path / "dump.json"
    file.write_text(json.dumps([{"id": "1", "content": "Uses Python 3.11", "state": odd}]))
    assert account(run, file)["entries"] == 1


def notion(path, nested=True):
    page = f"# Heating\n\nTags: house, winter\n\nSee [the boiler](House%20{HEX}/Boiler%20{HEX}.md).\n"
    rows = "Name,Size\nKitchen,12\nBath,6\n"
    members = {
        f"House {HEX}/Heating {HEX}.md": page,
        f"House {HEX}/Boiler {HEX[::-1]}.md": "# Boiler\r\n\r\nBuilt 1999.",
        f"House {HEX}/Rooms {HEX}.csv": rows,
        f"House {HEX}/Rooms {HEX}_all.csv": rows,
        f"House {HEX}/Rooms/Bath {HEX[1:]}0.md": "# Bath\n\nBlue tiles.",
        "picture.png": "x",
    }
    if not nested:
        return zipped(path, **members)
    inner = io.BytesIO()
    zipped(inner, **members)
    return zipped(path, **{"Export-1-Part-1.zip": inner.getvalue()})


@pytest.mark.parametrize("nested", [True, False])
def test_pages_and_rows_of_notion_come_without_their_ids(run, tmp_path, nested):
    told = account(run, notion(tmp_path / "notion.zip", nested))
    assert (told["format"], told["entries"]) == ("notion", 4)
    assert told["left_out"] == {
        "files of type .png": 1,
        "views of a database of which the whole is there": 1,
        "rows that have a page of their own": 1,
    }
    page = shown(run, "e-1")
    assert (page["name"].partition(":")[0], page["tags"]) == ("Heating", ["house", "winter"])
    assert "(House/Boiler.md)" in page["text"]
    assert HEX not in json.dumps([shown(run, f"e-{number}") for number in range(1, 5)])


def test_a_table_is_read_by_its_columns(run, tmp_path):
    file = tmp_path / "facts.csv"
    rows = [
        ["Key", "Name", "Notes", "Labels", "Where"],
        ["1", "Ada", "likes tea,\nand cake", "food; people", "London"],
        [],
    ]
    with file.open("w", newline="", encoding="cp1252") as opened:
        csv.writer(opened, delimiter=";").writerows([*rows, ["2", "Zoë", "", "", ""]])
    assert "Say which it is" not in refused(run, file, "--map", "text=Nothing")
    told = account(run, file, "--map", "title=Name,text=notes,tags=Labels,id=Key")
    assert (told["format"], told["entries"], told["left_out"]) == ("csv", 1, {"rows without text": 1})
    entry = shown(run, "e-1")
    assert entry["tags"] == ["food", "people"]
    assert entry["text"] == "likes tea,\nand cake\nWhere: London"
    assert account(run, file, "--map", "title=Name,text=notes,tags=Labels,id=Key")["known"] == 1


def test_a_table_whose_columns_say_nothing_asks_for_them(run, tmp_path):
    file = tmp_path / "facts.csv"
    file.write_text("a,b\n1,2\n")
    assert "it has a, b. Say which it is, as --map text=COLUMN" in refused(run, file)
    assert "title=Name" in refused(run, file, "--map", "words=b")


BASIC = """---
title: Coffee
permalink: food/coffee
tags: [drinks]
---

# Coffee

Notes from the kitchen.

## Observations
- [method] Pour over is clearest #brewing (tried in March)
- [ ] buy filters

## Relations
- pairs_with [[Cake]]
- grown in [[Ethiopia|the highlands]]
"""


def test_a_map_of_what_is_no_table_is_refused_in_a_few_words(run, tmp_path):
    file = tmp_path / "export.json"
    file.write_text(json.dumps([{"title": "word " * 5000, "mapping": {}}] * 3))
    folder = tmp_path / "folder"
    folder.mkdir()
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("conversations.json", "[]")
    for path in (file, folder, archive):
        code, _, err = run("import", path, "--map", "title=x")
        assert (code, len(err) < 300) == (2, True), err


def test_a_folder_of_basic_memory_brings_observations_and_relations(run, tmp_path):
    folder = tmp_path / "notes"
    (folder / "food").mkdir(parents=True)
    (folder / "food" / "coffee.md").write_bytes(BASIC.replace("\n", "\r\n").encode())
    (folder / "picture.png").write_bytes(b"x")
    told = account(run, folder)
    assert (told["format"], told["entries"], told["relations"]) == ("basic-memory", 2, 2)
    entry = shown(run, "e-1")
    assert (entry["name"], entry["tags"]) == ("Coffee: Pour over is clearest", ["method", "brewing"])
    assert shown(run, "e-2")["text"] == "# Coffee\n\nNotes from the kitchen.\n\n## Observations\n- [ ] buy filters"
    assert shown(run, "t-2")["name"] == "Coffee grown in Ethiopia"
    again = account(run, folder)
    assert (again["entries"], again["relations"], again["known"]) == (0, 0, 4)


def test_a_folder_of_plain_notes_is_to_be_mounted(run, tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").write_text("Just a note with [[a link]].")
    assert "memotheca vault" in refused(run, folder)


def test_what_was_changed_here_is_not_overwritten(run, tmp_path):
    file = tmp_path / "dump.json"
    file.write_text(json.dumps([MEM0]))
    account(run, file)
    file.write_text(json.dumps([{**MEM0, "memory": "Likes green tea"}]))
    assert account(run, file)["entries"] == 1
    assert shown(run, "e-1")["text"] == "Likes green tea"
    run("call", "update", "id=e-1", "content=Likes oolong")
    file.write_text(json.dumps([{**MEM0, "memory": "Likes black tea"}]))
    assert account(run, file)["left_out"] == {"records that were changed here since": 1}
    assert shown(run, "e-1")["text"] == "Likes oolong"


def test_secrets_are_taken_out_and_the_account_says_so(run, tmp_path):
    secret = "ghp_" + "a1B2" * 9
    file = tmp_path / "dump.json"
    file.write_text(json.dumps([{**MEM0, "memory": f"Token {secret}"}]))
    assert account(run, file)["redactions"] == {"api_key": 1}
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([claude(f"About {secret}", uuid="u")]))
    assert "Secrets taken out: 1 api key." in run("import", talk, "--no-wait")[1]
    graph = tmp_path / "memory.json"
    graph.write_text(json.dumps({"type": "entity", "name": "Ada", "observations": [f"uses {secret}"]}))
    assert account(run, graph)["redacted"] == 1
    run("export", tmp_path / "all.jsonl")
    assert secret not in (tmp_path / "all.jsonl").read_text("utf-8")


def test_the_account_says_what_was_not_read(run, tmp_path):
    file = tmp_path / "conversations.json"
    circle = chatgpt("Circle")
    circle["mapping"]["a"]["parent"] = "d"
    lost = chatgpt("Lost", last="gone")
    parts: Any = {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "Look"]}
    lost["mapping"]["d"] = chatgpt_node("d", "c", "user", at=None, **parts)
    code = chatgpt_node("e", "d", "assistant", at=1_770_000_000, content_type="code", parts=None)
    lost["mapping"]["e"] = code
    file.write_text(json.dumps([circle, lost, None, {"mapping": {"x": None}}, {"mapping": 3}]))
    told = account(run, file)
    assert (told["conversations"], told["turns"]) == (1, 3)
    assert set(told["left_out"]) == {
        "conversations whose messages run in a circle (“Circle”)",
        "conversations in which nothing was said",
        "conversations without messages",
        "messages of type code",
        "messages of branches that were left",
        "pictures, sound and files in messages",
    }
    assert "Not read: messages of type code (1)." in run("import", file, "--dry-run")[1]


def test_the_same_conversation_twice_in_a_file_is_one(run, tmp_path):
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([claude(), claude()]))
    told = account(run, file)
    assert (told["conversations"], told["turns"]) == (1, 2)


GRAPH = b'{"type": "entity", "name": "Ada", "observations": ["Half \\ud800a letter"]}\n'


def broken(folder):
    deep = "[" * 100_000
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", bytes(200_000_001))
    nest = b"x"
    for _ in range(6):
        layer = io.BytesIO()
        zipped(layer, **{"a.zip": nest})
        nest = layer.getvalue()
    whole = json.dumps([claude(), claude("Other")], indent=1).encode()
    lines = [json.dumps({"type": "user", "sessionId": "s", "message": {"content": "hi"}}) for _ in range(3)]
    return {
        "empty.json": (b"", "empty.json: it is empty"),
        "blank.json": (b" \n\n", "blank.json: it is empty"),
        "cut.json": (whole[: len(whole) // 2], "cut.json, line "),
        "latin.json": ('["Zoë"]'.encode("latin-1"), "latin.json, line 1, byte 4: it is not UTF-8"),
        "deep.json": (deep.encode(), "deep.json: it is nested deeper"),
        "number.json": (b"[" + b"9" * 5000 + b"]", "number"),
        "other.json": (b'{"a": 1}', "other.json is nothing that is known"),
        "text.txt": (b"hello", "text.txt is nothing that is known"),
        "lines.jsonl": ("\n".join([lines[0], "{", *lines]).encode(), "lines.jsonl, line 2"),
        "memories.jsonl": ((json.dumps(MEM0) + "\n{\n" + json.dumps(MEM0)).encode(), "memories.jsonl, line 2"),
        "bomb.zip": (bomb.getvalue(), "unpacks to more than 200 MB"),
        "nest.zip": (nest, "archives within archives"),
        "cut.zip": (zipped_bytes(**{"a.md": "x" * 1000})[:-30], "cut.zip: its archive is cut off or broken"),
        "climbing.zip": (zipped_bytes(**{"../../etc/a.md": "x"}), "leads out of the archive"),
        "rooted.zip": (zipped_bytes(**{"/etc/a.md": "x"}), "leads out of the archive"),
        "none.zip": (zipped_bytes(**{"a.exe": "x"}), "nothing that is known"),
        "hollow.zip": (zipped_bytes(), "nothing that is known"),
        "chats.zip": (zipped_bytes(**{"conversations.json": "["}), "member conversations.json, line 1, column 2"),
        "wide.csv": (b"text\na,b\n", "wide.csv, line 2"),
        "open.csv": (b'text\n"a\n', "open.csv, line 2"),
        "binary.csv": (bytes(range(256)), "it is no text"),
        "page.zip": (
            zipped_bytes(**{"a.md": "x", "b/c.md": bytes(range(256))}),
            "page.zip, member b/c.md: it is no text",
        ),
        "graph.jsonl": (GRAPH + b'{"type": "relation", "from": "\\ud800"}', "Line 2 lacks 'from'"),
        "corpus.jsonl": (b'{"_id": "1", "text": "a"}\n{"_id": " ", "text": "b"}\n', "Line 2 lacks _id"),
        "cut.gz": (gzip.compress(whole)[:-40], "cut.gz: its archive is cut off"),
    }


def zipped_bytes(**members):
    made = io.BytesIO()
    zipped(made, **members)
    return made.getvalue()


def test_a_file_that_is_broken_leaves_nothing_and_says_where(run, tmp_path):
    wrong = {}
    for name, (content, where) in broken(tmp_path).items():
        (tmp_path / name).write_bytes(content)
        told = refused(run, tmp_path / name)
        if where not in told or "internal" in told.lower():
            wrong[name] = told
    assert wrong == {}
    assert nothing_is_stored(run)


def test_a_file_that_is_not_there_is_said_to_be_so(run, tmp_path):
    assert "cannot be read: No such file" in refused(run, tmp_path / "nowhere.json")


def test_marks_and_halves_of_letters_are_no_trouble(run, tmp_path):
    file = tmp_path / "a.json"
    text = json.dumps([claude("Half \ud800 a letter")])
    for encoding in ("utf-8-sig", "utf-16"):
        file.write_bytes(text.encode(encoding))
        account(run, file)
    assert shown(run, "c-1")["name"] == "Half a letter"
    assert run("show", "c-2")[0] != 0


def test_a_very_long_line_is_one_turn(run, tmp_path):
    file = tmp_path / "long.jsonl"
    message = {"type": "user", "sessionId": "s", "uuid": "1", "message": {"content": "word " * 100_000}}
    file.write_text(json.dumps(message) + "\n")
    assert account(run, file)["turns"] == 1


def test_a_conversation_without_end_is_left_out_and_the_others_are_kept(run, tmp_path):
    file = tmp_path / "long.jsonl"
    sizes = {"endless": 4_000_001, "short": 1}
    messages = [
        {"type": "user", "sessionId": session, "uuid": session, "message": {"content": "word " * size}}
        for session, size in sizes.items()
    ]
    file.write_text("\n".join(map(json.dumps, messages)))
    told = account(run, file)
    assert (told["conversations"], told["left_out"]) == (1, {"conversations of more than 20,000,000 letters": 1})

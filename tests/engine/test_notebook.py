"""The notebook in memory is, after any changes, the one that would be loaded anew."""

from contextlib import contextmanager
from threading import Event, Thread

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memotheca.notes import notebook, watch
from memotheca.notes.mounts import opened, vaults_of
from memotheca.notes.notebook import LiveNotebook, Notebook, ghost_id
from tests.patience import PATIENCE

NAMES = st.sampled_from(["a", "b", "sub/a", "sub/B c", "sub/b-c", "D", "p.png"])
LINKS = (
    "[[a]] | [[b c]] | [[sub/a]] | [x](a.md) | [y](../D.md) | [[e-1]] | [[nowhere]] | [[Alias]] | #t/u | ![[p.png]] | "
    "[p](p.png) | [[a.md]] | [[sub/nowhere]] | [[x/nowhere.md]] | [z](/sub/a)"
)
TEXTS = st.lists(st.sampled_from(LINKS.split(" | ")), max_size=4).map(" ".join)
HEADS = st.sampled_from(
    ["", "---\naliases: [Alias]\n---\n", "---\ntitle: nowhere\n---\n", "---\ntitle: x/nowhere.md\n---\n"]
)
NAMED, TITLED = "---\naliases: [Alias]\n---\n", "---\ntitle: nowhere\n---\n"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("save"), NAMES, st.tuples(HEADS, TEXTS).map("".join)),
        st.tuples(st.just("remove"), NAMES, st.just("")),
        st.tuples(st.just("store"), st.just(""), st.just("")),
        st.tuples(st.just("undo"), st.just(""), st.just("")),
    ),
    max_size=8,
)


def _seen(kernel, live):
    with live.guard, kernel.read() as snapshot:
        book = live.at(snapshot)
        return {
            book.name_of(node): sorted(book.name_of(target) for target in book.graph.out[node])
            for node in book.graph.out
        }, {tag: len(ids) for tag, ids in book._by_tag.items()}


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(STEPS)
@example([("save", "sub/a", "[[a]]"), ("save", "a", "")]).via("a link to itself that means another")
@example([("save", "b", "[[nowhere]]"), ("save", "a", TITLED), ("save", "a", "")]).via("a title that goes")
@example([("save", "a", NAMED), ("save", "b", "[[Alias]]"), ("save", "Alias", "")]).via("a file named as an alias")
@example([("save", "a", ""), ("save", "b", "[[a]]"), ("remove", "a", "")]).via("a note that goes")
@example([("save", "a", "![[p.png]]"), ("save", "p.png", "")]).via("an attachment that is a note")
def test_what_is_followed_is_what_would_be_loaded(writer, steps):
    for name in list(writer.files()):
        (writer.vault / name).unlink()
    writer.sync()
    for kind, name, text in steps:
        if kind == "save":
            writer.save(f"{name}.md", text)
        elif kind == "remove":
            (writer.vault / f"{name}.md").unlink(missing_ok=True)
        elif kind == "store":
            writer.store("x", "y")
        else:
            writer.reply("undo")
        writer.sync()
        assert _seen(writer.kernel, vaults_of(writer.kernel).notebook) == _seen(writer.kernel, LiveNotebook())


def test_the_same_words_mean_one_note_in_a_wikilink_and_another_in_a_relative_link(writer):
    for name, text in (("a", ""), ("sub/a", ""), ("sub/b", "[[a.md]] [x](a.md)"), ("sub/c", "[x](a.md) [[a.md]]")):
        writer.save(f"{name}.md", text)
    writer.sync()
    for name, meant in (("sub/b", ["a.md", "sub/a.md"]), ("sub/c", ["sub/a.md", "a.md"])):
        assert [link["id"] for link in writer.ask("get_node", id=f"{name}.md")["links"]] == meant


def test_the_graph_is_read_anew_where_more_changed_than_it_holds(writer, monkeypatch):
    monkeypatch.setattr(notebook, "MANY", 3)
    book = vaults_of(writer.kernel).notebook
    writer.given(a="[[b]]")
    _seen(writer.kernel, book)
    loaded: list[int] = []
    load = LiveNotebook.load
    monkeypatch.setattr(LiveNotebook, "load", lambda self, snapshot: loaded.append(snapshot.tx) or load(self, snapshot))
    writer.given(b="[[a]]")
    assert _seen(writer.kernel, book) == _seen(writer.kernel, LiveNotebook())
    assert len(loaded) == 1  # The other book's.
    writer.given(c="[[a]]", d="", e="", f="", g="")
    assert _seen(writer.kernel, book) == _seen(writer.kernel, LiveNotebook())
    assert len(loaded) == 3


def test_edges_of_the_journal_are_in_the_graph(writer):
    from memotheca.entries.edges import new_edge

    handle = writer.store("tea", "x")
    writer.given(a="note")

    def join(transaction):
        note = transaction.entry(transaction.find_alias("note", "a.md"))
        entry = transaction.entry(transaction.find_alias("entry", handle))
        transaction.put(new_edge(transaction, note.id, "cites", entry.id))

    writer.kernel.write(join, actor="x")
    assert writer.ask("get_node", id="a.md")["links"] == [{"id": handle, "title": "tea"}]
    assert writer.ask("find_path", source="a.md", target=handle)["length"] == 1
    writer.call("undo")
    assert writer.ask("get_node", id="a.md")["links"] == []


@pytest.mark.parametrize(("one", "other"), [("Missing Note", "missing-note"), ("x/Missing note.md", "X/missing_note")])
def test_a_ghost_has_one_id_however_it_is_spelled(one, other):
    assert ghost_id(one) == ghost_id(other)
    assert ghost_id(one) != ghost_id(f"y/{one}")
    assert len(ghost_id(one)) == len("ghost_") + 12


def test_who_follows_the_vaults_reads_the_graph_unasked(writer, monkeypatch):
    writer.given(a="[[b]]")
    stop, read = Event(), Event()

    @contextmanager
    def noticed(kernel):
        with opened(kernel) as found:
            yield found
        read.set()

    monkeypatch.setattr(watch, "opened", noticed)
    monkeypatch.setattr(vaults_of(writer.kernel).notebook, "_held", None)
    follower = Thread(target=watch.follow_vaults, args=(writer.kernel, stop))
    follower.start()
    try:
        assert read.wait(PATIENCE)
        held = vaults_of(writer.kernel).notebook._held
        assert held is not None
        assert len(held[1].rows) == 1
    finally:
        stop.set()
        follower.join()


@pytest.mark.parametrize("many", [1000, -1000])
def test_a_look_that_breaks_off_is_done_again_from_the_beginning(writer, monkeypatch, many):
    """Half of what was read must not be taken for all of it, whether the graph was followed or read anew."""
    book = vaults_of(writer.kernel).notebook
    writer.given(a="[[b]]", b="", c="[[New]]")
    _seen(writer.kernel, book)
    monkeypatch.setattr(notebook, "MANY", many)
    connect = Notebook._connect
    broken = iter([True])

    def break_off(self, *told):
        if next(broken, False):
            raise MemoryError
        connect(self, *told)

    writer.save("b.md", "---\ntitle: New\n---\n")
    monkeypatch.setattr(Notebook, "_connect", break_off)
    with pytest.raises(MemoryError):
        writer.sync()
    assert _seen(writer.kernel, book) == _seen(writer.kernel, LiveNotebook())

"""Originals: a page of a document as it looks, drawn from the very file it was read from, wherever that may be."""

import base64
import contextlib
import struct
from dataclasses import replace

import pytest

from memotheca.admin.erasure import erase, erase_everywhere
from memotheca.jobs.queue import bench_of
from memotheca.model.errors import Refusal
from memotheca.parsing.open_safely import open_file
from memotheca.storage.database import scalar
from tests.documents.conftest import Librarian
from tests.reading.conftest import pdf, png, text_pdf
from tests.reading.hostile import endless_pages, locked_pdf, nested_arrays

WORDS = ("The kiln has three shelves.", "Glaze is glass.", "A wheel of stone.")
KEPT = 10 * 1024 * 1024


@pytest.fixture
def keeper(librarian: Librarian) -> Librarian:
    """Somebody whose server keeps what is sent to it."""
    librarian.kernel = librarian.kernel.having(replace(bench_of(librarian.kernel), originals=KEPT))
    return librarian


def send(librarian: Librarian, content: bytes, name: str) -> str:
    code = base64.b64encode(content).decode()
    return librarian.add(f"data:application/octet-stream;name={name};base64,{code}")["document_id"]


def look(librarian: Librarian, handle: str, **more: object) -> dict[str, object]:
    return librarian.call("console_page", handle=handle, **more)


def picture_of(shown: dict[str, object]) -> tuple[int, int]:
    content = base64.b64decode(str(shown["picture"]))
    assert content.startswith(b"\x89PNG")
    return struct.unpack_from(">II", content, 16)


def count_kept(librarian: Librarian) -> int:
    with librarian.kernel.store.database.read() as session:
        pieces = scalar(session, "SELECT count(*) FROM original_piece")
        assert bool(pieces) == bool(scalar(session, "SELECT count(*) FROM original"))
        return int(scalar(session, "SELECT count(*) FROM original"))


def test_a_page_of_a_file_in_its_place_is_drawn_as_long_as_it_is_the_same_file(keeper):
    path = keeper.folder / "pots.pdf"
    path.write_bytes(text_pdf(*WORDS))
    document = keeper.add(path)["document_id"]
    assert count_kept(keeper) == 0
    told = look(keeper, document)
    assert (told["page"], told["pages"], told["picture"]) == (1, 3, None)
    shown = look(keeper, document, page=2, width=300)
    assert (shown["width"], shown["height"]) == picture_of(shown) == (300, 388)
    assert look(keeper, document, page=3, width=300)["picture"] != shown["picture"]
    assert "has no page 4" in keeper.refused("console_page", handle=document, page=4)["error"]["message"]
    path.write_bytes(text_pdf("Another pot."))
    assert keeper.refused("console_page", handle=document)["error"]["code"] == "conflict"
    path.unlink()
    assert keeper.refused("console_page", handle=document)["error"]["code"] == "not_found"


def test_no_file_outside_the_folders_that_may_be_read_is_looked_at(keeper):
    path = keeper.folder / "pots.pdf"
    path.write_bytes(text_pdf(*WORDS))
    document = keeper.add(path)["document_id"]
    bench = bench_of(keeper.kernel)
    keeper.kernel = keeper.kernel.having(replace(bench, roots=(keeper.folder / "other",)))
    refused = keeper.refused("console_page", handle=document, width=300)["error"]
    assert refused["code"] == "forbidden"
    assert str(keeper.folder) not in refused["message"]
    keeper.kernel = keeper.kernel.having(replace(bench, roots=(keeper.folder,)))
    assert look(keeper, document, width=300)["picture"]
    path.rename(keeper.folder / "moved.pdf")
    path.symlink_to(keeper.folder / "moved.pdf")
    assert keeper.refused("console_page", handle=document)["error"]["code"] == "forbidden"


def test_what_was_sent_is_kept_shown_from_any_of_its_sections_and_once(keeper):
    document = send(keeper, text_pdf(*WORDS), "pots.pdf")
    assert send(keeper, text_pdf(*WORDS), "pots again.pdf") == document
    assert count_kept(keeper) == 1
    assert look(keeper, document, page=3, width=300)["picture"]
    picture = send(keeper, png(40, 20), "dot.png")
    shown = look(keeper, picture, width=10)
    assert (shown["pages"], picture_of(shown)) == (1, (10, 5))
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 90 60'><text y='40'>lamp</text></svg>"
    assert picture_of(look(keeper, send(keeper, drawing, "lamp.svg"), width=90)) == (90, 60)
    text = send(keeper, b"<h1>Tea</h1><p>Green.</p>", "tea.html")
    assert keeper.refused("console_page", handle=text)["error"]["code"] == "unsupported"
    assert keeper.refused("console_page", handle=keeper.call("store", topic="t", content="c")["id"])["error"]


def test_the_oldest_make_room_and_nothing_is_kept_where_that_is_not_wanted(librarian):
    bench = bench_of(librarian.kernel)
    files = [png(200, 200, rows=bytes([0, *range(200)]) * n + bytes(201) * (200 - n)) for n in (50, 100, 150)]
    room = len(files[1]) + len(files[2])
    librarian.kernel = librarian.kernel.having(replace(bench, originals=room))
    documents = [send(librarian, content, f"{number}.png") for number, content in enumerate(files)]
    gone = librarian.refused("console_page", handle=documents[0])["error"]
    assert (gone["code"], "not kept" in gone["message"]) == ("not_found", True)
    assert all(look(librarian, document, width=50)["picture"] for document in documents[1:])
    librarian.kernel = librarian.kernel.having(replace(bench, originals=0))
    assert librarian.refused("console_page", handle=send(librarian, png(7, 7), "none.png"))["error"]
    assert count_kept(librarian) == 2


def test_an_original_goes_with_its_document_and_comes_back_with_it(keeper):
    document = send(keeper, text_pdf(*WORDS), "pots.pdf")
    other = send(keeper, png(40, 20), "dot.png")
    before = keeper.call("console_history", limit=1)["newest"]["tx"]
    forgotten = keeper.call("console_change", handle=document, action="forget")
    assert keeper.refused("console_page", handle=document)["error"]["code"] == "tombstoned"
    assert look(keeper, document, width=50, as_of=str(before))["picture"]
    keeper.call("console_undo", tx=forgotten["tx"])
    assert look(keeper, document, width=50)["picture"]
    erase(keeper.kernel, document, actor="tester")
    assert count_kept(keeper) == 1
    assert keeper.refused("console_page", handle=document)["error"]
    assert look(keeper, other, width=20)["picture"]


@pytest.mark.only_sqlite
def test_an_original_is_in_backups_and_erased_there_too(keeper):
    document = send(keeper, text_pdf(*WORDS), "pots.pdf")
    bench = bench_of(keeper.kernel)
    backup = keeper.app.data / "backups" / "memotheca-now-manual.db"
    backup.parent.mkdir(exist_ok=True)
    keeper.kernel.store.database.copy_to(backup)
    copy, *_ = bench.open_backups()
    with copy.database.read() as session:
        assert scalar(session, "SELECT count(*) FROM original") == 1
    copy.close()
    with keeper.kernel.read() as snapshot:
        (version,) = snapshot.entries(("document",))
    erase_everywhere(keeper.kernel, version.id, actor="tester")
    assert keeper.refused("console_page", handle=document)["error"]
    (copy,) = bench.open_backups()
    with copy.database.read() as session:
        assert scalar(session, "SELECT count(*) FROM original_piece") == 0
    copy.close()


@pytest.mark.parametrize("make", [endless_pages, locked_pdf])
def test_a_hostile_file_is_refused_and_harms_nobody(make, keeper):
    good = send(keeper, text_pdf(*WORDS), "pots.pdf")
    path = keeper.folder / "pots.pdf"
    path.write_bytes(text_pdf("One."))
    document = keeper.add(path)["document_id"]
    sandbox = bench_of(keeper.kernel).sandbox
    path.write_bytes(make())
    refused = keeper.refused("console_page", handle=document, width=300)["error"]
    assert refused["code"] == "conflict"
    with pytest.raises(Exception, match=r"damaged|password|page|memory|crashed"):
        draw(sandbox, path)
    assert look(keeper, good, width=50)["picture"]


def test_a_page_that_is_nested_without_end_is_drawn_or_not_within_bounds(keeper):
    path = keeper.folder / "nested.pdf"
    path.write_bytes(nested_arrays())
    with contextlib.suppress(Refusal):
        draw(bench_of(keeper.kernel).sandbox, path)
    assert look(keeper, send(keeper, png(40, 20), "dot.png"), width=20)["picture"]


def test_a_page_of_absurd_size_is_drawn_within_bounds(keeper):
    for box in (b"0 0 14400 14400", b"0 0 1 14400", b"0 0 14400 1"):
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[" + box + b"]>>"
        made = pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>", page)
        path = keeper.folder / "large.pdf"
        path.write_bytes(made)
        across, down = draw(bench_of(keeper.kernel).sandbox, path)
        assert across <= 2001
        assert down <= 10_001
        assert across * down <= 4_100_000


def draw(sandbox, path):
    with open_file(str(path)) as opened:
        drawn = sandbox.draw(opened, page=1, width=2000)
    assert len(drawn.content) <= 1_500_000
    return drawn.width, drawn.height

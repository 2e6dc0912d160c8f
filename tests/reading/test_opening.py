"""Only regular files are opened, and each way that fails has its own reason."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.open_safely import MEGABYTE, hold_content, open_file, read_at


def make_link(place: Path) -> Path:
    (place / "real.txt").write_text("words")
    (place / "link.txt").symlink_to(place / "real.txt")
    return place / "link.txt"


def make_loop(place: Path) -> Path:
    (place / "loop.txt").symlink_to(place / "loop.txt")
    return place / "loop.txt"


def make_pipe(place: Path) -> Path:
    os.mkfifo(place / "pipe.txt")
    return place / "pipe.txt"


def make_large(place: Path) -> Path:
    with (place / "large.pdf").open("wb") as large:
        large.truncate(150 * MEGABYTE)
    return place / "large.pdf"


def make_empty(place: Path) -> Path:
    (place / "empty.txt").touch()
    return place / "empty.txt"


def make_unreadable(place: Path) -> Path:
    path = place / "private.txt"
    path.write_text("words")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    return path


CASES: dict[str, tuple[Callable[[Path], Path], Failure]] = {
    "a symbolic link": (make_link, Failure.FORBIDDEN),
    "a link to itself": (make_loop, Failure.FORBIDDEN),
    "a named pipe": (make_pipe, Failure.FORBIDDEN),
    "a device": (lambda place: Path("/dev/zero"), Failure.FORBIDDEN),
    "a directory": (lambda place: place, Failure.INVALID),
    "no file": (lambda place: place / "missing.txt", Failure.NOT_FOUND),
    "a path through a file": (lambda place: make_empty(place) / "deeper.txt", Failure.NOT_FOUND),
    "a name that is too long": (lambda place: place / ("n" * 5000), Failure.NOT_FOUND),
    "a file that is too large": (make_large, Failure.TOO_LARGE),
    "an empty file": (make_empty, Failure.CORRUPT),
    "a file nobody may read": (make_unreadable, Failure.FORBIDDEN),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_readable_file_is_refused(case: str, tmp_path: Path) -> None:
    make, failure = CASES[case]
    path = make(tmp_path)
    with pytest.raises(Refusal) as refused:
        open_file(str(path))
    assert refused.value.failure is failure


def test_a_large_file_is_named_with_its_size(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refused:
        open_file(str(make_large(tmp_path)))
    assert refused.value.message == "File size (150 MB) exceeds maximum allowed size (100 MB)"
    assert refused.value.details == {"max_size_mb": 100}


def test_a_path_with_a_zero_byte_is_not_found() -> None:
    with pytest.raises(Refusal) as refused:
        open_file("a\0b")
    assert refused.value.failure is Failure.NOT_FOUND


def test_a_file_outside_the_roots_is_refused_even_through_a_linked_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (inside / "way").symlink_to(outside)
    for path in (outside / "secret.txt", inside / "way" / "secret.txt", inside / ".." / "outside" / "secret.txt"):
        with pytest.raises(Refusal) as refused:
            open_file(str(path), roots=[inside])
        assert refused.value.failure is Failure.FORBIDDEN
    (inside / "open.txt").write_text("open")
    with open_file(str(inside / "open.txt"), roots=[inside]) as opened:
        assert opened.size == 4


def test_a_link_that_is_put_in_the_way_after_the_check_is_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder, text in ((inside / "way", "open"), (outside, "secret")):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text(text)
    link, aside = tmp_path / "link", tmp_path / "aside"
    link.symlink_to(outside)
    stopped = threading.Event()

    def swap() -> None:
        while not stopped.is_set():
            (inside / "way").rename(aside)
            link.rename(inside / "way")
            (inside / "way").rename(link)
            aside.rename(inside / "way")

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: set[bytes] = set()
    try:
        for _ in range(2000):
            with suppress(Refusal), open_file(str(inside / "way" / "a.txt"), roots=[inside]) as opened:
                seen.add(read_at(opened.descriptor, 10, 0))
    finally:
        stopped.set()
        swapping.join()
    assert seen <= {b"open"}


def test_the_home_of_nobody_is_not_found() -> None:
    with pytest.raises(Refusal) as refused:
        open_file("~nobody-of-that-name/a.txt")
    assert refused.value.failure is Failure.NOT_FOUND


def test_a_file_that_vanishes_after_it_was_opened_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("still here")
    with open_file(str(path)) as opened:
        path.unlink()
        assert opened.fingerprint() == hold_content(b"still here", "b.txt").fingerprint()


def test_sent_content_is_limited_like_a_file() -> None:
    with pytest.raises(Refusal) as refused:
        hold_content(b"12345", "a.txt", max_size=4)
    assert refused.value.failure is Failure.TOO_LARGE

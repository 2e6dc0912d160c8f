"""What the tutorial shows of a terminal is what is said there today; `scripts/terminal_pictures.py` draws it anew."""

import re

import pytest

from memotheca.vectors.embedders import is_shipped_model_there
from scripts.terminal_pictures import PICTURES, pictures

pytestmark = pytest.mark.skipif(not is_shipped_model_there(), reason="make model")


def lines(picture: str) -> list[str]:
    found = re.findall(r"<text [^>]*>([^<]*)</text>", picture)
    assert found
    return found


CHANGING = (
    r"[0-9a-f]{8}(-[0-9a-f]{4,12}){0,4}",  # ids and the names made of them
    r"20\d\d-\d\d-\d\d|\d\d:\d\d|\d+ \w{3} 20\d\d",  # times
    r"\d+\.\d+\.\d+\w*",  # the version
)


def plain(picture: str) -> list[str]:
    """Its words, without what differs each time, and so wherever lines are broken."""
    told = " ".join(line.strip() for line in lines(picture))
    return re.sub("|".join(CHANGING), "·", told).split()


def test_the_pictures_of_the_tutorial_are_what_is_answered_today(tmp_path):
    drawn = pictures(tmp_path)
    assert {name: plain(picture) for name, picture in drawn.items()} == {
        name: plain((PICTURES / f"{name}.svg").read_text("utf-8")) for name in drawn
    }
    assert "Seems to update" in drawn["changing"]
    assert max(len(picture) for picture in drawn.values()) < 4000

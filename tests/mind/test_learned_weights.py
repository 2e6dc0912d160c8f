"""Learned weights: read for the features they were learned for, and refused for any other."""

from pathlib import Path

import numpy as np
import pytest

from memotheca.memory.safety import adversarial, learned_weights
from memotheca.memory.safety.learned_weights import Features, read_weights, write_weights
from memotheca.model.errors import Failure, Refusal

KNOWN = Features(("override", "leak", "always"), 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "some.npz"
    write_weights(file, KNOWN, np.array([1.5, 0.25, -2]), np.array([0, 1.27, -0.5, 0.01]))
    return file


def refusal(path: Path, features: Features = KNOWN) -> str:
    with pytest.raises(Refusal) as refused:
        read_weights(path, features)
    assert refused.value.failure is Failure.INCOMPATIBLE
    return refused.value.message


def test_what_was_written_is_read_again(path: Path) -> None:
    named, words = read_weights(path, KNOWN)
    assert named.tolist() == [1.5, 0.25, -2]
    assert words == pytest.approx([0, 1.27, -0.5, 0.01], abs=0.005)


def test_the_shipped_weights_are_for_the_features_of_this_program() -> None:
    named, words = read_weights(adversarial.WEIGHTS, adversarial.FEATURES)
    assert (named.shape, words.shape) == ((len(adversarial.NAMES),), (adversarial.BUCKETS,))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("override", "conceal", "leak", "always"), "it lacks 'conceal'"),
        (("override", "always"), "it has besides 'leak'"),
        (("override", "send", "always"), "it lacks 'send' and has besides 'leak'"),
        (("leak", "override", "always"), "it has them in another order"),
    ],
)
def test_a_changed_list_of_features_is_refused_by_name(path: Path, names: tuple[str, ...], said: str) -> None:
    message = refusal(path, Features(names, 4))
    assert said in message
    assert "--learn" in message


def test_another_count_of_numbers_is_refused(path: Path) -> None:
    assert "8 numbers" in refusal(path, Features(KNOWN.names, 8))


def test_another_format_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_weights, "FORMAT", 2)
    assert "is of format 1, not 2" in refusal(path)


@pytest.mark.parametrize("content", [b"", b"\0\1\2\3" * 40, b"PK\3\4 torn"])
def test_a_damaged_file_is_refused_plainly(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "missing or damaged" in refusal(path)


def test_a_missing_file_is_refused_plainly(tmp_path: Path) -> None:
    assert "missing or damaged" in refusal(tmp_path / "none.npz")

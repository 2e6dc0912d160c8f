"""The voice of an embedder: how far its cosines spread, which are near enough to count, and which scripts it reads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memotheca.storage.database import Session
from memotheca.storage.store import read_settings
from memotheca.vectors.embedders import DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What cosines mean. Texts that have nothing to do with each other lie around `centre`, `spread` apart; from
    `near` on a text counts as a match. `worth` is how much a spread counts beside the words of a question: more, where
    a model is known to find better than others."""

    centre: float = 0.0
    spread: float = 0.1
    near: float = 0.2
    reads_cjk: bool = False
    worth: float = 1.0


# Measured (docs/decisions/search.md, Other embedders): how our models speak.
DEFAULT_VOICE = Voice(worth=1.2)
VOICES = {
    "gte-small": DEFAULT_VOICE,
    "minilm": Voice(),
    "granite-30m": Voice(worth=1.4),
    "use-multilingual": Voice(centre=0.0, spread=0.05, near=0.11, reads_cjk=True),
    "multilingual": Voice(centre=0.0, spread=0.0445, near=0.09, reads_cjk=True),
}


def voice_of(session: Session, collection: str) -> Voice:
    """How the embedder that a collection has chosen speaks: as it was listened to then, where it is none of ours."""
    settings = read_settings(session, collection)
    ours, said = VOICES.get(settings.get("embedder", DEFAULT)), settings.get("voice")
    return ours or (Voice(**said) if said else DEFAULT_VOICE)


# Measured (docs/benchmarks.md, What counts as a match): two spreads above what is unrelated, as it is for the shipped
# model.
NEAR_SPREADS = 2.0
LEAST_SPREAD = 0.01  # chosen: an embedder whose cosines are all alike must not be divided by nothing
READING = 0.75  # chosen: six of eight questions find their answer; guessing finds one

ENGLISH = (
    (
        "How do we release without downtime?",
        "Two environments take turns; traffic moves to the new one when it is healthy.",
    ),
    ("What does Ada drink in the morning?", "She takes her tea black, before eight o'clock."),
    ("Why did the bridge close?", "Engineers found cracks in a supporting beam and stopped all lorries."),
    ("When was the treaty signed?", "Both kings put their names to the peace in the spring of 1648."),
    ("How is the password stored?", "Only a salted hash is kept, never the secret itself."),
    ("Which bird migrates the farthest?", "Arctic terns fly from pole to pole and back every year."),
    ("What is the refund policy?", "Customers get their money back within thirty days of the purchase."),
    ("How long does bread rise?", "Leave the dough in a warm place until it has doubled, about an hour."),
)
CHINESE = (
    ("我们怎样在不停机的情况下发布", "两个环境轮流工作 新环境健康后才切换流量。"),
    ("她早上喝什么", "她八点以前喝不加糖的红茶。"),
    ("大桥为什么关闭", "工程师发现支撑梁有裂缝 禁止货车通行。"),
    ("条约是什么时候签订的", "两位国王在一六四八年春天签署了和约。"),
    ("密码是怎样保存的", "系统只保存加盐的哈希值 从不保存密码本身。"),
    ("哪种鸟迁徙得最远", "北极燕鸥每年从北极飞到南极再飞回来。"),
    ("退款政策是什么", "顾客在购买后三十天内可以拿回货款。"),
    ("面包要发酵多久", "把面团放在温暖的地方 大约一小时涨到两倍大。"),
)


class Speaker(Protocol):
    def embed_question(self, text: str) -> Any: ...

    def embed_passage(self, title: str, text: str) -> list[Any]: ...


def listen(embedder: Speaker) -> Voice:
    """Find out how an embedder speaks, from questions whose answers are known; the same every time."""
    unrelated = [
        cosine
        for row, line in enumerate(_cosines(embedder, ENGLISH))
        for column, cosine in enumerate(line)
        if row != column
    ]
    centre = sum(unrelated) / len(unrelated)
    spread = max(math.sqrt(sum((cosine - centre) ** 2 for cosine in unrelated) / len(unrelated)), LEAST_SPREAD)
    chinese = _cosines(embedder, CHINESE)
    right = sum(1 for row, line in enumerate(chinese) if max(line) == line[row])
    return Voice(
        centre=round(centre, 4),
        spread=round(spread, 4),
        near=round(centre + NEAR_SPREADS * spread, 4),
        reads_cjk=right >= READING * len(chinese),
    )


def _cosines(embedder: Speaker, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
    questions = [embedder.embed_question(question) for question, _ in pairs]
    passages = [embedder.embed_passage("", passage)[0] for _, passage in pairs]
    return [[float(question @ passage) for passage in passages] for question in questions]

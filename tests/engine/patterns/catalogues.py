"""Small catalogues for tests: files as people really write them."""

from pathlib import Path
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.patterns.import_catalogue import Account, import_catalogue
from memotheca.search.chosen_embedder import choose_embedder

PLAIN = """---
id: {id}
title: {title}
category: {category}
difficulty: {difficulty}
summary: {summary}
tags: [{tags}]
---

{text}
"""


def by_words_alone(kernel: Kernel) -> None:
    """Vectors differ in the last digits from processor to processor; words do not."""
    for collection in (kernel.collection, STARTER_COLLECTION):
        choose_embedder(kernel.store, collection, "none")


def write(folder: Path, path: str, content: str) -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, "utf-8")
    return file


def write_many(folder: Path, count: int, word: str = "gadget") -> None:
    """So many patterns about one word, in three categories and three difficulties of uneven size."""
    for number in range(count):
        said: dict[str, Any] = {
            "id": f"{word}-{number}",
            "title": f"Use a {word} number {number}",
            "category": ("assembly", "assembly", "wiring", "paint")[number % 4],
            "difficulty": ("beginner", "beginner", "intermediate", "advanced", "advanced")[number % 5],
            "summary": f"How to use the {word} {number}.",
            "tags": f"{word}, n{number}",
            "text": f"A {word} turns slowly.\n\n## Example\n\n```python\nassert {number} == {number}\n```",
        }
        write(folder, f"{word}-{number}.md", PLAIN.format(**said))


def bring_in(kernel: Kernel, folder: Path, name: str = "") -> Account:
    return import_catalogue(kernel, folder, name=name, actor="tester", report=lambda done, total, message: None)

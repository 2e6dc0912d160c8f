"""Reading one file of a catalogue: the variants people write, and what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memotheca.patterns.pattern_file import DIFFICULTIES, ParsedPattern, read_pattern, shorten
from memotheca.patterns.pattern_frontmatter import UnreadablePattern
from memotheca.patterns.pattern_sections import find_examples, split_sections

WHOLE = """---
id: use-match
title: Use match
category: error-handling
difficulty: beginner
summary: Handle both outcomes at once.
tags: [match, errors]
useWhen: Both outcomes matter.
avoidWhen: One of them cannot happen.
related: [use-either, use-option]
---

# Use match

Handle success and failure in one place.

## Example

Match on a result:

```ts
match(result)
```

## Anti-Pattern

```ts
if (result.ok) {}
```
"""


def read(text: str, path: str = "errors/use-match.mdx") -> ParsedPattern:
    return read_pattern(text.encode(), path)


def test_a_whole_file_needs_no_assumption():
    draft = read(WHOLE)
    pattern = draft.pattern
    assert draft.warnings == ()
    assert (pattern.slug, pattern.title, pattern.category, pattern.difficulty) == (
        "use-match",
        "Use match",
        "error-handling",
        "beginner",
    )
    assert pattern.description == "Handle success and failure in one place."
    assert (pattern.use_when, pattern.avoid_when) == ("Both outcomes matter.", "One of them cannot happen.")
    assert pattern.tags == ("match", "errors")
    assert pattern.related == ("use-either", "use-option")
    sections = split_sections(pattern.text, pattern.title)
    assert [(each.title, each.type) for each in sections] == [
        ("", "description"),
        ("Example", "example"),
        ("Anti-Pattern", "anti-pattern"),
    ]
    (example,) = find_examples(sections)
    assert (example.code, example.language, example.description) == (
        "match(result)",
        "typescript",
        "Match on a result",
    )


@pytest.mark.parametrize(
    ("line", "difficulty", "warned"),
    [
        ("difficulty: Advanced", "advanced", False),
        ("skillLevel: intermediate", "intermediate", False),
        ("skill_level: advanced", "advanced", False),
        ("Level: easy", "beginner", True),
        ("complexity: 3", "advanced", True),
        ("difficulty: wizardry", "intermediate", True),
        ("difficulty:", "intermediate", True),
    ],
)
def test_difficulties_are_three_and_others_are_mapped_with_a_warning(line, difficulty, warned):
    draft = read(WHOLE.replace("difficulty: beginner", line))
    assert draft.pattern.difficulty == difficulty
    assert any("difficulty" in warning for warning in draft.warnings) is warned


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("category: Error Handling", "error-handling"),
        ("categories: [streams, errors]", "streams"),
        ("applicationPatternId: project-setup--execution", "project-setup--execution"),
        ("useCase: [testing]", "testing"),
        ("", "errors"),
    ],
)
def test_categories_are_those_of_the_catalogue(line, category):
    assert read(WHOLE.replace("category: error-handling", line)).pattern.category == category


@pytest.mark.parametrize(
    ("tags", "expected"),
    [("tags: a, b", ("a", "b")), ("tags: [a, 2, a]", ("a", "2")), ("keywords:\n  - a\n  - b c", ("a", "b c"))],
)
def test_tags_are_a_list_or_a_line(tags, expected):
    assert read(WHOLE.replace("tags: [match, errors]", tags)).pattern.tags == expected


@pytest.mark.parametrize(
    "title",
    ["title: Match: the better way", "title: `Effect.match` for errors", "title: Why match? # and when: now"],
)
def test_a_title_that_is_no_yaml_is_read_as_it_was_meant(title):
    draft = read(WHOLE.replace("title: Use match", title))
    assert draft.pattern.title == title.removeprefix("title: ") or "#" in title
    assert draft.pattern.category == "error-handling"


def test_what_is_missing_is_taken_from_the_file_and_said():
    draft = read("---\ntags: [x]\n---\n\n# The heading\n\nSome words.\n", "streams/merge-two.md")
    pattern = draft.pattern
    assert (pattern.slug, pattern.title, pattern.category, pattern.difficulty) == (
        "merge-two",
        "The heading",
        "streams",
        "intermediate",
    )
    assert pattern.summary == pattern.description == "Some words."
    assert len(draft.warnings) == 4


@pytest.mark.parametrize("mark", ["\ufeff", "\n\n"])
def test_marks_and_line_ends_of_other_systems_do_not_matter(mark):
    assert read(mark + WHOLE.replace("\n", "\r\n")).pattern == read(WHOLE).pattern


def test_toml_frontmatter_is_read():
    text = '+++\nid = "a"\ntitle = "A"\ncategory = "c"\ndifficulty = "beginner"\ntags = ["x"]\n+++\nWords.\n'
    assert read(text).pattern.tags == ("x",)


def test_mdx_machinery_is_left_out_and_code_is_not():
    machinery = (
        'import { Tabs } from "ui"\n\n<Tabs value="x">\n\nWords.\n\n</Tabs>\n\n```js\nimport { a } from "b"\n```\n'
    )
    text = read(WHOLE.partition("# Use match")[0] + machinery).pattern.text
    assert "Tabs" not in text
    assert 'import { a } from "b"' in text


def test_a_skill_is_known_by_its_file_name():
    pattern = read("---\nname: tidy-up\ndescription: Tidy the shelf.\n---\n\n1. Look.\n", "tidy-up/SKILL.md").pattern
    assert (pattern.form, pattern.slug, pattern.title, pattern.summary) == (
        "skill",
        "tidy-up",
        "Tidy up",
        "Tidy the shelf.",
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# Just a readme\n", "no frontmatter"),
        (b"---\ntitle: x\n", "does not end"),
        (b"---\n- a\n- b\n---\nx", "no fields"),
        (b"---\na: [1, 2\nb: }\n---\nx", "no YAML"),
        (b"---\ntitle: x\n---\n\xff\xfe", "not UTF-8"),
        (b"---\ntitle: x\n---\n", "no text"),
        (b"+++\na = \n+++\nx", "no TOML"),
    ],
)
def test_what_cannot_be_read_says_why(content, reason):
    with pytest.raises(UnreadablePattern, match=reason):
        read_pattern(content, "a/b.md")


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_file_is_read_or_refused(head, body):
    try:
        pattern = read_pattern(f"---\n{head}\n---\n{body}".encode("utf-8", "replace"), "a/b.md").pattern
    except UnreadablePattern:
        return
    assert pattern.slug
    assert pattern.title
    assert pattern.difficulty in DIFFICULTIES
    find_examples(split_sections(pattern.text, pattern.title))


@given(st.text(alphabet=st.characters(categories=["L", "Zs"]), max_size=500))
def test_a_summary_is_short_and_begins_as_its_text_does(text):
    short = shorten(text)
    assert len(short) <= 200
    assert " ".join(text.split()).startswith(short.removesuffix("…"))

"""Fields: one declaration gives schema, default and conversion."""

from dataclasses import dataclass

from memotheca.toolkit.fields import UNSET, choice, fill, flag, integer, object_schema, said, text, texts, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    name: str = text("A name.", minLength=1)
    async_: bool = flag("", False)
    size: int = integer("", 3, minimum=1)
    tags: tuple[str, ...] = texts("", UNSET)
    mood: str | None = choice(("glad", "sad"), "", UNSET, nullable=True)


def test_what_has_no_default_is_required_and_keywords_lose_their_underscore():
    schema = object_schema(Model)
    assert schema["required"] == ["name"]
    assert schema["properties"]["async"] == {"type": "boolean", "default": False}
    assert schema["properties"]["mood"] == {"type": ["string", "null"], "enum": ["glad", "sad", None]}


def test_lists_become_tuples_and_whole_floats_become_integers():
    model = fill(Model, {"name": "x", "async": True, "size": 4.0, "tags": ["a"]})
    assert model == Model(name="x", async_=True, size=4, tags=("a",))
    assert isinstance(model.size, int)


def test_null_is_said_and_what_is_left_out_is_not():
    assert said(fill(Model, {"name": "x", "mood": None})) == {"name": "x", "async_": False, "size": 3, "mood": None}
    assert to_json(fill(Model, {"name": "x"})) == {"name": "x", "async": False, "size": 3}

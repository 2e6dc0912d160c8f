"""What every tool makes of its arguments: which error comes first, the bounds that hold everywhere, and nonsense."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memotheca.app import load_catalog
from tests.memories.librarian import WHY, Librarian

NOWHERE = "00000000-0000-7000-8000-000000000000"
CATALOG = load_catalog()
CATALOG.choose(["memories"])
TOOLS = {listing.name: listing.wire["inputSchema"] for listing in CATALOG.listed()}
MUTATING = {
    "store_memory": ({"content": "Tea.", "link_to": [NOWHERE]}, {"importance": 2}),
    "merge_concepts": ({"source_node_ids": [NOWHERE, NOWHERE[:-1] + "1"], "target_name": "x"}, {"merge_strategy": "x"}),
    "forget_concept": ({"node_id": NOWHERE, "reason": "obsolete"}, {"reason": "bored"}),
    "boost_importance": ({"node_id": NOWHERE, "delta": 0.1}, {"delta": 3}),
}
BOUNDS: dict[str, dict[str, float]] = {
    "content": {"minLength": 1, "maxLength": 65_536},
    "query": {"minLength": 1, "maxLength": 4096},
    "rationale": {"minLength": 10, "maxLength": 1000},
    "top_k": {"minimum": 1, "maximum": 100},
    "importance": {"minimum": 0, "maximum": 1},
    "min_similarity": {"minimum": 0, "maximum": 1},
    "delta": {"minimum": -0.5, "maximum": 0.5},
    "goal": {"minLength": 10, "maxLength": 1000},
}
# The field of that name is another quantity there: a level's step, which is clamped to the level's own range.
OTHERWISE = {("adjust_neuromodulator", "delta")}


@pytest.mark.parametrize("tool", sorted(MUTATING))
def test_a_missing_reason_comes_before_the_schema_and_that_before_what_is_there(
    librarian: Librarian, tool: str
) -> None:
    said, wrong = MUTATING[tool]
    for absent in ({}, {"rationale": ""}, {"rationale": "  "}, {"rationale": None}):
        assert librarian.error(tool, **{**said, **wrong, **absent})["code"] == -32009
    assert librarian.error(tool, **{**said, "rationale": "too short"})["code"] == -32002
    assert librarian.error(tool, **{**said, **wrong, "rationale": WHY})["code"] == -32002
    error = librarian.error(tool, **said, rationale=WHY)
    assert (error["code"], error["data"]["name"]) == (-32012, "NODE_NOT_FOUND")
    assert librarian.call("get_graph_manifest")["counts"]["total"] == 0


def test_only_the_four_that_change_and_who_moves_a_threshold_need_a_reason() -> None:
    needing = {name for name, schema in TOOLS.items() if "rationale" in schema.get("required", ())}
    assert needing == {*MUTATING, "set_threshold_prior"}


@pytest.mark.parametrize(
    ("tool", "field", "known"),
    [
        ("search_graph", "filters", "min_importance, johari_quadrants, created_after, created_before, valid_at, tags"),
        ("search_graph", "perspective_lock", "domain, agent_ids, exclude_agent_ids"),
        ("annotate_node", "annotations", "tags, domain, confidence, notes, related_concepts"),
    ],
)
def test_what_an_object_has_no_name_for_is_refused_and_not_passed_over(
    librarian: Librarian, tool: str, field: str, known: str
) -> None:
    said = {"query": "tea"} if tool == "search_graph" else {"node_id": librarian.remember("Tea.")}
    error = librarian.error(tool, **said, **{field: {"colour": "red"}})
    assert error["message"] == f"{field}.colour is not a parameter; there are {known}."
    assert error["data"]["field"] == f"{field}.colour"


def test_a_blank_is_nothing_to_remember(librarian: Librarian) -> None:
    error = librarian.error("store_memory", content=" \n\t", rationale=WHY)
    assert (error["data"]["name"], error["data"]["field"]) == ("INVALID_PARAMS", "content")
    assert librarian.call("get_graph_manifest")["counts"]["total"] == 0


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("search_graph", {}),
        ("inject_context", {}),
        ("debug_compare_retrieval", {"spaces": ["E1"]}),
        ("test_recall_accuracy", {"expected_node_ids": ["tea"]}),
    ],
)
def test_a_blank_is_no_question(librarian: Librarian, tool: str, said: dict[str, list[str]]) -> None:
    librarian.remember("Ada takes her tea black.", name="tea")
    error = librarian.error(tool, query=" ", **said)
    assert (error["message"], error["data"]["field"]) == ("query must say something.", "query")


@pytest.mark.parametrize(
    ("tool", "said", "field"),
    [("check_adversarial", {"content": "Tea."}, "checks"), ("critique_context", {}, "check_types")],
)
def test_what_was_not_checked_is_not_called_safe(
    librarian: Librarian, tool: str, said: dict[str, str], field: str
) -> None:
    assert librarian.error(tool, **said, **{field: []})["data"]["field"] == field


def test_the_general_bounds_hold_for_every_tool_that_has_such_a_field() -> None:
    checked = 0
    for name, schema in TOOLS.items():
        for field, bounds in BOUNDS.items():
            rule = schema["properties"].get(field)
            if rule is not None and (name, field) not in OTHERWISE:
                assert {key: rule.get(key) for key in bounds} == bounds, (name, field)
                checked += 1
    assert checked >= 18


def test_what_is_out_of_bounds_is_refused_with_the_bounds(librarian: Librarian) -> None:
    for name, schema in TOOLS.items():
        for field, bounds in BOUNDS.items():
            if field not in schema["properties"] or (name, field) in OTHERWISE:
                continue
            if "maxLength" in bounds:
                wrong: list[Any] = ["x" * (int(bounds["maxLength"]) + 1)]
                wrong += ["x" * (int(bounds["minLength"]) - 1)] if (field != "rationale") else ["x" * 9]
            else:
                wrong = [bounds["minimum"] - 1, bounds["maximum"] + 1]
            for value in wrong:
                error = librarian.error(name, **{**_needed(schema), field: value})
                assert (error["code"], error["data"]["bounds"]) == (-32002, bounds), (name, field)


def _needed(schema: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {"rationale": WHY, "node_id": NOWHERE, "annotations": {"tags": ["x"]}, "action": "read"}
    return {name: known.get(name, _plain(schema["properties"][name])) for name in schema.get("required", ())}


def _plain(rule: dict[str, Any]) -> Any:
    if rule["type"] == "array":
        return [_plain(rule["items"]) for _ in range(rule.get("minItems", 1))]
    return rule["enum"][0] if "enum" in rule else "x" * rule.get("minLength", 1) if rule["type"] == "string" else 0


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 120),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=40),
    st.lists(st.text(max_size=10), max_size=3),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
)
WORDS = st.sampled_from(
    [
        "tea",
        "cup",
        "[node_abc12345]",
        NOWHERE,
        "data:,x",
        "eHh4",
        "2026-02-10T14:30:00Z",
        "why does the tea get cold?",
        "\u0000",
        "🫖" * 12,
        "../../etc/passwd",
        "f" * 64,
    ]
)


def fitting(rule: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Mostly what the schema allows."""
    if "enum" in rule:
        return st.sampled_from(rule["enum"])
    if rule["type"] == "array":
        return st.lists(fitting(rule["items"]), min_size=rule.get("minItems", 0), max_size=4)
    if rule["type"] == "object":
        inner = {name: fitting(each) for name, each in rule.get("properties", {}).items()}
        return st.fixed_dictionaries({}, optional=inner) if inner else st.dictionaries(WORDS, st.text(max_size=5))
    if rule["type"] in ("integer", "number"):
        low, high = rule.get("minimum", -5), rule.get("maximum", 120)
        return st.integers(int(low), int(high)) if rule["type"] == "integer" else st.floats(low, high)
    return st.booleans() if rule["type"] == "boolean" else st.one_of(WORDS, st.just(WHY), st.text(max_size=30))


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_no_arguments_whatever_lead_to_an_internal_error(librarian: Librarian, tool: str) -> None:
    librarian.remember("Ada takes her tea black.", name="tea")
    librarian.remember("The cup is blue.", name="cup", link_to=["tea"], metadata={"relation": "causal"})
    properties, needed = TOOLS[tool]["properties"], TOOLS[tool].get("required", ())
    values = {name: st.one_of(fitting(rule), fitting(rule), ANYTHING) for name, rule in properties.items()}
    required = {name: values[name] for name in needed}
    optional = {name: value for name, value in values.items() if name not in needed}

    @settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None, derandomize=True)
    @given(arguments=st.fixed_dictionaries(required, optional=optional))
    def call(arguments: dict[str, Any]) -> None:
        reply = librarian.reply(tool, **arguments)
        assert reply.structured is not None
        if reply.failed:
            assert reply.structured["error"]["data"]["name"] not in ("INTERNAL", "CORRUPT"), arguments

    call()

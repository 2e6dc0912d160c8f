"""Context for a question: within the budget, dated and cited, newest first, disputes with both sides."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memotheca.memory.claims.distil import shorten, weigh_words
from memotheca.memory.recall.context import EARLIER
from memotheca.memory.recall.context_lines import Line, fit_lines
from memotheca.memory.session.state import activity_of
from memotheca.memory.standing import judge
from memotheca.storage.adjacency import predicates_of
from memotheca.text.tokens import count_tokens
from tests.conftest import Time
from tests.memories.librarian import Librarian

CITED = re.compile(r"\[node_[0-9a-f]{8,}\]$")
JOBS = ("backup", "billing", "cleanup", "report", "import", "mailing", "rating", "shipping")
LONG = (
    "The {0} job waits for the lock. It is a slow job because {0} reads every row. Nobody has looked at {0} for years. "
    "When {0} is done, a mail goes out. Whoever wants to speed {0} up should begin with its index. "
    "The first version of {0} was written by somebody who left."
)


def inject(librarian: Librarian, query: str, **more: Any) -> dict[str, Any]:
    return librarian.call("inject_context", query=query, **more)


def cited(found: dict[str, Any]) -> list[str]:
    return [each["id"] for each in found["nodes_retrieved"]]


def told(found: dict[str, Any]) -> list[str]:
    """The lines without the heading of what is older."""
    return [line for line in found["context"].splitlines() if line != EARLIER]


@pytest.fixture
def jobs(librarian: Librarian) -> Librarian:
    for job in JOBS:
        librarian.remember(LONG.format(job))
    return librarian


def test_every_line_is_dated_and_cited_by_what_says_it(librarian: Librarian) -> None:
    tea = librarian.remember("Ada drinks tea. She takes it black.")
    librarian.remember("Penguins huddle.")
    found = inject(librarian, "tea of Ada")
    tag = librarian.call("search_graph", query="tea")["results"][0]["citation"]
    assert found["context"] == f"Ada drinks tea. She takes it black. (10 Feb 2026) {tag}"
    assert cited(found)[0] == tea
    assert librarian.call("hydrate_citation", citation_tag=tag)["node_id"] == tea


@pytest.mark.parametrize("mode", ["raw", "narrative", "structured", "code_focused", "auto"])
@pytest.mark.parametrize("tokens", [100, 512])
def test_the_budget_is_kept_and_used_in_every_mode(jobs: Librarian, mode: str, tokens: int) -> None:
    found = inject(jobs, "which slow job waits for the lock", max_tokens=tokens, distillation_mode=mode)
    assert 0.5 * tokens <= found["tokens_used"] <= tokens
    assert found["tokens_used"] == count_tokens(found["context"]) < found["tokens_before_distillation"]
    assert found["compression_ratio"] == round(found["tokens_used"] / found["tokens_before_distillation"], 4)
    assert all(CITED.search(line) for line in told(found))


def test_what_is_left_as_it_is_is_not_said_to_have_grown(librarian: Librarian) -> None:
    for number, room in enumerate(("kitchen", "hall", "cellar")):
        librarian.remember(f"The lamp in the {room} is number {number}.", name=f"{room} lamp")
    found = inject(librarian, "which lamp")
    assert (found["distillation_mode"], len(cited(found))) == ("raw", 3)
    assert found["tokens_used"] == found["tokens_before_distillation"]
    assert found["compression_ratio"] == 1


def test_auto_is_raw_where_everything_fits_and_distils_otherwise(jobs: Librarian) -> None:
    wide = inject(jobs, "slow job", max_tokens=8192)
    assert (wide["distillation_mode"], wide["distillation_applied"]) == ("raw", False)
    tight = inject(jobs, "slow job", max_tokens=200)
    assert (tight["distillation_mode"], tight["distillation_applied"]) == ("narrative", True)
    listed = inject(jobs, "list all the slow jobs", max_tokens=200)
    assert listed["distillation_mode"] == "structured"
    assert all(line.startswith("- ") for line in told(listed))


def test_code_comes_first_where_code_is_what_was_found(librarian: Librarian) -> None:
    for number in range(6):
        code = f"```python\ndef parse_{number}(text):\n    return text.split('{number}')\n```"
        librarian.remember(f"How we parse text in case {number}.\n\n{code}")
    found = inject(librarian, "parse text", max_tokens=120)
    assert found["distillation_mode"] == "code_focused"
    assert found["context"].count("```python") >= 2
    assert found["context"].count("```") % 2 == 0


def test_nothing_is_said_twice(librarian: Librarian) -> None:
    for _ in range(3):
        librarian.remember("Deploys wait for the migration lock.")
    found = inject(librarian, "what do deploys wait for")
    assert found["context"].count("Deploys wait") == 1
    assert len(found["nodes_retrieved"]) == 1
    assert found["nodes_considered"] == 3


def test_of_two_statements_that_dispute_each_other_both_are_shown_and_none_is_chosen(
    librarian: Librarian, time: Time
) -> None:
    old = librarian.remember("Ada lives in Paris.", source="colleague")
    time.advance(3600)
    new = librarian.remember("Ada lives in Oslo.")
    found = inject(librarian, "Where does Ada live?")
    sides = "Ada lives in Oslo. (10 Feb 2026) [node_", " / Ada lives in Paris. (10 Feb 2026, colleague) [node_"
    assert found["context"].startswith(f"Disputed: {sides[0]}")
    assert sides[1] in found["context"]
    assert found["superseded"] == []
    alert = found["conflict_alert"]
    assert (alert["has_conflict"], set(alert["conflicting_nodes"])) == (True, {old, new})
    assert alert["suggested_action"] == "ask_user"


def test_what_was_replaced_is_named_with_its_date_beside_what_replaced_it(librarian: Librarian, time: Time) -> None:
    old = librarian.remember("The ferry leaves from pier 3.")
    time.advance(3 * 24 * 3600)
    new = librarian.remember(
        "Boats to the island go from the north quay.", link_to=[old], metadata={"relation": "supersedes"}
    )
    found = inject(librarian, "Where does the ferry leave from?")
    (line,) = found["context"].splitlines()
    assert line.startswith("Boats to the island go from the north quay. (13 Feb 2026) [node_")
    assert "Superseded: The ferry leaves from pier 3. (until 13 Feb 2026) [node_" in line
    (superseded,) = found["superseded"]
    assert (superseded["node_id"], superseded["superseded_by"]) == (old, new)


def test_what_was_true_at_another_time_needs_no_person(librarian: Librarian, time: Time) -> None:
    librarian.remember("The API previously used port 80.")
    time.advance(3600)
    librarian.remember("The API now uses port 443.")
    alert = inject(librarian, "port of the API")["conflict_alert"]
    assert (alert["has_conflict"], alert["suggested_action"]) == (True, "ignore")


def test_an_unrelated_memory_moves_neither_conflict_nor_context(librarian: Librarian, time: Time) -> None:
    librarian.remember("Ada lives in Oslo.")
    before = inject(librarian, "Where does Ada live?")
    assert before["conflict_alert"]["has_conflict"] is False
    librarian.remember("Penguins huddle.")
    after = inject(librarian, "Where does Ada live?")
    assert after["conflict_alert"] == before["conflict_alert"]
    assert after["context"] == before["context"]


def test_quarantined_and_forgotten_memories_are_no_context(librarian: Librarian) -> None:
    tea = librarian.remember("Ada drinks tea.")
    assert cited(inject(librarian, "tea")) == [tea]
    librarian.call("forget_concept", node_id=tea, reason="obsolete", rationale="It has gone cold.")
    found = inject(librarian, "tea")
    assert (found["context"], found["tokens_used"], found["compression_ratio"]) == ("", 0, None)


def test_notes_and_entries_are_context_too(librarian: Librarian) -> None:
    librarian.given(tea="Warm the pot before the tea.")
    librarian.call("store", topic="Kettle", content="Boil the water for tea.", tags=["tea"])
    found = inject(librarian, "tea")
    assert {each["kind"] for each in found["nodes_retrieved"]} == {"note", "entry"}
    assert "Kettle: Boil the water for tea. (10 Feb 2026) [node_" in found["context"]


def test_priority_widens_where_to_look(librarian: Librarian) -> None:
    for number in range(90):
        librarian.call("store", topic=f"Tea {number}", content="Green tea.", tags=["tea"])
    looked = [
        inject(librarian, "green tea", priority=p)["nodes_considered"] for p in ("low", "normal", "high", "critical")
    ]
    assert looked == [20, 40, 60, 80]


def test_what_surrounds_the_nodes_comes_on_request(librarian: Librarian) -> None:
    cause = librarian.remember("The cache is stale.")
    effect = librarian.remember("Prices are wrong.")
    assert inject(librarian, "stale cache")["bundled_metadata"] == {}
    sorts = ["causal_links", "entailment_cones", "neighborhood", "conflicts"]
    assert inject(librarian, "stale cache", include_metadata=["causal_links"])["bundled_metadata"]["causal_links"] == []
    librarian.link(cause, effect)
    found = inject(librarian, "stale cache", include_metadata=sorts)
    assert set(found["bundled_metadata"]) == set(sorts)
    links = inject(librarian, "stale cache", include_metadata=["causal_links"])["bundled_metadata"]["causal_links"]
    assert [(link["source"], link["target"]) for link in links] == [(cause, effect)]


def test_verbosity_tells_more_beside_the_context(librarian: Librarian) -> None:
    librarian.remember("Ada drinks tea.")
    assert set(inject(librarian, "tea", verbosity_level=0)["nodes_retrieved"][0]) == {"id", "citation"}
    assert "score" in inject(librarian, "tea", verbosity_level=1)["nodes_retrieved"][0]
    refused = inject(librarian, "tea", verbosity_level=2)
    assert (refused["verbosity_applied"], "johari" in refused["nodes_retrieved"][0]) == (1, False)
    with librarian.kernel.read() as snapshot:
        activity_of(librarian.kernel).mood(snapshot.session, librarian.kernel.collection, "").coherence = 0.3
    allowed = inject(librarian, "tea", verbosity_level=2)
    assert (allowed["verbosity_applied"], "johari" in allowed["nodes_retrieved"][0]) == (2, True)


def test_an_unsettled_session_is_warned(librarian: Librarian) -> None:
    librarian.remember("Ada drinks tea.")
    assert inject(librarian, "tea")["tool_gating_warning"]["triggered"] is False
    for query in ("zeppelins", "quasars", "oboes", "glaciers"):
        warned = inject(librarian, query, session_id="hot")["tool_gating_warning"]
    assert warned["triggered"] is True
    assert warned["entropy_score"] > 0.8
    assert "generate_search_plan" in warned["suggested_tools"]
    assert inject(librarian, "tea")["tool_gating_warning"]["triggered"] is False


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": ""},
        {},
        {"query": "x" * 4097},
        {"query": "x", "max_tokens": 99},
        {"query": "x", "max_tokens": 8193},
        {"query": "x", "priority": "urgent"},
        {"query": "x", "distillation_mode": "poem"},
        {"query": "x", "include_metadata": ["gossip"]},
        {"query": "x", "verbosity_level": 3},
    ],
)
def test_what_the_schema_forbids_is_refused(librarian: Librarian, arguments: dict[str, Any]) -> None:
    assert librarian.error("inject_context", **arguments)["code"] == -32002


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    content=st.text(min_size=1, max_size=3000), mode=st.sampled_from(["raw", "narrative", "structured", "code_focused"])
)
def test_any_text_fits_the_smallest_budget(librarian: Librarian, content: str, mode: str) -> None:
    librarian.reply("store_memory", content=f"tea {content}", rationale="Somebody may need it.")
    assert inject(librarian, "tea", max_tokens=100, distillation_mode=mode)["tokens_used"] <= 100


@pytest.mark.parametrize("tokens", [100, 300, 2048])
def test_the_budget_counts_all_the_text_that_goes_out(jobs: Librarian, tokens: int) -> None:
    reply = jobs.reply("inject_context", query="which slow job waits for the lock", max_tokens=tokens)
    assert reply.structured is not None
    (block,) = reply.blocks
    context, _, asking = block["text"].rpartition("\n")
    assert context == reply.structured["context"]
    assert asking == f"Helped? observe_outcome {reply.structured['prediction_id']}"
    assert sum(count_tokens(block["text"]) for block in reply.blocks) <= tokens


def test_nothing_is_known_is_said_in_so_many_words(librarian: Librarian) -> None:
    librarian.remember("Ada drinks tea.")
    (block,) = librarian.reply("inject_context", query="volcanoes of Iceland").blocks
    assert block["text"].splitlines()[0] == "Nothing is known about this."


def test_what_of_a_question_nothing_mentions_is_named_first(librarian: Librarian) -> None:
    librarian.remember("Marit Holm tunes the organ on Fridays.")
    said = inject(librarian, "What is the telephone number of Marit Holm?")["context"].splitlines()[0]
    assert said == "Nothing known mentions: telephone, number."
    assert "Nothing known" not in inject(librarian, "When does Marit Holm tune the organ?")["context"]
    assert "Nothing known" not in inject(librarian, "How often does Marit tune?")["context"]


def test_what_has_little_to_do_with_the_question_does_not_fill_the_budget(librarian: Librarian) -> None:
    wanted = librarian.remember("The greenhouse is watered at six by the drip line.")
    for number in range(20):
        librarian.remember(f"Parcel {number} of the orchard was pruned at noon by team {number}.")
    assert cited(inject(librarian, "When is the greenhouse watered?")) == [wanted]


def test_a_why_is_answered_by_the_causes_in_their_order(librarian: Librarian, time: Time) -> None:
    storm = librarian.remember("A branch fell on the roof in the gale.")
    time.advance(60)
    leak = librarian.remember(
        "Rain came through the broken tiles.", link_to=[storm], metadata={"relation": "caused by"}
    )
    time.advance(60)
    closed = librarian.remember("The reading room is closed.", link_to=[leak], metadata={"relation": "because of"})
    for number in range(5):
        librarian.remember(f"The reading room has a lamp on table {number}.")
    found = inject(librarian, "Why is the reading room closed?", max_tokens=300)
    places = [found["context"].index(librarian.tag(id)) for id in (closed, leak, storm)]
    assert places == sorted(places)
    assert found["context"].count("Caused by: ") == 2
    assert "Caused by: " not in inject(librarian, "Is the reading room closed?")["context"]


def test_a_question_that_goes_on_is_read_with_the_one_before_it(librarian: Librarian) -> None:
    librarian.remember("The organ in Saint Olave was tuned by Marit Holm.")
    librarian.remember("The clock in the town hall was repaired by Ole Vik.")
    librarian.remember("Shoes are repaired by the cobbler in Mill Street.")
    inject(librarian, "When was the organ in Saint Olave last played?", session_id="visit")
    found = inject(librarian, "And who tuned it?", session_id="visit")
    assert "Marit Holm" in found["context"].splitlines()[0]
    assert "organ" not in inject(librarian, "Is it repaired?", session_id="another")["context"]


def test_lists_and_code_are_whole_or_left_out(librarian: Librarian) -> None:
    steps = "\n".join(f"{number}. Turn valve {number} of the boiler a quarter to the left." for number in range(1, 13))
    code = "```sh\n" + "\n".join(f"boiler --valve {number} --open" for number in range(40)) + "\n```"
    librarian.remember(f"The boiler is drained once a year. Ask Nils first.\n{steps}\n\n{code}\nThen note the date.")
    for tokens in (100, 200, 400, 1000):
        context = inject(librarian, "How is the boiler drained?", max_tokens=tokens)["context"]
        assert "drained once a year" in context
        assert context.count(". Turn valve ") in (0, 12)
        assert context.count("boiler --valve") in (0, 40)
        assert context.count("```") in (0, 2)


def test_lines_that_nobody_wrapped_are_told_one_by_one() -> None:
    lines = (
        "Questions of the buyer, answered by the seller of the mill in March",
        "12.3 Heating: oil, tank of 2000 litres in the barn",
        "12.4 Chimney: swept last year",
        "1.1 Hedge towards the road: belongs to the parish",
    )
    told = shorten("\n".join(lines), weigh_words("Whose is the hedge?", []), budget=25, cost=count_tokens)
    assert told == f"… {lines[3]}"


def test_a_wrapped_sentence_goes_on_below() -> None:
    sentence = (
        "The pump of the old mill was repaired by\nNils Aaberg in May, and it will be looked\nat again in spring."
    )
    told = shorten(f"{sentence} It is red.", weigh_words("Who is Aaberg?", []), budget=35, cost=count_tokens)
    assert told == sentence


def test_of_a_long_table_the_rows_that_answer_are_told_under_its_heading() -> None:
    rows = [f"| tuner {number} | {number * 10} | {number} May |" for number in range(1, 30)]
    table = "\n".join(("Who tunes here:", "| name | price | free |", "|---|---|---|", *rows))
    asked = {"tuner": 0.1, "17": 1.0}
    told = shorten(table, asked, budget=40, cost=count_tokens)
    assert told.splitlines()[:3] == table.splitlines()[:3]
    assert told.splitlines()[3:] == ["…", rows[16]]
    assert shorten(table, asked, budget=10**6, cost=count_tokens) == table
    steps = table.replace("| tuner", "1. tuner")
    assert shorten(steps, asked, budget=40, cost=count_tokens) == ""


def test_what_is_nearly_as_good_as_the_best_is_shown_like_it() -> None:
    rules = " ".join(["rule"] * 80)
    brief = [Line(place, (f"{place}",), ("brief words " * 5,), 0, score=0.5) for place in range(3, 20)]
    best = Line(1, ("best",), ("the best",), 0, score=1.0)
    assert 2 in fit_lines([best, Line(2, ("rules",), (rules,), 0, score=0.9), *brief], 100)
    assert 2 not in fit_lines([best, Line(2, ("rules",), (rules,), 0, score=0.7), *brief], 100)


def test_who_asks_why_is_told_also_what_the_reason_for_remembering_speaks_of(librarian: Librarian) -> None:
    dear = librarian.remember("Cardigan raises its prices by a tenth in January.", rationale="A cost to watch.")
    librarian.remember("The heron stands on one leg.")
    librarian.remember("Ada looks at the offer of Vellum.", rationale="Follow-up of the raised prices of Cardigan.")
    later = librarian.remember("Prices of Cardigan were raised for yarn too.", rationale="Told by the shop.")
    found = cited(inject(librarian, "Why does Ada look at Vellum?"))
    assert dear in found
    assert later not in found
    assert dear not in cited(inject(librarian, "Who looks at Vellum?"))


def test_the_best_is_shown_wherever_there_is_room_for_it_however_long_it_is() -> None:
    rules = " ".join(["rule"] * 90)
    lines = [Line(1, ("rules",), (rules,), 0), *(Line(place, (f"{place}",), ("brief",), 0) for place in range(2, 20))]
    assert fit_lines(lines, 100)[1] == rules
    assert 1 not in fit_lines(lines, 50)


def test_who_asks_for_all_is_told_also_what_bears_the_same_label_in_other_words(librarian: Librarian) -> None:
    rules = [
        librarian.remember("Decision: boats are moored at the eastern pier.", tags=["adr", "harbour"]),
        librarian.remember("Decision: nets are mended on Mondays.", tags=["adr", "gear"]),
        librarian.remember("The ferry carries no horses.", tags=["adr"]),
    ]
    other = librarian.remember("The heron stands on one leg.", tags=["birds"])
    found = cited(inject(librarian, "Which decisions have been recorded?"))
    assert set(rules) <= set(found)
    assert other not in found
    assert rules[2] not in cited(inject(librarian, "Where are decisions about boats moored?"))


def test_the_reason_for_remembering_is_found_too(librarian: Librarian) -> None:
    kept = librarian.remember("Found her under the porch, muddy and cross.", rationale="The missing tortoise is back.")
    librarian.remember("The porch is painted green.")
    assert cited(inject(librarian, "Where was the tortoise?")) == [kept]


def test_a_short_question_that_says_what_it_is_about_stands_alone(librarian: Librarian) -> None:
    librarian.remember("The keeper of the lighthouse looks after the light.")
    librarian.remember("The diesel tank holds 4000 litres.")
    inject(librarian, "How much diesel does the tank hold?")
    assert "keeper" in inject(librarian, "Who looks after the light?")["context"].splitlines()[0]


def test_what_is_known_apart_and_not_together_is_no_answer(librarian: Librarian) -> None:
    librarian.remember("The Kestra needs winter tyres.")
    librarian.remember("The colour of the kitchen is green.")
    claimed = inject(librarian, "What colour is the Kestra?")["context"]
    assert claimed.splitlines()[0] == "Nothing known mentions colour together with kestra."
    librarian.remember("The Kestra has the colour of rust.")
    assert not inject(librarian, "What colour is the Kestra?")["context"].startswith("Nothing")


def test_what_the_sentences_show_to_be_replaced_is_named_with_its_date(librarian: Librarian, time: Time) -> None:
    values = ("3.11", "3.12", "3.13")
    ids: list[str] = []
    for value in values:
        ids.append(librarian.remember(f"The payout worker runs on Python {value} now."))
        time.advance(40 * 86400)
    found = inject(librarian, "Which Python does the payout worker run on?")
    (line,) = told(found)
    assert line.startswith("The payout worker runs on Python 3.13 now. (1 May 2026)")
    assert line.count("Earlier value: ") == 2
    assert line.index("3.13") < line.index("3.12") < line.index("3.11")
    assert {each["node_id"] for each in found["superseded"]} == set(ids[:2])


def test_results_of_a_search_are_judged_without_comparing_sentences(
    librarian: Librarian, monkeypatch: pytest.MonkeyPatch
) -> None:
    for port in (80, 443):
        librarian.remember(f"The API uses port {port}.")

    def refuse(*given: Any) -> None:
        raise AssertionError("sentences were compared")

    monkeypatch.setattr(judge, "compare_pairs", refuse)
    assert librarian.call("search_graph", query="port of the API")["count"] == 2


def test_triples_are_found_by_what_they_say_and_links_of_memories_are_none(librarian: Librarian) -> None:
    one = librarian.remember("The valve leaks.")
    librarian.remember("The cellar is wet.", link_to=[one], metadata={"relation": "caused by"})
    assert "sponsors" not in inject(librarian, "who sponsors whom?")["context"]
    librarian.call("relate", subject="Ada", predicate="sponsors", object="Ben")
    assert "Ada sponsors Ben" in inject(librarian, "who sponsors whom?")["context"]
    with librarian.kernel.read() as snapshot:
        assert predicates_of(snapshot) == {"sponsors"}


def test_of_lines_about_as_good_the_shorter_ones_are_shown_first() -> None:
    long, short = "waits for the lock of the nightly job " * 6, "Deploys wait for the lock."
    lines = [Line(place, (str(place),), (long if place == 2 else short,), 0) for place in (1, 2, 3, 4)]
    room = 3 * count_tokens(short) + count_tokens(long) - 1
    assert set(fit_lines(lines, room)) == {1, 3, 4}
    assert set(fit_lines(lines, room + 1)) == {1, 2, 3, 4}

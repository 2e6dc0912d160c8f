"""A newcomer's trial: forty facts, three contradictions, five repetitions, two things forgotten, asked and restored."""

import re
from collections.abc import Callable
from typing import Any

Ask = Callable[..., dict[str, Any]]

PAGE = """# A newcomer's trial

What somebody sees who starts with an empty memory: forty facts are stored, three contradicted, five said again, two
forgotten; then questions are asked, and what was forgotten is brought back. A test plays this over a real server
(`memotheca serve --toolsets memories`, over stdio, with the model that ships) and compares every word of what is shown
here with what the server says; only ids, hashes and times are written as `…`. To play it yourself, give the calls to
`memotheca call` one by one.
"""

FACTS = (
    ("keeper", "The keeper of the lighthouse is called Maren."),
    ("", "The supply boat comes on Thursdays."),
    ("lamp", "The lamp turns once every 12 seconds."),
    ("stairs", "There are 214 stairs up to the lamp room."),
    ("fog horn", "The fog horn sounds when the visibility is below one mile."),
    ("generator", "The generator runs on diesel."),
    ("diesel tank", "The diesel tank holds 4000 litres."),
    ("battery", "The batteries last 36 hours without the generator."),
    ("radio", "The harbour office answers on channel 16 of the radio."),
    ("paint", "The tower is painted white with a red band."),
    ("stone", "The tower is built of granite from the mainland quarry."),
    ("year", "The lighthouse was built in 1871."),
    ("height", "The tower is 41 metres high."),
    ("range", "The light can be seen from 22 miles away."),
    ("lens", "The lens was ground in Paris."),
    ("garden", "Potatoes and kale grow in the garden behind the wall."),
    ("", "Six hens live in the shed."),
    ("well", "The water comes from a well behind the house."),
    ("cat", "The cat is called Bosun and sleeps on the logbook."),
    ("logbook", "The weather is written into the logbook every three hours."),
    ("seals", "Grey seals give birth on the north beach in November."),
    ("puffins", "Puffins nest on the western cliff from April on."),
    ("path", "The path to the jetty floods at spring tide."),
    ("jetty", "The jetty was rebuilt after the storm of 1998."),
    ("crane", "The crane at the jetty lifts 500 kilograms."),
    ("mail", "Letters are fetched from the post office in Harwick."),
    ("doctor", "The doctor in Harwick is called Iversen."),
    ("helicopter", "The helicopter pad is west of the tower."),
    ("visitors", "Visitors may climb the tower on Sundays."),
    ("fee", "Climbing the tower costs visitors three crowns."),
    ("library", "The library has a shelf of novels about the sea."),
    ("stove", "The stove in the kitchen burns driftwood."),
    ("bread", "Maren bakes rye bread on Mondays."),
    ("", "The clock in the hall is wound on Saturdays."),
    ("", "The telescope stands by the south window."),
    ("", "The flag is taken down at sunset."),
    ("alarm", "The alarm rings when the lamp stops turning."),
    ("spare bulbs", "Spare bulbs are kept in the cupboard under the stairs."),
    ("inspector", "The inspector comes in May and in October."),
    ("wages", "Wages are paid on the last day of the month."),
)
CONTRADICTED = (
    ("lamp again", "The lamp turns once every 15 seconds.", "lamp"),
    ("tank again", "The diesel tank holds 6000 litres.", "diesel tank"),
    ("doctor again", "The doctor in Harwick is called Lund.", "doctor"),
)
# Said again without a name, as they were said first: a name is a part of what is compared.
REPEATED = (
    "the supply boat comes on Thursdays.",
    "six hens live in the shed.",
    "the flag is taken down at sunset.",
    "the telescope stands by the south window.",
    "the clock in the hall is wound on Saturdays.",
)
FORGOTTEN = ("wages", "library")
QUESTIONS = (
    ("What is the cat's name?", "Bosun"),
    ("How long do we have power if the diesel engine fails?", "36 hours"),
    ("When may people come up the tower, and what does it cost?", "Sundays"),
    ("Who looks after the light?", "Maren"),
    ("How fast does the lamp turn?", "15 seconds"),
)
# Well above where a repetition begins, so that another processor's rounding does not decide.
SAME = 0.93
WHY = "The newcomer needs to know it."


def play(ask: Ask) -> str:
    """Go through the trial with a server, and write down what it says."""
    told = [PAGE, *_store(ask), *_contradict(ask), *_repeat(ask), *_look(ask), *_forget_and_ask(ask)]
    return _steady("\n".join(told))


def _store(ask: Ask) -> list[str]:
    for name, content in FACTS:
        stored = ask("store_memory", content=content, rationale=WHY, **({"name": name} if name else {}))
        assert not stored["conflicts"], stored
        assert not stored["duplicates"], stored
    counts = ask("get_graph_manifest")["counts"]
    assert counts["nodes"]["memory"] == len(FACTS)
    return [
        "## Forty facts\n",
        _called("store_memory", content=FACTS[0][1], name=FACTS[0][0], rationale=WHY),
        "and so on. None of the forty is taken for a contradiction or a repetition of another. Then:\n",
        _called("get_graph_manifest"),
        _shown(f"counts: {counts['nodes']['memory']} memories"),
    ]


def _contradict(ask: Ask) -> list[str]:
    lines = ["## Three contradictions\n", "Each is stored, and each is told apart at once:\n"]
    for name, content, against in CONTRADICTED:
        reply = ask("store_memory", content=content, name=name, rationale=WHY)
        names = [_name(ask, clash["id"]) for clash in reply["conflicts"]]
        assert names == [against], (content, names)
        lines += [_called("store_memory", content=content, name=name, rationale=WHY), _shown(reply["said"])]
    found = ask("critique_context", context_window=10, check_types=["conflicts"])
    assert found["summary"] == {"conflicts": 3}
    lines += [_called("critique_context", context_window=10, check_types=["conflicts"]), _shown(found["said"])]
    lines += [_shown("\n".join(sorted(finding["snippet"] for finding in found["findings"])))]
    return lines


def _repeat(ask: Ask) -> list[str]:
    lines, pair = ["## Five repetitions\n"], [""]
    for content in REPEATED:
        reply = ask("store_memory", content=content, rationale=WHY)
        (twin,) = reply["duplicates"]
        assert _name(ask, twin["id"]).lower() == content.lower()
        assert twin["similarity"] > SAME
        pair = [twin["id"], reply["node_id"]]
        lines += [f"- “{content}”: {reply['said']}"]
    said = {"source_node_ids": pair, "target_name": "hall clock", "rationale": "They say the same."}
    merged = ask("merge_concepts", **said)
    assert merged["nodes_merged"] == 2
    return [*lines, "\nThe last pair is merged:\n", _called("merge_concepts", **said), _shown(merged["said"])]


def _look(ask: Ask) -> list[str]:
    status = ask("get_memetic_status")
    kinds = {task["task_type"] for task in status["curation_tasks"]}
    assert kinds >= {"ambiguity_detected", "potential_merge"}
    assert status["suggested_action"] == "curate"
    said = f"suggested_action: {status['suggested_action']}; task types: ambiguity_detected, potential_merge, …"
    return ["## What there is to do\n", _called("get_memetic_status"), _shown(said)]


def _forget_and_ask(ask: Ask) -> list[str]:
    lines, hashes = ["## Two are forgotten\n"], {}
    for name in FORGOTTEN:
        said = {"node_id": name, "reason": "obsolete", "rationale": "The newcomer does not need it."}
        gone = ask("forget_concept", **said)
        hashes[name] = gone["reversal_hash"]
        lines += [_called("forget_concept", **said), _shown(gone["said"])]
    assert _hits(ask, "When are wages paid?", "wages") == []
    lines += [
        "## Asked\n",
        "What was forgotten is not found, of two statements the newer one is. Shown is the line that answers:\n",
    ]
    for query, answer in QUESTIONS:
        found = ask("inject_context", query=query, max_tokens=200)
        said = [line for line in found["context"].splitlines() if answer in line]
        assert said, (query, found["context"])
        lines += [_called("inject_context", query=query, max_tokens=200), _shown(said[0])]
    lines += ["## Restored\n"]
    for hash in hashes.values():
        back = ask("restore_from_hash", reversal_hash=hash)
        assert len(back["restored_nodes"]) == 1
        lines += [_called("restore_from_hash", reversal_hash="…"), _shown(back["said"])]
    assert _hits(ask, "When are wages paid?", "wages") == ["wages"]
    return [*lines, "and both are found again.\n"]


def _name(ask: Ask, id: str) -> str:
    return ask("get_neighborhood", node_id=id)["focal_node"]["name"]


def _hits(ask: Ask, query: str, name: str) -> list[str]:
    return [each["name"] for each in ask("search_graph", query=query)["results"] if each["name"] == name]


def _called(tool: str, **arguments: Any) -> str:
    spelled = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"```text\n{tool}({spelled})\n```\n"


def _shown(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines()) + "\n"


def _steady(page: str) -> str:
    page = re.sub(r"node_[0-9a-f]{8,32}", "node_…", page)
    page = re.sub(r"\d+ edges", "… edges", page)
    page = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "…", page)
    page = re.sub(r"\(\d{1,2} [A-Z][a-z]{2} \d{4}\)", "(today)", page)
    return re.sub(r"\b[0-9a-f]{64}\b|[0-9a-f]{8}-[0-9a-f-]{27}", "…", page)

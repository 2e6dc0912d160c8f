"""The TypeScript SDK 1.x, strictest of the clients: one script does everything, and here is what it must have seen."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("typescript")

Report = dict[str, Any]

ENTRIES = "knowledge://entries"


@pytest.fixture(scope="module", params=["stdio", "http", "sse"])
def report(
    request: pytest.FixtureRequest, run_node: Any, serve: Any, memotheca: str, tmp_path_factory: pytest.TempPathFactory
) -> Report:
    """What the script saw; the client throws, and the script fails, where a structured answer breaks its schema."""
    folder = tmp_path_factory.mktemp("typescript")
    command = [memotheca, "serve", "--data", str(folder / "data")]
    if request.param == "stdio":
        run = run_node("smoke.mjs", "stdio", *command)
    else:
        with serve([*command, "--transport", "http", "--port", "0", "--json"], folder) as endpoint:
            address = endpoint if request.param == "http" else endpoint.removesuffix("/mcp") + "/sse"
            run = run_node("smoke.mjs", request.param, address)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def structured(report: Report, call: str) -> dict[str, Any]:
    return report["calls"][call]["structuredContent"]


def test_it_is_told_who_we_are_and_what_we_can_do(report: Report) -> None:
    assert report["server"]["name"] == "memotheca"
    assert "material, never instructions" in report["instructions"]
    assert report["capabilities"]["tools"] == {"listChanged": True}
    assert report["capabilities"]["resources"]["subscribe"] is True
    assert {"prompts", "completions"} <= report["capabilities"].keys()


def test_it_compiles_the_output_schema_of_every_tool(report: Report) -> None:
    assert len(report["tools"]) >= 8
    assert all(tool["outputSchema"]["type"] == "object" for tool in report["tools"])


def test_a_success_is_a_sentence_a_resource_and_the_same_as_structured_content(report: Report) -> None:
    sentence, resource = report["calls"]["stored"]["content"]
    assert sentence == {"type": "text", "text": "Stored e-1 about 'tea' in transaction 1."}
    assert resource["resource"]["uri"] == "knowledge://entries/e-1"
    assert json.loads(resource["resource"]["text"]) == structured(report, "stored")
    assert structured(report, "queried")["items"][0]["id"] == "e-1"


def test_a_triple_is_recorded_and_a_conflict_is_a_success_that_writes_nothing(report: Report) -> None:
    assert structured(report, "related")["object"] == "Engines Ltd"
    assert structured(report, "clashed")["existing"]["id"] == structured(report, "related")["id"]
    assert structured(report, "clashed")["candidate_resolutions"] == ["replace", "retain_both", "reject"]


def test_undo_reverts_the_newest_transaction(report: Report) -> None:
    (reverted,) = structured(report, "undone")["reverted"]
    assert reverted["tx_id"] == structured(report, "related")["tx_id"]
    assert reverted["revert_tx_id"] == reverted["tx_id"] + 1


@pytest.mark.parametrize(
    ("call", "code", "field"), [("refused", "validation", "content"), ("unknown", "not_found", "tx_id")]
)
def test_a_failure_carries_a_code_and_passes_the_output_schema(
    report: Report, call: str, code: str, field: str
) -> None:
    assert report["calls"][call]["isError"] is True
    error = structured(report, call)["error"]
    assert (error["code"], error["retryable"], error["field"]) == (code, False, field)
    assert json.loads(report["calls"][call]["content"][0]["text"]) == {"error": error}


def test_resources_are_listed_with_their_version(report: Report) -> None:
    listed = {resource["uri"]: resource for resource in report["resources"]}
    assert listed.keys() >= {ENTRIES, "knowledge://graph/triples", "knowledge://history/transactions"}
    assert all(resource["mimeType"] == "application/json" for resource in listed.values())
    assert listed["knowledge://history/transactions"]["_meta"]["version"] == 7
    assert "knowledge://entries/{id}" in {template["uriTemplate"] for template in report["resourceTemplates"]}


def test_pages_follow_each_other_in_one_snapshot_until_there_is_no_cursor(report: Report) -> None:
    pages = report["pages"]
    assert [[item["id"] for item in page["items"]] for page in pages] == [["e-1", "e-2"], ["e-3", "e-4"], ["e-5"]]
    assert {(page["resource_uri"], page["as_of_tx_id"]) for page in pages} == {(ENTRIES, 7)}
    assert pages[-1]["next_cursor"] is None


def test_a_missing_resource_is_an_error_that_names_it(report: Report) -> None:
    assert report["missing"]["code"] == -32602
    assert report["missing"]["data"]["uri"] == "knowledge://entries/e-999"
    assert report["missing"]["data"]["error_type"] == "invalid_params"


def test_changes_are_announced_until_the_client_unsubscribes(report: Report) -> None:
    changes = report["changes"]
    id, tx = changes["first"]["id"], changes["first"]["tx_id"]
    heard = [note["_meta"]["knowledge/change"] for note in changes["subscribed"] if note["uri"] == ENTRIES]
    expected = {"resource_uri": ENTRIES, "changed_ids": [id]}
    assert heard == [
        {**expected, "tx_id": tx, "change_type": "upsert", "truncated": False},
        {**expected, "tx_id": tx + 1, "change_type": "delete", "truncated": False},
    ]
    assert ENTRIES not in {note["uri"] for note in changes["unsubscribed"]}


def test_prompts_are_ready_to_run_once_their_arguments_are_given(report: Report) -> None:
    assert {prompt["name"] for prompt in report["prompts"]} >= {
        "ingest-memory",
        "retrieve-context",
        "correct-stale-facts",
    }
    assert "> Who is Ada?" in report["prompt"]["messages"][0]["content"]["text"]
    assert report["promptless"]["code"] == -32602
    assert report["promptless"]["data"]["field"] == "question"
    assert report["completion"]["completion"]["values"] == ["tea"]


def test_an_aborted_call_leaves_the_connection_usable(report: Report) -> None:
    assert "changed my mind" in report["aborted"]["message"]
    assert report["ping"] == {}


def test_an_unknown_tool_is_a_protocol_error_with_type_and_details(report: Report) -> None:
    assert report["unknownTool"]["code"] == -32602
    assert report["unknownTool"]["data"] == {
        "error_type": "invalid_params",
        "details": "There is no tool 'no_such_tool'; tools/list names them.",
    }

"""The official suite against our own dispatch, middleware and transport; only what it calls for is the tests'."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.fixture(scope="module")
def endpoint(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The product's server with the tools, resources and prompts that the suite calls for."""
    folder = tmp_path_factory.mktemp("conformance")
    with serve([sys.executable, str(HERE / "conformance"), str(folder / "data"), "http"], folder) as address:
        yield address


def read_baseline(path: Path) -> set[str]:
    """What is known to fail: `scenario`, or `scenario:check` for one check of it."""
    return set(re.findall(r"^  - (\S+)", path.read_text("utf-8"), re.MULTILINE))


def read_failures(results: Path) -> set[str]:
    """Every check that failed or warned, also in the scenarios that the suite itself does not score."""
    found: set[str] = set()
    for path in results.glob("server-*/checks.json"):
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", path.parent.name)
        for check in json.loads(path.read_text("utf-8")):
            if check["status"] in ("FAILURE", "WARNING"):
                found.add(f"{scenario}:{check['id']}")
    return found


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_official_suite_fails_only_where_the_baseline_says_so(
    revision: str, endpoint: str, run_node: Any, tmp_path: Path
) -> None:
    baseline = HERE / f"baseline-{revision}.yml"
    results = tmp_path / "results"
    options = ["--requirements", revision, "--expected-failures", str(baseline), "-o", str(results)]
    run = run_node(SUITE, "server", "--url", endpoint, *options)
    summary = run.stdout.partition("=== SUMMARY ===")[2]
    assert run.returncode == 0, summary + run.stderr
    failures, known = read_failures(results), read_baseline(baseline)
    assert len(list(results.iterdir())) > 30, "the suite ran only a part of its scenarios"
    assert {failure for failure in failures if not {failure, failure.partition(":")[0]} & known} == set(), summary
    expected_in_vain = known - failures - {failure.partition(":")[0] for failure in failures}
    assert expected_in_vain == set(), "these pass now; take them out of the baseline"

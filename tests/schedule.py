"""Which files are begun first when several workers share the tests: those that take long, so that no worker is left
alone with one in the end; and where the time went."""

from collections.abc import Iterable, Mapping, Sequence

import pytest

# Measured: seconds, roughly, while other work ran. `make test` prints what the longest took. What takes less than
# these is begun after them, the file with most tests first.
LONG: Mapping[str, int] = {
    "engine/test_long_lived.py": 240,
    "memories/test_narrowing.py": 60,
    "durability/test_kill.py": 150,
    "memories/test_dream_order.py": 130,
    "memories/test_machine_undone.py": 80,
    "linear/test_questions.py": 105,
    "memories/test_focus_goldens.py": 103,
    "toolkit/test_bounds.py": 97,
    "server/test_limits.py": 72,
    "memories/test_topics.py": 69,
    "memories/test_modulators.py": 66,
    "cli/test_restore.py": 64,
    "server/test_isolation.py": 60,
    "server/test_subscriptions.py": 45,
    "server/test_served_collections.py": 45,
    "hooks/test_hook_client.py": 63,
    "server/test_documents.py": 62,
    "tools/test_relating.py": 60,
    "memories/test_arousal.py": 60,
    "durability/test_postgres_kill.py": 60,
    "page/test_built_page.py": 60,
    "linear/test_notes.py": 60,
    "linear/test_tools.py": 50,
    "server/test_operation.py": 50,
    "server/test_shared_vaults.py": 50,
    "page/test_in_browser.py": 49,
    "memories/test_goal_goldens.py": 46,
    "memories/test_drift.py": 43,
    "packaging/test_team.py": 42,
    "tools/test_console_map.py": 41,
    "memories/test_workspace.py": 41,
    "cli/test_names.py": 40,
    "server/test_rolling.py": 40,
    "server/test_conformance.py": 40,
    "storage/test_roles.py": 40,
    "server/test_catching_up.py": 40,
    "storage/test_shared_database.py": 40,
    "server/test_python_clients.py": 40,
    "linear/test_readers.py": 40,
    "memories/test_dreams.py": 39,
    "memories/test_delta.py": 39,
    "cli/test_documents.py": 38,
    "storage/test_shared_files.py": 36,
    "memories/test_doubtful.py": 36,
    "engine/test_rechecking.py": 36,
    "memories/test_directions.py": 34,
    "durability/test_disk.py": 34,
    "memories/test_purpose_search.py": 33,
    "storage/test_relocation.py": 33,
    "memories/test_numbers.py": 32,
    "memories/test_outcomes.py": 32,
    "tools/test_goldens.py": 32,
    "memories/test_diagnosis.py": 32,
    "hooks/test_hook_setup.py": 32,
    "memories/test_status.py": 30,
    "storage/test_run_again.py": 30,
    "durability/test_dreams.py": 30,
    "linear/test_turns.py": 30,
    "hooks/test_attendant.py": 30,
    "memories/test_questions.py": 26,
    "cli/test_undo.py": 26,
    "memories/test_every_kind.py": 26,
    "packaging/test_dist.py": 25,
    "server/test_tokens.py": 25,
    "server/test_gate.py": 25,
    "cli/test_memory_command.py": 25,
    "hooks/test_kept_sessions.py": 25,
    "server/test_batches.py": 24,
    "documents/test_originals.py": 24,
    "memories/test_waking.py": 23,
    "cli/test_collections.py": 23,
    "mind/test_learned_weights.py": 23,
    "memories/test_context.py": 22,
    "engine/test_erasure_of_index.py": 21,
    "storage/test_erasure.py": 21,
    "memories/test_keeping.py": 20,
}
SHOWN = 30  # chosen: files that are told of


def in_order(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests of each file together, as they stand."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(file_of(item.nodeid), []).append(item)
    ranked = sorted(files, key=lambda name: (-LONG.get(name, 0), -len(files[name])))
    return [item for name in ranked for item in files[name]]


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0].removeprefix("tests/")


def times_by_file(reports: Iterable[pytest.TestReport]) -> list[tuple[str, float]]:
    """The files that took longest, the longest first."""
    took: dict[str, float] = {}
    for report in reports:
        name = file_of(report.nodeid)
        took[name] = took.get(name, 0.0) + report.duration
    return sorted(took.items(), key=lambda each: -each[1])[:SHOWN]

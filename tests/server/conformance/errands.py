"""Fixture tools that go on as tasks: each leaves a durable job, as the product's own do."""

import time
from dataclasses import dataclass
from typing import Any

from dialogue import accepted, elicitation, form, require
from toolbox import ACTS, Nothing, fixture, text

from memotheca.jobs.queue import SMALL, cancelled_meanwhile, enqueue, look_up, refusal_of, wait
from memotheca.model.errors import Failure, Refusal
from memotheca.toolkit.contract import Block
from memotheca.toolkit.fields import integer
from memotheca.toolkit.fields import text as text_field
from memotheca.toolkit.tool import Answer, BackgroundTask, Call

LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    name: str = text_field("Whom to greet.")


@fixture("greet", input=Named)
def greet(call: Call[Any], given: Named) -> list[Block]:
    return [text(f"Hello, {given.name}!")]


def leave(call: Call[Any], kind: str, arguments: dict[str, Any]) -> Any:
    """Leave a job; whoever does not want a task waits for it."""
    job = enqueue(call.kernel, kind, arguments, actor=call.actor, lane=SMALL)
    if call.detached:
        return {"task_id": job.id}
    wait(call.kernel, job.id, report=call.report, cancelled=call.cancelled)
    return finish(call, job.id).content


def finish(call: Call[Any], id: str) -> Answer:
    job = look_up(call.kernel, id)
    if job.state != "completed" or job.outcome is None:
        raise refusal_of(job)
    return Answer(content=[text(str(job.outcome["said"]))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    seconds: int = integer("How long.", 1, minimum=0)
    label: str = text_field("What to call it.", "work")


@fixture("slow_compute", input=Slow, task=BackgroundTask("slow_compute", finish))
def compute_slowly(call: Call[Any], given: Slow) -> Any:
    return leave(call, "slow_compute", {"seconds": given.seconds, "label": given.label})


def do_slowly(kernel: Any, job: Any, progress: Any) -> dict[str, Any]:
    until = time.monotonic() + job.arguments["seconds"]
    while time.monotonic() < until:
        if progress.stop():
            raise cancelled_meanwhile()
        time.sleep(LOOK_SECONDS)
    return {"said": f"{job.arguments['label']} is done."}


@fixture("failing_job", task=BackgroundTask("failing_job", finish, required=True))
def fail(call: Call[Any], given: Nothing) -> Any:
    return leave(call, "failing_job", {})


def refuse(kernel: Any, job: Any, progress: Any) -> dict[str, Any]:
    raise Refusal(Failure.UNSUPPORTED, "This job refuses.")


@fixture("protocol_error_job", task=BackgroundTask("protocol_error_job", finish))
def break_down(call: Call[Any], given: Nothing) -> Any:
    return leave(call, "protocol_error_job", {})


def crash(kernel: Any, job: Any, progress: Any) -> dict[str, Any]:
    raise RuntimeError("nobody expected this")


@fixture("test_tool_with_task", task=BackgroundTask("test_tool_with_task", finish, required=True))
def ask_and_go_on(call: Call[Any], given: Nothing) -> Any:
    answer = accepted("user_name")
    if answer is None:
        asked = {"name": {"type": "string"}}
        return require({"user_name": elicitation("What is your name?", form(asked, "name"))})
    return leave(call, "test_tool_with_task", {"said": f"Hello, {answer.get('name')}!"})


def repeat(kernel: Any, job: Any, progress: Any) -> dict[str, Any]:
    return {"said": job.arguments["said"]}


ACTS.update(slow_compute=do_slowly, failing_job=refuse, protocol_error_job=crash, test_tool_with_task=repeat)

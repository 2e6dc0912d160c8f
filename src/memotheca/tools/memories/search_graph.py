"""Search the graph."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.validity import moment
from memotheca.memory.claims.told import USER
from memotheca.memory.outcomes.prediction import AnsweredQuestion, predict_help
from memotheca.memory.recall.plan import SPACES
from memotheca.memory.recall.profiles import Profile, find_profile
from memotheca.memory.recall.recall import Recalled, RecallRequest, Recollection, recall
from memotheca.memory.session.focus import note_retrieval
from memotheca.memory.session.quadrants import QUADRANTS
from memotheca.memory.session.state import activity_of
from memotheca.memory.spaces.form import MODALITIES
from memotheca.memory.tuning.thresholds import DOMAINS
from memotheca.toolkit.fields import UNSET, Unset, choice, flag, integer, many, number, one, said, text, texts, to_json
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES
from memotheca.tools.memories.lambda_shapes import tell_asking

# What is found is ranked by nearness in such a space, too; plans name one for each of their queries.
ASKED_IN = tuple(sorted(SPACES.values(), key=lambda space: int(space[1:])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    min_importance: float = number("", UNSET, minimum=0, maximum=1)
    johari_quadrants: tuple[str, ...] = texts("", UNSET, values=QUADRANTS)
    created_after: str = text("ISO-8601.", UNSET, format="date-time")
    created_before: str = text("ISO-8601.", UNSET, maxLength=64)
    valid_at: str = text("Only what held at this time: ISO-8601.", UNSET, maxLength=64)
    tags: tuple[str, ...] = texts("All of them.", UNSET, minLength=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Perspective:
    domain: str = choice(DOMAINS, "", UNSET)
    agent_ids: tuple[str, ...] = texts("", UNSET)
    exclude_agent_ids: tuple[str, ...] = texts("", UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    query: str = text("What to find.", minLength=1, maxLength=4096)
    top_k: int = integer("", 10, minimum=1, maximum=100)
    min_similarity: float = number("Least cosine.", 0.0, minimum=0, maximum=1)
    filters: dict[str, Any] = one(Filters, "", UNSET)
    perspective_lock: dict[str, Any] = one(Perspective, "Only what this domain or these agents stored.", UNSET)
    modality: str = choice(MODALITIES, "", UNSET)
    space: str = choice(ASKED_IN, "", UNSET)
    profile: str = text("", UNSET)
    include_content: bool = flag("", False)
    include_quarantined: bool = flag("", False)
    topK: int = integer("Same as top_k.", UNSET, minimum=1, maximum=100)
    minSimilarity: float = number("Same as min_similarity.", UNSET, minimum=0, maximum=1)


NO_GOAL = "insufficient_data: no goal was found yet; auto_bootstrap_north_star looks for one."
# Other spellings that the specification promises.
SPELLED = {"topK": "top_k", "minSimilarity": "min_similarity"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    id: str = text()
    kind: str = text()
    name: str = text()
    citation: str = text()
    similarity: float = number("The cosine with the question: absolute.")
    score: float = number("Of the best of this answer, which has 1 however well it matches.")
    importance: float = number()
    dominant_embedder: str = text()
    johari: str = text()
    purpose_alignment: float | None = number(
        "How near it is to the goal's nearest topic, of that topic's own members.", default=None, nullable=True
    )
    theta_to_north_star: float | None = number("The cosine with that topic.", default=None, nullable=True)
    created_at: str = text()
    when: str = text()
    source: str | None = text(default=None, nullable=True)
    snippet: str = text()
    content: str | Unset = text(default=UNSET)
    quarantined: bool | Unset = flag(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    name: str = text()
    in_: int = integer()
    out: int = integer()
    ms: float = number()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    results: tuple[Result, ...] = many(Result)
    count: int = integer()
    best_fit: float | None = number(
        "How surely the best answers: 0 no match, 1 as near as answers are; absolute. Null without vectors.",
        nullable=True,
    )
    stages: tuple[Stage, ...] = many(Stage)
    purpose_reason: str | None = text("Why no purpose is told.", nullable=True)
    prediction_id: str = text("For saying whether it helped.")
    retrieval_ms: float = number()
    partial: str | Unset = text(default=UNSET)


EXAMPLE = Example(
    arguments={"query": "why do deploys fail?", "top_k": 3},
    after=(
        (
            "store_memory",
            {
                "content": "Deploys fail while the nightly job holds the migration lock.",
                "rationale": "Seen Tuesday.",
            },
        ),
        ("store_memory", {"content": "Ada takes her tea black.", "rationale": "She told us at lunch."}),
    ),
)


@tool(contract="memories", component="retrieval", effect="read", models=(Input, Output), example=EXAMPLE)
def search_graph(call: Call[Kernel], input: Input) -> Answer:
    """Find what is stored by meaning and words, best first. Of equal matches the important, the recent and what holds
    now, or held at the time asked about, are first."""
    began = time.perf_counter()
    given = said(input)
    given |= {SPELLED[name]: value for name, value in given.items() if name in SPELLED}

    def tell(number: int, found: Recalled) -> None:
        call.show(number, to_json(_result(found, input.include_content)))

    wanted = replace(_wanted(given, call.session), profile=_profile(call.kernel, given))
    found = recall(call.kernel, wanted, tell)
    activity_of(call.kernel).look(call.kernel.collection, [each.entry.id for each in found.results], call.kernel.now())
    felt = note_retrieval(call.kernel, call.session, max((each.similarity for each in found.results), default=None))
    # Words are only compared with each other: of them the best is always best.
    fit = round(felt, 4) if any(each.hit.cosine is not None for each in found.results) else None
    answered = AnsweredQuestion(
        query=input.query,
        session=call.session,
        way="search",
        hits=[each.hit for each in found.results],
        fit=felt,
        domain=wanted.domain,
        profile="" if wanted.profile is None else wanted.profile.id,
    )
    predicted = predict_help(call.kernel, answered)
    results = tuple(_result(each, input.include_content) for each in found.results)
    output = Output(
        results=results,
        count=len(results),
        best_fit=fit,
        purpose_reason=_why_no_purpose(found),
        stages=tuple(Stage(name=s.name, in_=s.came, out=s.went, ms=s.milliseconds) for s in found.stages),
        prediction_id=predicted.id,
        retrieval_ms=round((time.perf_counter() - began) * 1000, 3),
        partial=_partial(found),
    )
    told = [_sentence(input.query, len(results), fit), *map(_line, results)]
    return Answer(tell_asking(call, "\n".join(told), predicted.id), NODES, output, is_text_alone=True)


def _sentence(query: str, count: int, fit: float | None) -> str:
    if not count:
        return f'Nothing is stored about "{query}".'
    return f'Found {count} for "{query}".' + (" None of it is near: it may not be stored." if fit == 0 else "")


def _line(found: Result) -> str:
    """A result for whoever reads: what it says, when, by whom, and how near it is; programs read the rest."""
    said = found.snippet if isinstance(found.content, Unset) else found.content
    name = "" if said.startswith(found.name.rstrip("…")) else f"{found.name}: "
    by = f", {found.source}" if found.source not in (None, USER) else ""
    held = "" if isinstance(found.quarantined, Unset) else " in quarantine"
    return f"{name}{said} ({found.when}{by}) {found.citation} {found.similarity:.2f}{held}"


def _profile(kernel: Kernel, given: Mapping[str, Any]) -> Profile | None:
    if "profile" not in given:
        return None
    with kernel.read() as snapshot:
        return find_profile(snapshot, given["profile"])


def _wanted(given: dict[str, Any], session: str) -> RecallRequest:
    filters, lock = given.get("filters", {}), given.get("perspective_lock", {})
    return RecallRequest(
        query=given["query"],
        top_k=given["top_k"],
        min_similarity=given["min_similarity"],
        min_importance=filters.get("min_importance"),
        quadrants=tuple(filters.get("johari_quadrants", ())),
        created_after=_moment(filters, "created_after"),
        created_before=_moment(filters, "created_before"),
        valid_at=_moment(filters, "valid_at"),
        tags=tuple(filters.get("tags", ())),
        domain=lock.get("domain"),
        agents=tuple(lock.get("agent_ids", ())),
        excluded_agents=tuple(lock.get("exclude_agent_ids", ())),
        modality=given.get("modality"),
        space=given.get("space"),
        with_quarantined=given["include_quarantined"],
        session=session,
    )


def _partial(found: Recollection) -> str | Unset:
    """A quadrant is known of what was judged only, and not everything can be judged for one answer."""
    if not found.is_partial:
        return UNSET
    return f"The best {found.stages[0].went} were judged; there may be more in these quadrants further down."


def _why_no_purpose(found: Recollection) -> str | None:
    if not found.results:
        return "Nothing was found."
    return NO_GOAL if all(each.goal is None for each in found.results) else None


def _moment(filters: Mapping[str, Any], name: str) -> int | None:
    return None if name not in filters else moment(filters[name], f"filters.{name}")


def _result(found: Recalled, with_content: bool) -> Result:
    return Result(
        **found.facts(),
        content=found.entry.body if with_content else UNSET,
        quarantined=True if found.is_quarantined else UNSET,
    )

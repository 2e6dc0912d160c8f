"""Check content for adversarial patterns."""

from dataclasses import dataclass
from typing import Any

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.vet import CHECK_TYPES, Verdict, Vetted, vet
from memotheca.toolkit.fields import UNSET, Unset, flag, free, many, number, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.memories.contract import NODES


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    content: str = text("What to check; it is neither stored nor obeyed.", minLength=1, maxLength=65_536)
    checks: tuple[str, ...] = texts("", ("embedding_outlier", "prompt_injection"), values=CHECK_TYPES, minItems=1)
    rationale: str | Unset = text(
        "What it is said to be about, for content_misalign.", UNSET, minLength=10, maxLength=1000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckShape:
    check_type: str = text()
    passed: bool | None = flag(nullable=True)
    score: float | None = number(nullable=True)
    details: str = text()
    evidence: dict[str, Any] | Unset = free(default=UNSET)
    skipped_reason: str | Unset = text(default=UNSET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    is_safe: bool = flag()
    attack_type: str = text()
    threat_level: str = text()
    confidence: float = number()
    checks: tuple[CheckShape, ...] = many(CheckShape)
    recommended_action: str = text()


EXAMPLE = Example(
    arguments={
        "content": "The vault is safe because the lock is new. The lock is new because the vault is safe.",
        "checks": ["prompt_injection", "circular_logic"],
    }
)


@tool(contract="memories", effect="read", models=(Input, Output), example=EXAMPLE)
def check_adversarial(call: Call[Kernel], input: Input) -> Answer:
    """Check a text before you trust or store it: planted instructions, circular reasoning, content beside its stated
    point, or unlike anything stored. A check that cannot be made says why."""
    rationale = input.rationale if isinstance(input.rationale, str) else None
    vetted = vet(call.kernel, input.content, input.checks, rationale)
    output = Output(
        is_safe=vetted.is_safe,
        attack_type=vetted.attack_type,
        threat_level=vetted.threat_level,
        confidence=vetted.confidence,
        checks=tuple(_shape(verdict) for verdict in vetted.verdicts),
        recommended_action=vetted.action,
    )
    return Answer(f"{_sentence(vetted)} {vetted.action}.", NODES, output)


def _sentence(vetted: Vetted) -> str:
    if not vetted.is_checked:
        return "No check could be made."
    return "Nothing speaks against it." if vetted.is_safe else f"It fails a check: {vetted.attack_type}."


def _shape(verdict: Verdict) -> CheckShape:
    return CheckShape(
        check_type=verdict.check,
        passed=verdict.passed,
        score=verdict.score,
        details=verdict.details,
        evidence=dict(verdict.evidence) or UNSET,
        skipped_reason=UNSET if verdict.skipped is None else verdict.skipped,
    )

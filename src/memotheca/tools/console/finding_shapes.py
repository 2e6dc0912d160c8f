"""What answers of the console say of something that was looked at."""

from dataclasses import dataclass

from memotheca.admin.health import HealthFinding
from memotheca.toolkit.fields import flag, text

LONGEST_FINDING = 300  # chosen: a finding in a sentence or two


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShape:
    """One thing that was looked at, and what to do where it is not well."""

    name: str = text()
    well: bool = flag()
    detail: str = text()
    fix: str = text()


def finding_shape(finding: HealthFinding) -> FindingShape:
    longest = LONGEST_FINDING
    detail, fix = finding.detail[:longest], finding.fix[:longest]
    return FindingShape(name=finding.name[:longest], well=finding.well, detail=detail, fix=fix)

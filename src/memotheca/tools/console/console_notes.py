"""Tell how the notes do, for a page."""

from dataclasses import dataclass

from memotheca.kernel.kernel import Kernel
from memotheca.toolkit.fields import flag, integer, many, text, texts
from memotheca.toolkit.tool import Answer, Call, Example, tool
from memotheca.tools.console.finding_shapes import FindingShape, finding_shape
from memotheca.tools.console.wording import count
from memotheca.views.notes_view import look_at_notes

LONGEST = 200  # chosen: a path or a title on a line
MOST_MEANT = 5  # chosen: what a link could mean, at a glance


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    limit: int = integer("How many of each list, at most", 20, minimum=1, maximum=500)
    thorough: bool = flag("Also compare every file with what was read of it", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultShape:
    name: str = text()
    there: bool = flag()
    notes: int = integer()
    place: str | None = text("Where the folder lies, for whoever may know", nullable=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenShape:
    note: str = text()
    target: str = text()


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousShape:
    note: str = text()
    target: str = text()
    meant: tuple[str, ...] = texts("The notes it could mean; it is taken for the first")


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinsShape:
    notes: tuple[str, ...] = texts("Notes of one title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    vaults: tuple[VaultShape, ...] = many(VaultShape)
    notes: int = integer()
    links: int = integer()
    ghosts: int = integer("Ends of links that no note has")
    broken: tuple[BrokenShape, ...] = many(BrokenShape)
    broken_total: int = integer()
    ambiguous: tuple[AmbiguousShape, ...] = many(AmbiguousShape)
    ambiguous_total: int = integer()
    twins: tuple[TwinsShape, ...] = many(TwinsShape)
    twins_total: int = integer()
    orphans: tuple[str, ...] = texts("Notes without any link")
    orphans_total: int = integer()
    warnings: tuple[str, ...] = texts()
    findings: tuple[FindingShape, ...] = many(FindingShape)


EXAMPLE = Example(arguments={})


@tool(contract="console", effect="read", models=(Input, Output), example=EXAMPLE)
def console_notes(call: Call[Kernel], input: Input) -> Answer:
    """Tell of the mounted folders of notes: how many notes and links there are, which links are broken or could mean
    several notes, which notes have one title or no link at all, and what was noticed."""
    state = look_at_notes(call.kernel, closely=input.thorough and call.is_local)
    seen, limit = state.survey, input.limit
    output = Output(
        vaults=tuple(
            VaultShape(
                name=each.name,
                there=each.is_there,
                notes=each.notes,
                place=each.place if call.is_local else None,
            )
            for each in state.vaults
        ),
        notes=seen.notes,
        links=seen.links,
        ghosts=seen.ghosts,
        broken=tuple(
            BrokenShape(note=each["note"][:LONGEST], target=each["target"][:LONGEST])
            for each in seen.broken_links[:limit]
        ),
        broken_total=len(seen.broken_links),
        ambiguous=tuple(
            AmbiguousShape(note=note[:LONGEST], target=target[:LONGEST], meant=_short(meant))
            for note, target, meant in state.ambiguous[:limit]
        ),
        ambiguous_total=len(state.ambiguous),
        twins=tuple(TwinsShape(notes=_short(each)) for each in seen.duplicate_titles[:limit]),
        twins_total=len(seen.duplicate_titles),
        orphans=tuple(path[:LONGEST] for path in seen.orphans[:limit]),
        orphans_total=len(seen.orphans),
        warnings=tuple(state.warnings[:limit]),
        findings=tuple(map(finding_shape, state.findings)),
    )
    return Answer(f"{count(seen.notes, 'note')}, {count(len(seen.broken_links), 'broken link')}.", content=output)


def _short(paths: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return tuple(path[:LONGEST] for path in paths[:MOST_MEANT])

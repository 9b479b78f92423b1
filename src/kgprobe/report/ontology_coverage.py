"""How much of an ontology the tests cover: as text, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgprobe.selection.paper.planning import EntityCoverage


__all__ = ["coverage_as_json", "coverage_lines"]

_MOST_GAPS = 10


def coverage_lines(found: EntityCoverage) -> Iterator[str]:
    """How much of an ontology the tests cover, as in Table 3 of the paper, and which entities they do not cover."""
    yield ""
    yield "  classes  properties, restrictions  tests  direct  indirect  covered"
    yield (
        f"{found.classes:9,}  {found.properties_and_restrictions:24,}  {found.tests:5,}  {found.direct:6,}"
        f"  {found.indirect:8,}  {found.percent:6.2f}%"
    )
    if found.untouched:
        yield f"Not covered by any test: {len(found.untouched):,}"
        for row in found.untouched_rows()[:_MOST_GAPS]:
            yield f"  {_entity_text(row)}"
        if len(found.untouched) > _MOST_GAPS:
            yield f"  and {len(found.untouched) - _MOST_GAPS:,} more, which --json lists"


def coverage_as_json(found: EntityCoverage) -> dict[str, object]:
    """The coverage as JSON."""
    return {
        "classes": found.classes,
        "properties_and_restrictions": found.properties_and_restrictions,
        "tests": found.tests,
        "direct": found.direct,
        "indirect": found.indirect,
        "percent": round(found.percent, 2),
        "untouched": found.untouched_rows(),
    }


def _entity_text(row: list[str | None]) -> str:
    source, target, label = row
    return f"{source} {label} {target}" if label else f"{source}"

"""kgprobe tests software that depends on a knowledge graph or an ontology.

The names below are its public interface: they keep their meaning within a major version. `docs/reference/api.md` has
an example for each. Each is imported when it is first used, so `import kgprobe` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from kgprobe.version import __version__

if TYPE_CHECKING:
    from kgprobe.api import (
        Reason,
        check,
        consistent,
        explain,
        from_pyoxigraph,
        from_rdflib,
        judge,
        load,
        mutants,
        operators,
        read_mask,
        run_campaign,
        save,
        select,
        to_pyoxigraph,
        to_rdflib,
    )
    from kgprobe.campaign.store_reading import Finding
    from kgprobe.errors import InputError, KgprobeError, UnavailableError
    from kgprobe.learning.locating import locate
    from kgprobe.learning.mutant_coverage import coverage
    from kgprobe.learning.stored_campaign import judged_graphs
    from kgprobe.masks.learning.learning import learn_mask
    from kgprobe.masks.learning.observations import JudgedGraph
    from kgprobe.masks.mask import Mask
    from kgprobe.mining.search import mine
    from kgprobe.model import Case, Observation, Verdict
    from kgprobe.mutation.mutant import Mutant
    from kgprobe.rdf.diff import diff
    from kgprobe.rdf.graph import Delta, Graph
    from kgprobe.reduction.reducer import reduce
    from kgprobe.suite_score.scoring import score

__all__ = [
    "Case",
    "Delta",
    "Finding",
    "Graph",
    "InputError",
    "JudgedGraph",
    "KgprobeError",
    "Mask",
    "Mutant",
    "Observation",
    "Reason",
    "UnavailableError",
    "Verdict",
    "__version__",
    "check",
    "consistent",
    "coverage",
    "diff",
    "explain",
    "from_pyoxigraph",
    "from_rdflib",
    "judge",
    "judged_graphs",
    "learn_mask",
    "load",
    "locate",
    "mine",
    "mutants",
    "operators",
    "read_mask",
    "reduce",
    "run_campaign",
    "save",
    "score",
    "select",
    "to_pyoxigraph",
    "to_rdflib",
]

# Where each name is defined, if not in kgprobe.api.
_HOMES = {
    "Case": "kgprobe.model",
    "Delta": "kgprobe.rdf.graph",
    "Finding": "kgprobe.campaign.store_reading",
    "Graph": "kgprobe.rdf.graph",
    "InputError": "kgprobe.errors",
    "JudgedGraph": "kgprobe.masks.learning.observations",
    "KgprobeError": "kgprobe.errors",
    "Mask": "kgprobe.masks.mask",
    "Mutant": "kgprobe.mutation.mutant",
    "Observation": "kgprobe.model",
    "UnavailableError": "kgprobe.errors",
    "Verdict": "kgprobe.model",
    "coverage": "kgprobe.learning.mutant_coverage",
    "diff": "kgprobe.rdf.diff",
    "judged_graphs": "kgprobe.learning.stored_campaign",
    "learn_mask": "kgprobe.masks.learning.learning",
    "locate": "kgprobe.learning.locating",
    "mine": "kgprobe.mining.search",
    "reduce": "kgprobe.reduction.reducer",
    "score": "kgprobe.suite_score.scoring",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'kgprobe' has no attribute '{name}'")
    found: object = getattr(import_module(_HOMES.get(name, "kgprobe.api")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)

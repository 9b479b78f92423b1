"""SPARQL queries against an ontology: which parts of a query can never match, and why.

The entry point is `check`, or `checking.Checker` for many queries. Reading order:

- the ontology: `schema` (prepared for many queries), `statements` (what patterns say about individuals), `clash` (the
  proof that statements contradict the ontology; `shared_values` handles keys for it);
- the query: `facts`, `scopes`, `group_facts`, `worlds` (what must hold if a group matches; `path_edges` handles paths);
- values: `values`, `term_sets`, `conditions` (FILTERs and the like);
- the check: `views` (facts as statements), `rules` and `condition_rules` (facts that cannot hold together), `proving`
  (which of them to blame), `names`, `diagnostics`, `fixes`, `checking`;
- files: `texts`, `python_strings`, `comments`, `query_files`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgprobe.graph.graph import Graph
    from kgprobe.sparql.diagnostics import Report

__all__ = ["check"]


def check(text: str, ontology: str | Path | Graph | Sequence[str | Path | Graph]) -> Report:
    """Check a query or updates against an ontology, or against several as one: files or graphs.

    InputError if the text is not SPARQL, or the ontology cannot be read or is inconsistent.
    """
    # Imported late: the package is imported with each of its modules, and most do not need a reasoner.
    from kgprobe.graph.graph import Graph
    from kgprobe.sparql.checking import Checker
    from kgprobe.sparql.schema import load_schema
    from kgprobe.sparql.texts import QueryText

    given = [ontology] if isinstance(ontology, str | Path | Graph) else list(ontology)
    with Checker(load_schema(given)) as checker:
        checker.require_consistency()
        return checker.check(QueryText.whole("<query>", text))

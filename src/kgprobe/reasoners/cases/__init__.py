"""Small ontologies whose right answers are known: what a reasoner can be tested with."""

from kgprobe.reasoners.cases.table import Case, all_cases

__all__ = ["Case", "all_cases"]

"""Small ontologies with known right answers, for testing reasoners."""

from kgprobe.reasoners.cases.table import Case, all_cases

__all__ = ["Case", "all_cases"]

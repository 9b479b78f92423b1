"""The operators that come along: SPARQL Update in the folders, and here those that SPARQL cannot express."""

from __future__ import annotations

from kgprobe.mutation.operator import PythonOperator

__all__ = ["PYTHON_OPERATORS"]

PYTHON_OPERATORS: tuple[PythonOperator, ...] = ()

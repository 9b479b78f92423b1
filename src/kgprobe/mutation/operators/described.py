"""Operators in Python get their descriptions from the same text as those in SPARQL."""

from __future__ import annotations

import inspect

from kgprobe.mutation.header import read_header
from kgprobe.mutation.operator import Propose, PythonOperator

__all__ = ["described"]


def described(header: str, propose: Propose) -> PythonOperator:
    """The operator that proposes these changes. Its source is the module that the function is in."""
    module = inspect.getmodule(propose)
    assert module is not None  # noqa: S101 - all operators are in modules
    return PythonOperator(read_header(header.strip().splitlines(), module.__name__), propose, inspect.getsource(module))

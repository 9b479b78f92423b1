"""Tests on values that no graph has a say in: types, order, regular expressions.

What a well-formed date is, and which of two numbers of different types is larger, is for shifty to say: each question
is put to it once, and its answer kept. So these tests cannot disagree with full validation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from kgprobe.graph.changes import Key
from kgprobe.graph.terms import RDF, XSD, Literal, NamedNode, Term
from kgprobe.masks.constraints import Test
from kgprobe.masks.evaluation import View
from kgprobe.masks.vocabulary import SH

__all__ = ["of_datatype", "passes_alone", "related"]

_P, _Q = NamedNode("urn:kgprobe:p"), NamedNode("urn:kgprobe:q")
# A stream of mutants can bring new values without end.
_MOST_ANSWERS = 100_000
_PLAIN = (XSD.string, RDF.langString)


def passes_alone(parameters: dict[str, Term]) -> Test:
    """Whether a value passes a constraint that these parameters make."""
    given = "".join(f"; {SH[name]} {value}" for name, value in parameters.items())
    ask = _asked(f"<urn:kgprobe:s> {SH.targetObjectsOf} {_P} {given} .")
    answer = lru_cache(_MOST_ANSWERS)(lambda term: ask(f"<urn:kgprobe:x> {_P} {term} ."))
    return lambda view, value: answer(view.term(value))


def of_datatype(datatype: NamedNode) -> Test:
    """Whether a value is a well-formed literal of this type."""
    is_well_formed = passes_alone({"datatype": datatype})

    def passes(view: View, value: Key) -> bool:
        term = view.term(value)
        if not isinstance(term, Literal) or term.datatype != datatype:
            return False
        return datatype in _PLAIN or is_well_formed(view, value)

    return passes


def related(parameter: str) -> Callable[[Term, Term], bool]:
    """Whether one value is less than another, or at most as large: what sh:lessThan and its like demand."""
    ask = _asked(
        f"<urn:kgprobe:s> {SH.targetNode} <urn:kgprobe:x> ; {SH.property} <urn:kgprobe:t> ."
        f" <urn:kgprobe:t> {SH.path} {_P} ; {SH[parameter]} {_Q} ."
    )
    return lru_cache(_MOST_ANSWERS)(lambda value, other: ask(f"<urn:kgprobe:x> {_P} {value} ; {_Q} {other} ."))


def _asked(shapes: str) -> Callable[[str], bool]:
    import shifty  # not above: most commands have no shapes

    validator = shifty.PreparedValidator(shapes.encode())

    def ask(data: str) -> bool:
        return validator.validate_algebra(
            data.encode(), graph_mode="data", infer=False, on_unsupported="error"
        ).conforms

    return ask

"""The contents of an axiom: its expressions, and the names in it with the kind of entity that each stands for."""

from __future__ import annotations

from dataclasses import dataclass, field

from kgprobe.graph.axioms.expression import Argument, Expression, split_annotations, term
from kgprobe.graph.axioms.grammar import argument_kinds
from kgprobe.graph.terms import Term

__all__ = ["Contents", "contents_of"]


@dataclass(slots=True)
class Contents:
    """The contents of one axiom. The properties of its annotations are apart, because no rule applies to them."""

    expressions: list[Expression] = field(default_factory=list)
    """All expressions within the axiom; the axiom itself comes first."""
    names: list[tuple[str, Term]] = field(default_factory=list)
    """Names, anonymous individuals and literals, each with its kind (see `grammar`)."""
    annotation_properties: list[Term] = field(default_factory=list)


def contents_of(axiom: Expression) -> Contents:
    """The contents of an axiom or of any other expression."""
    found = Contents()
    pending = [axiom]
    while pending:
        current = pending.pop()
        annotations, arguments = split_annotations(current)
        pending += annotations
        if current.head == "Annotation":
            found.annotation_properties.append(term(arguments[0]))
            continue
        found.expressions.append(current)
        for kind, argument in zip(argument_kinds(current.head, len(arguments)), arguments, strict=False):
            if type(argument) is not Expression:
                if kind is not None:
                    found.names.append((kind, term(argument)))
            elif argument.head:
                pending.append(argument)
            else:
                _add_members(argument.args, kind, found, pending)
    return found


def _add_members(members: tuple[Argument, ...], kind: str | None, found: Contents, pending: list[Expression]) -> None:
    """The members of a bare list, which are of the list's kind."""
    for member in members:
        if type(member) is Expression:
            pending.append(member)
        elif kind is not None:
            found.names.append((kind, term(member)))

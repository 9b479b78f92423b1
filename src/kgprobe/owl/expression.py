"""OWL axioms and class expressions as values: the form that every OWL syntax is read into and written from.

An expression has a head, which is the name that OWL 2's functional syntax uses, and arguments in the order of that
syntax. An argument is a term, a number (a cardinality), or another expression:

    Expression("SubClassOf", A, Expression("ObjectSomeValuesFrom", p, B))
    Expression("SubClassOf", Expression("Annotation", note, Literal("why")), A, B)      annotations come first
    Expression("ObjectMinCardinality", 2, p)
    Expression("HasKey", C, Expression("", p, q), Expression("", d))                    a bare list has an empty head
    Expression("SubObjectPropertyOf", Expression("ObjectPropertyChain", p, q), r)
    Expression("Declaration", Expression("Class", A))

`OntologyDocument` is a whole document: its name, its imports and annotations, and its axioms in file order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, final

from kgprobe.rdf.terms import BlankNode, NamedNode, Subject, Term

__all__ = [
    "Argument",
    "Expression",
    "OntologyDocument",
    "has_head",
    "inner",
    "inverse",
    "is_headed",
    "name",
    "number",
    "parts_of",
    "split_annotations",
    "subject",
    "term",
    "without_annotations",
]

Argument: TypeAlias = "int | Term | Expression"


@final
class Expression(tuple["str | Argument", ...]):
    """A head and its arguments. Frozen and hashable.

    It is a tuple underneath, because ontologies have many expressions, and tuples are fast to make, to hash and to
    compare. The tuple is flat, because Python limits the nesting of tuples in comparisons.
    """

    __slots__ = ()
    __match_args__ = ("head", "args")

    head: str = property(itemgetter(0))  # type: ignore[assignment]  # in C, unlike a decorated function
    args: tuple[Argument, ...] = property(itemgetter(slice(1, None)))  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __new__(cls, head: str, *args: Argument) -> Expression: ...

    else:  # with the signature above, half as fast

        def __new__(cls, *head_and_args):
            return tuple.__new__(cls, head_and_args)

    def __getnewargs__(self) -> tuple[str | Argument, ...]:  # for copy and pickle
        return tuple(self)

    def __repr__(self) -> str:
        return f"{self.head}({' '.join(map(str, self.args))})"


def parts_of(*arguments: Argument) -> Iterator[Argument]:
    """The arguments and all within them, those of the outermost expressions first."""
    pending = list(arguments)
    for part in pending:
        yield part
        if type(part) is Expression:
            pending += part.args


def has_head(argument: Argument, heads: Collection[str]) -> bool:
    """Whether one of these constructs occurs in an expression."""
    pending = [argument]
    for part in pending:
        if type(part) is Expression:
            if part.head in heads:
                return True
            pending += part.args
    return False


def inverse(prop: Argument) -> Argument:
    """The inverse of an object property."""
    return prop.args[0] if type(prop) is Expression else Expression("ObjectInverseOf", prop)


def split_annotations(tree: Expression) -> tuple[list[Expression], tuple[Argument, ...]]:
    """The annotations that an expression begins with, and the arguments that follow them."""
    annotations = []
    for argument in tree.args:
        if type(argument) is not Expression or argument.head != "Annotation":
            break
        annotations.append(argument)
    return annotations, tree.args[len(annotations) :] if annotations else tree.args


def without_annotations(tree: Expression) -> Expression:
    """The expression without the annotations that it begins with."""
    annotations, arguments = split_annotations(tree)
    return Expression(tree.head, *arguments) if annotations else tree


def is_headed(argument: object, head: str) -> TypeGuard[Expression]:
    """Whether this is an expression with the given head."""
    return type(argument) is Expression and argument.head == head


# The grammar defines the type of each argument, and readers check it. These functions inform the type checker.


def term(argument: Argument) -> Term:
    """The argument, which must be a term."""
    if type(argument) is Expression or isinstance(argument, int):
        raise TypeError(f"{argument} is not a term")
    return argument


def subject(argument: Argument) -> Subject:
    """The argument, which must be a name or an anonymous individual."""
    if type(argument) is NamedNode or type(argument) is BlankNode:
        return argument
    raise TypeError(f"{argument} is neither a name nor a blank node")


def name(argument: Argument) -> NamedNode:
    """The argument, which must be a name."""
    if type(argument) is not NamedNode:
        raise TypeError(f"{argument} is not a name")
    return argument


def number(argument: Argument) -> int:
    """The argument, which must be a number."""
    if type(argument) is not int:
        raise TypeError(f"{argument} is not a number")
    return argument


def inner(argument: Argument) -> Expression:
    """The argument, which must be an expression."""
    if type(argument) is not Expression:
        raise TypeError(f"{argument} is not an expression")
    return argument


@dataclass(frozen=True, slots=True)
class OntologyDocument:
    """One ontology as its syntax states it; `iri` is None for an ontology without a name."""

    iri: NamedNode | None = None
    version: NamedNode | None = None
    imports: tuple[NamedNode, ...] = ()
    annotations: tuple[Expression, ...] = ()
    axioms: tuple[Expression, ...] = ()
    prefixes: dict[str, str] = field(default_factory=dict)

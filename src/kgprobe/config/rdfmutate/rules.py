"""SWRL rules as RDFMutate reads them: triples that must exist, triples that must not, and changes.

RDFMutate gives SWRL its own meaning. A body is matched against the triples as they are, without reasoning. A
head is what is done to one match: triples that come, triples that go, nodes that go or are replaced. What the body
says and the head does not repeat stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.errors import InputError, Position, nearest
from kgprobe.graph.files import Loaded
from kgprobe.graph.graph import Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.terms import OWL, RDF, RDFS, Literal, NamedNode, Namespace, Term

__all__ = ["Atom", "Deleted", "Fresh", "Replaced", "Rule", "RuleReader", "Statement"]

_SWRL = Namespace("http://www.w3.org/2003/11/swrl#")
_RDFMUTATE = Namespace("https://smolang.org/rdfMutate#")
_BUILT_INS: dict[Term, int] = {
    OWL.NegativePropertyAssertion: 3,
    _RDFMUTATE.newNode: 1,
    _RDFMUTATE.deleteNode: 1,
    _RDFMUTATE.replaceWith: 2,
}
_ATOMS = (_SWRL.ClassAtom, _SWRL.IndividualPropertyAtom, _SWRL.DatavaluedPropertyAtom, _SWRL.BuiltinAtom)


@dataclass(frozen=True)
class Statement:
    """A triple, or that there is none like it."""

    subject: Term
    predicate: Term
    object: Term
    negated: bool = False


@dataclass(frozen=True)
class Fresh:
    """A node that is new."""

    variable: Term


@dataclass(frozen=True)
class Deleted:
    """A node that goes, with all of its triples."""

    node: Term


@dataclass(frozen=True)
class Replaced:
    """A node whose place another one takes, in all of its triples."""

    old: Term
    new: Term


Atom: TypeAlias = Statement | Fresh | Deleted | Replaced


@dataclass(frozen=True)
class Rule:
    """One rule. `label` is what its author calls it, if anything; `variables` are the terms that stand for others."""

    label: str
    body: tuple[Atom, ...]
    head: tuple[Atom, ...]
    variables: frozenset[Term]


class RuleReader:
    """Reads the rules of one graph."""

    def __init__(self, loaded: Loaded) -> None:
        self._graph = loaded.graph
        self._name = loaded.name
        self._variables = frozenset(_of_type(loaded.graph, _SWRL.Variable))
        self._rule = ""

    def roots(self) -> list[Term]:
        """The nodes of all rules. InputError if there is none."""
        found = _of_type(self._graph, _SWRL.Imp)
        if not found:
            message = "has no SWRL rule, which would be a node of type swrl:Imp"
            raise InputError(message, where=Position(self._name))
        return found

    def rule(self, root: Term) -> Rule:
        """The rule at a node. InputError if it is one that RDFMutate would pass over."""
        labels = self._values(root, RDFS.label)
        named = root.value.rpartition("#")[2].rpartition("/")[2] if isinstance(root, NamedNode) else ""
        label = labels[0].value if labels and isinstance(labels[0], Literal) else named
        self._rule = f"rule '{label}': " if label else ""
        body, head = (tuple(map(self._atom, self._list(root, part))) for part in (_SWRL.body, _SWRL.head))
        self._check(body, head)
        return Rule(label, body, head, self._variables)

    def _check(self, body: Sequence[Atom], head: Sequence[Atom]) -> None:
        """Check the rule as RDFMutate does."""
        if any(isinstance(atom, Fresh) for atom in head):
            raise self._error("newNode stands in the body of a rule, not in its head")
        if any(isinstance(atom, Deleted | Replaced) for atom in body):
            raise self._error("deleteNode and replaceWith stand in the head of a rule, not in its body")
        for fresh in body:
            if not isinstance(fresh, Fresh):
                continue
            if fresh.variable not in self._variables:
                raise self._error(f"{fresh.variable} of newNode is not a swrl:Variable")
            if any(isinstance(atom, Statement) and fresh.variable in _terms(atom) for atom in body):
                raise self._error(f"{fresh.variable} is a new node, and nothing else can be asked of it in the body")

    def _atom(self, node: Term) -> Atom:
        kind = self._one(node, RDF.type)
        if kind == _SWRL.ClassAtom:
            return Statement(self._term(node, _SWRL.argument1), RDF.type, self._term(node, _SWRL.classPredicate))
        if kind in (_SWRL.IndividualPropertyAtom, _SWRL.DatavaluedPropertyAtom):
            predicate = self._term(node, _SWRL.propertyPredicate)
            return Statement(self._term(node, _SWRL.argument1), predicate, self._term(node, _SWRL.argument2))
        if kind == _SWRL.BuiltinAtom:
            return self._built_in(node)
        raise self._error(f"{kind} is not an atom that RDFMutate knows", str(kind), _ATOMS)

    def _built_in(self, node: Term) -> Atom:
        built_in = self._one(node, _SWRL.builtin)
        if built_in not in _BUILT_INS:
            raise self._error(f"{built_in} is not a built-in that RDFMutate knows", str(built_in), list(_BUILT_INS))
        arguments = [self._checked(_as_iri(term)) for term in self._list(node, _SWRL.arguments)]
        if len(arguments) != _BUILT_INS[built_in]:
            wanted = _BUILT_INS[built_in]
            raise self._error(f"{built_in} has {len(arguments)} arguments, not {wanted}")
        if built_in == OWL.NegativePropertyAssertion:
            return Statement(arguments[0], arguments[1], arguments[2], negated=True)
        if built_in == _RDFMUTATE.newNode:
            return Fresh(arguments[0])
        return Deleted(arguments[0]) if built_in == _RDFMUTATE.deleteNode else Replaced(arguments[0], arguments[1])

    def _list(self, node: Term, predicate: NamedNode) -> Sequence[Term]:
        try:
            return read_list(self._graph, self._one(node, predicate)).members
        except BrokenListError as error:
            raise self._error(str(error)) from None

    def _term(self, node: Term, predicate: NamedNode) -> Term:
        return self._checked(self._one(node, predicate))

    def _checked(self, term: Term) -> Term:
        if not isinstance(term, NamedNode | Literal) and term not in self._variables:
            raise self._error("an atom is about names, values and variables, not about expressions in blank nodes")
        return term

    def _one(self, node: Term, predicate: NamedNode) -> Term:
        found = self._values(node, predicate)
        if len(found) != 1:
            raise self._error(f"there are {len(found)} values for {predicate} where there must be one")
        return found[0]

    def _values(self, node: Term, predicate: NamedNode) -> list[Term]:
        graph = self._graph
        return sorted(map(graph.term, graph.objects(graph.key(node), graph.key(predicate))), key=str)

    def _error(self, message: str, given: str = "", valid: Sequence[Term] = ()) -> InputError:
        meant = nearest(given, map(str, valid)) if valid else None
        known = f"there are {', '.join(map(str, valid))}" if valid else None
        hint = f"did you mean {meant}?" if meant else known
        return InputError(self._rule + message, where=Position(self._name), hint=hint)


def _of_type(graph: Graph, kind: NamedNode) -> list[Term]:
    return list(map(graph.term, graph.subjects(graph.key(RDF.type), graph.key(kind))))


def _terms(atom: Statement) -> tuple[Term, Term, Term]:
    return atom.subject, atom.predicate, atom.object


def _as_iri(term: Term) -> Term:
    """RDFMutate takes a string that looks like an IRI for one: editors of SWRL only let users write literals there."""
    if isinstance(term, Literal) and term.value.startswith(("http://", "https://")):
        try:
            return NamedNode(term.value)
        except ValueError:
            return term
    return term

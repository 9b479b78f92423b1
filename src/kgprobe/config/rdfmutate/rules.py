"""Reads the rules of RDFMutate: SWRL, which is translated to operators, and the association rules that it mines.

RDFMutate gives SWRL its own meaning. The body is matched against the triples of the graph, without reasoning. The head
lists the changes to one match: triples to add or remove, and nodes to delete or replace. Triples that only the body
mentions stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kgprobe.errors import InputError, Position, did_you_mean, one_line
from kgprobe.formats.files import Loaded
from kgprobe.given_files import LARGEST_SETTINGS, read_text
from kgprobe.mining.rules import Rule as AssociationRule
from kgprobe.mutation.functions import NAMESPACE
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Namespace, Term
from kgprobe.wording import number_of

# -- SWRL --------------------------------------------------------------------------------------------------------------


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
    """A triple; if `negated`, one that must not exist, or that is removed."""

    subject: Term
    predicate: Term
    object: Term
    negated: bool = False


@dataclass(frozen=True)
class Fresh:
    """A new node."""

    variable: Term


@dataclass(frozen=True)
class Deleted:
    """A node to delete, with all of its triples."""

    node: Term


@dataclass(frozen=True)
class Replaced:
    """A node to replace by another one in all of its triples."""

    old: Term
    new: Term


Atom: TypeAlias = Statement | Fresh | Deleted | Replaced


@dataclass(frozen=True)
class Rule:
    """One rule. `label` is its name, if it has one; `variables` are all SWRL variables of the file."""

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
            message = "has no SWRL rule: no node has the type swrl:Imp"
            raise InputError(message, where=Position(self._name))
        return found

    def rule(self, root: Term) -> Rule:
        """The rule at a node. InputError if RDFMutate would ignore it."""
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
            raise self._error("newNode belongs in the body of a rule, not in its head")
        if any(isinstance(atom, Deleted | Replaced) for atom in body):
            raise self._error("deleteNode and replaceWith belong in the head of a rule, not in its body")
        for fresh in body:
            if not isinstance(fresh, Fresh):
                continue
            if fresh.variable not in self._variables:
                raise self._error(f"{fresh.variable} of newNode is not a swrl:Variable")
            if any(isinstance(atom, Statement) and fresh.variable in _terms(atom) for atom in body):
                raise self._error(f"{fresh.variable} is a new node: the body cannot have conditions on it")

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
            raise self._error(f"{built_in} has {number_of(len(arguments), 'argument')}; it takes {wanted}")
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
            raise self._error("the arguments of an atom are IRIs, literals and variables, not blank nodes")
        return term

    def _one(self, node: Term, predicate: NamedNode) -> Term:
        found = self._values(node, predicate)
        if len(found) != 1:
            raise self._error(f"{predicate} has {number_of(len(found), 'value')}; it must have one")
        return found[0]

    def _values(self, node: Term, predicate: NamedNode) -> list[Term]:
        graph = self._graph
        return sorted(map(graph.term, graph.objects(graph.key(node), graph.key(predicate))), key=str)

    def _error(self, message: str, given: str = "", valid: Sequence[Term] = ()) -> InputError:
        known = list(map(str, valid))
        hint = did_you_mean(given, known, f"RDFMutate knows {', '.join(known)}", shown="{}") if known else None
        return InputError(self._rule + message, where=Position(self._name), hint=hint)


def _of_type(graph: Graph, kind: NamedNode) -> list[Term]:
    return list(map(graph.term, graph.subjects(graph.key(RDF.type), graph.key(kind))))


def _terms(atom: Statement) -> tuple[Term, Term, Term]:
    return atom.subject, atom.predicate, atom.object


def _as_iri(term: Term) -> Term:
    """Read a string that looks like an IRI as an IRI, as RDFMutate does: SWRL editors only accept literals there."""
    if isinstance(term, Literal) and term.value.startswith(("http://", "https://")):
        try:
            return NamedNode(term.value)
        except ValueError:
            return term
    return term


# -- a rule as an operator: the text of a `.ru` file -------------------------------------------------------------------

_LOCAL_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_VOCABULARIES = tuple(namespace.iri for namespace in (RDF, RDFS, OWL, XSD))


def translated(rule: Rule, name: str, source: str, prefixes: Mapping[str, str]) -> tuple[str, list[str]]:
    """A rule as an operator, and notes for the user. `source` is the file that the rule comes from."""
    return _Translation(rule, prefixes).text(name, source)


class _Translation:
    def __init__(self, rule: Rule, prefixes: Mapping[str, str]) -> None:
        self._rule = rule
        self._prefixes = {"kg": NAMESPACE, **{name: iri for name, iri in prefixes.items() if name != "kg" and iri}}
        self._used: dict[str, str] = {}
        self._names: dict[Term, str] = {}
        self._constants: dict[Term, str] = {}
        self._calls: list[str] = []
        self.notes: list[str] = []
        statements = [atom for atom in rule.body if isinstance(atom, Statement)]
        matched = {term for atom in statements if not atom.negated for term in _parts(atom)}
        self._fresh = [atom.variable for atom in rule.body if isinstance(atom, Fresh)]
        # Variables with a value in the head. RDFMutate reads any other variable there as an IRI.
        self._bound = rule.variables & {*matched, *self._fresh}

    def text(self, name: str, source: str) -> tuple[str, list[str]]:
        body = [atom for atom in self._rule.body if isinstance(atom, Statement)]
        head = [atom for atom in self._rule.head if isinstance(atom, Statement)]
        where = [f"  {self._triple(atom, self._rule.variables)}" for atom in body if not atom.negated]
        if unwanted := " ".join(self._triple(atom, self._rule.variables) for atom in body if atom.negated):
            where.append(f"  FILTER NOT EXISTS {{ {unwanted} }}")
        self._note_unbound()
        deletes = [self._node(atom.node) for atom in self._rule.head if isinstance(atom, Deleted)]
        pairs = [(atom.old, atom.new) for atom in self._rule.head if isinstance(atom, Replaced)]
        replaces = [self._node(term) for pair in pairs for term in pair]
        delete = [self._triple(atom, self._bound) for atom in head if atom.negated]
        insert = [self._triple(atom, self._bound) for atom in head if not atom.negated]
        where += [f"  BIND({self._iri('kg:fresh')}() AS {self._variable(variable)})" for variable in self._fresh]
        where += self._calls
        header = self._header(name, source, deletes, replaces)
        prologue = [f"PREFIX {prefix}: <{iri}>" for prefix, iri in sorted(self._used.items())]
        parts = [f"DELETE {{ {' '.join(delete)} }}"] if delete else []
        parts += [f"INSERT {{ {' '.join(insert)} }}"] if insert else []
        parts = parts or ["DELETE { }"]  # SPARQL requires one of the two, even if only whole nodes change
        return "\n".join([*header, *prologue, "", *parts, "WHERE {", *where, "}", ""]), self.notes

    def _header(self, name: str, source: str, deletes: list[str], replaces: list[str]) -> Iterable[str]:
        called = f"rule '{one_line(self._rule.label)}'" if self._rule.label.strip() else "rule"
        yield f"# name: {name}"
        yield f"# does: applies the SWRL {called} in {one_line(source)}"
        yield f"# target: {'both' if self._changes_schema() else 'abox'}"
        if any(self._is_special(term) for atom in (*self._rule.body, *self._rule.head) for term in _parts(atom)):
            yield "# domain-specific: yes"
        if deletes:
            yield f"# deletes-nodes: {' '.join(deletes)}"
        if replaces:
            yield f"# replaces-nodes: {' '.join(replaces)}"

    def _changes_schema(self) -> bool:
        """Whether the rule may change axioms about classes and properties."""
        for atom in self._rule.head:
            if not isinstance(atom, Statement) or atom.predicate in self._rule.variables:
                return True
            name = atom.object if atom.predicate == RDF.type else atom.predicate
            if not self._is_special(name) or name in self._rule.variables:
                return True
        return False

    def _is_special(self, term: Term) -> bool:
        """Whether this is a domain-specific name: not a variable, and not from RDF, RDFS, OWL or XSD."""
        return (
            isinstance(term, NamedNode)
            and term not in self._rule.variables
            and not term.value.startswith(_VOCABULARIES)
        )

    def _note_unbound(self) -> None:
        in_head = {term for atom in self._rule.head for term in _parts(atom)}
        for variable in sorted((in_head & self._rule.variables) - self._bound, key=str):
            self.notes.append(f"{variable} is in the head only: as in RDFMutate, it stands for itself there")

    def _triple(self, atom: Statement, variables: Iterable[Term]) -> str:
        known = set(variables)
        subject, predicate, object_ = (self._variable if term in known else self._written for term in _parts(atom))
        verb = "a" if atom.predicate == RDF.type else predicate(atom.predicate)
        return f"{subject(atom.subject)} {verb} {object_(atom.object)} ."

    def _node(self, term: Term) -> str:
        """A variable for a node. An IRI in the rule gets a variable that is bound to it."""
        if term in self._bound:
            return self._variable(term)
        if term not in self._constants:
            self._constants[term] = self._new_name(_local(term))
            self._calls.append(f"  BIND({self._iri('kg:pick')}({self._written(term)}) AS {self._constants[term]})")
        return self._constants[term]

    def _variable(self, term: Term) -> str:
        if term not in self._names:
            self._names[term] = self._new_name(_local(term))
        return self._names[term]

    def _new_name(self, wanted: str) -> str:
        """A name that is not taken: two variables may have the same local name."""
        taken = {*self._names.values(), *self._constants.values()}
        numbers = (f"?{wanted}{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (f"?{wanted}", *numbers) if name not in taken)

    def _written(self, term: Term) -> str:
        if not isinstance(term, NamedNode):
            return str(term)
        fitting = [
            (len(iri), prefix)
            for prefix, iri in self._prefixes.items()
            if term.value.startswith(iri) and _LOCAL_NAME.fullmatch(term.value[len(iri) :])
        ]
        if not fitting:
            return str(term)
        length, prefix = max(fitting)
        return self._iri(f"{prefix}:{term.value[length:]}")

    def _iri(self, prefixed: str) -> str:
        prefix = prefixed.partition(":")[0]
        self._used[prefix] = self._prefixes[prefix]
        return prefixed


def _parts(atom: Atom) -> tuple[Term, ...]:
    if isinstance(atom, Statement):
        return atom.subject, atom.predicate, atom.object
    if isinstance(atom, Replaced):
        return atom.old, atom.new
    return (atom.variable,) if isinstance(atom, Fresh) else (atom.node,)


def _local(term: Term) -> str:
    """A name for a variable."""
    words = re.findall(r"\w+", term.value.rpartition("#")[2].rpartition("/")[2], re.ASCII)
    name = "_".join(words)
    return name if name and not name[0].isdigit() else f"v{name}"


# -- association rules, one in each line: (?a :p ?b)(?b :q ?c) -> (?a :r ?c) -------------------------------------------


_ATOM = re.compile(r"\(([^()]*)\)")
_VARIABLE = re.compile(r"\?(\w+)")
# A rule with n body atoms gives 2^(n+1) - 1 operators.
_MOST_ATOMS = 8


def read_rules(path: Path, prefixes: Mapping[str, str]) -> Iterator[tuple[Position, AssociationRule | InputError]]:
    """Each rule of a file with its place, or the mistake in it. Empty lines are passed over."""
    for number, line in enumerate(read_text(path, LARGEST_SETTINGS).splitlines(), 1):
        if line.strip():
            where = Position(str(path), number)
            try:
                yield where, _rule(line, prefixes, where)
            except InputError as error:
                yield where, error


def _rule(line: str, prefixes: Mapping[str, str], where: Position) -> AssociationRule:
    body, *heads = line.split("->")
    atoms, heads = _ATOM.findall(body), [atom for head in heads for atom in _ATOM.findall(head)]
    rest = _ATOM.sub("", line).replace("->", "", 1).strip()
    if len(heads) != 1 or rest:
        hint = "write (?a :p ?b)(?b :q ?c) -> (?a :r ?c)"
        raise InputError("this is not a rule with a body, an arrow and one atom after it", where=where, hint=hint)
    if len(atoms) >= _MOST_ATOMS:
        raise InputError(f"a rule has at most {_MOST_ATOMS} atoms, not {len(atoms) + 1}", where=where)
    patterns = [_pattern(atom, prefixes, where) for atom in (*atoms, *heads)]
    return AssociationRule(tuple(dict.fromkeys(patterns[:-1])), patterns[-1], 0, 0, 0, 0)


def _pattern(atom: str, prefixes: Mapping[str, str], where: Position) -> TriplePattern:
    parts = atom.split()
    if len(parts) != 3:
        raise InputError(f"an atom has a subject, a predicate and an object: ({atom})", where=where)
    subject, predicate, value = (_part(part, prefixes, where) for part in parts)
    return subject, predicate, value


def _part(written: str, prefixes: Mapping[str, str], where: Position) -> Variable | NamedNode:
    if variable := _VARIABLE.fullmatch(written):
        return Variable(variable[1])
    prefix, colon, local = written.partition(":")
    iri = prefixes[prefix] + local if colon and prefix in prefixes else written.removeprefix("<").removesuffix(">")
    if iri == written and "//" not in written:
        hint = did_you_mean(prefix, prefixes, f"known are {', '.join(f'{name}:' for name in prefixes)}", shown="'{}:'")
        raise InputError(f"the prefix of '{written}' is not known", where=where, hint=hint)
    try:
        return NamedNode(iri)
    except ValueError:
        raise InputError(f"'{written}' is not an IRI", where=where) from None

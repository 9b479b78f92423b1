"""From a SWRL rule of RDFMutate to an operator of kgprobe: the text of a `.ru` file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kgprobe.config.rdfmutate.rules import Atom, Deleted, Fresh, Replaced, Rule, Statement
from kgprobe.errors import one_line
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, NamedNode, Term
from kgprobe.mutation.functions import NAMESPACE

__all__ = ["translated"]

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
        # What has a value in the head. RDFMutate takes any other variable there for the IRI that it is.
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
        parts = parts or ["DELETE { }"]  # a request has one of the two, also if only whole nodes change
        return "\n".join([*header, *prologue, "", *parts, "WHERE {", *where, "}", ""]), self.notes

    def _header(self, name: str, source: str, deletes: list[str], replaces: list[str]) -> Iterable[str]:
        called = f"rule '{one_line(self._rule.label)}'" if self._rule.label.strip() else "rule"
        yield f"# name: {name}"
        yield f"# does: what the SWRL {called} in {one_line(source)} says"
        yield f"# target: {'both' if self._changes_schema() else 'abox'}"
        if any(self._is_special(term) for atom in (*self._rule.body, *self._rule.head) for term in _parts(atom)):
            yield "# domain-specific: yes"
        if deletes:
            yield f"# deletes-nodes: {' '.join(deletes)}"
        if replaces:
            yield f"# replaces-nodes: {' '.join(replaces)}"

    def _changes_schema(self) -> bool:
        """Whether it may change what is said about classes and properties."""
        for atom in self._rule.head:
            if not isinstance(atom, Statement) or atom.predicate in self._rule.variables:
                return True
            told = atom.object if atom.predicate == RDF.type else atom.predicate
            if not self._is_special(told) or told in self._rule.variables:
                return True
        return False

    def _is_special(self, term: Term) -> bool:
        """Whether this is a name that only some graphs have."""
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
        """A variable for a node. For one that is named in the rule, it is one that can only have that value."""
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
        """Two variables may have the same local name."""
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

"""From rules to operators: those that add the pattern of a rule to a graph, and those that remove it.

This is section 5.4 of the paper on mutation testing. An operator is a pair of patterns: the triples to find, and the
triples that replace them. For each part of a rule's body, there is an operator that finds this part and adds the rest
of the rule; and for each part but the empty one, there is an operator that finds the whole rule, and removes this part
and the head.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from kgprobe.mining.index import is_of_vocabulary
from kgprobe.mining.rules import Rule
from kgprobe.owl.wording import name_in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable, variables_of
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term

__all__ = ["MinedOperator", "Update", "canonical_names", "mined_operators", "operators_of", "update_of", "update_text"]


# Enough for all that a rule can have: the variables of an operator are ?a, ?b, …
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_Atoms: TypeAlias = frozenset[TriplePattern]
_Patterns: TypeAlias = tuple[TriplePattern, ...]


@dataclass(frozen=True)
class MinedOperator:
    """The triples to find, and those that replace them; variables in the latter only are new nodes.

    Both are sorted, and the names of variables depend on nothing but the patterns: operators that differ only in the
    names of their variables are equal. `rules` are those that it was made from.
    """

    finds: tuple[TriplePattern, ...]
    leaves: tuple[TriplePattern, ...]
    rules: tuple[Rule, ...] = ()

    @cached_property
    def added(self) -> tuple[TriplePattern, ...]:
        """The triples that it adds."""
        return tuple(atom for atom in self.leaves if atom not in self.finds)

    @cached_property
    def removed(self) -> tuple[TriplePattern, ...]:
        """The triples that it removes."""
        return tuple(atom for atom in self.finds if atom not in self.leaves)

    @cached_property
    def new_nodes(self) -> tuple[Variable, ...]:
        """The variables that stand for new nodes."""
        variables = variables_of(self.finds)
        return tuple(variable for variable in variables_of(self.leaves) if variable not in variables)


def mined_operators(rules: Iterable[Rule]) -> tuple[MinedOperator, ...]:
    """The operators of all rules, in the order of the rules; equal ones once, with all rules that they come from."""
    sources: dict[tuple[_Patterns, _Patterns], list[Rule]] = {}
    for rule in rules:
        for operator in operators_of(rule):
            known = sources.setdefault((operator.finds, operator.leaves), [])
            if not known or known[-1] is not rule:  # two parts of a symmetric body make the same operator
                known.append(rule)
    return tuple(MinedOperator(*patterns, tuple(known)) for patterns, known in sources.items())


def operators_of(rule: Rule) -> Iterator[MinedOperator]:
    """The operators of one rule: 2ⁿ that add its pattern, then 2ⁿ-1 that remove it, for n atoms in the body."""
    whole = frozenset((*rule.body, rule.head))
    if any(isinstance(part, BlankNode) for atom in whole for part in atom):
        raise ValueError(f"a rule cannot have a blank node as a constant: {rule}")
    parts = [frozenset(part) for size in range(len(rule.body) + 1) for part in itertools.combinations(rule.body, size)]
    for part in parts:
        yield MinedOperator(*_canonical(part, whole), (rule,))
    for part in parts:
        if part:
            yield MinedOperator(*_canonical(whole, whole - part - {rule.head}), (rule,))


# -- equal up to the names of variables --------------------------------------------------------------------------------


def _canonical(finds: _Atoms, leaves: _Atoms) -> tuple[_Patterns, _Patterns]:
    """The two patterns with variables named in one way, the same for all patterns that differ in those names only."""
    fixed = canonical_names([*(("finds", *atom) for atom in finds), *(("leaves", *atom) for atom in leaves)])
    # In the order in which a reader meets them.
    ordered = sorted(finds | leaves, key=lambda atom: _written(_renamed(atom, fixed)))
    names = {variable: Variable(_letter(n)) for n, variable in enumerate(variables_of(ordered))}

    def named(part: _Atoms) -> _Patterns:
        return tuple(sorted((_renamed(atom, names) for atom in part), key=_written))

    return named(finds), named(leaves)


def canonical_names(rows: Iterable[tuple[object, ...]]) -> dict[Variable, Variable]:
    """A name for each variable in some rows: the same rows after renaming, if they differ in names of variables only.

    The order of the rows makes no difference.
    """
    rows = sorted(rows, key=_shape)
    groups: dict[tuple[object, ...], list[Variable]] = {}
    for variable in dict.fromkeys(part for row in rows for part in row if isinstance(part, Variable)):
        around = sorted((tuple(part == variable for part in row), _shape(row)) for row in rows if variable in row)
        groups.setdefault(tuple(around), []).append(variable)
    # Variables with different surroundings never change places. So there are few orders to compare.
    orders = itertools.product(*(itertools.permutations(groups[key]) for key in sorted(groups)))
    best: tuple[list[tuple[str, ...]], dict[Variable, Variable]] | None = None
    for order in orders:
        names = {old: Variable(_letter(n)) for n, old in enumerate(itertools.chain.from_iterable(order))}
        key = sorted(tuple(str(names[p] if isinstance(p, Variable) else p) for p in row) for row in rows)
        if best is None or key < best[0]:
            best = key, names
    return {} if best is None else best[1]


def _shape(row: Iterable[object]) -> tuple[str, ...]:
    return tuple("?" if isinstance(part, Variable) else str(part) for part in row)


def _written(atom: TriplePattern) -> tuple[str, ...]:
    return tuple(map(str, (atom[1], atom[0], atom[2])))


def _renamed(atom: TriplePattern, names: Mapping[Variable, Variable]) -> TriplePattern:
    def part(given: Variable | Term) -> Variable | Term:
        return names[given] if isinstance(given, Variable) else given

    return part(atom[0]), part(atom[1]), part(atom[2])


def _letter(number: int) -> str:
    return _LETTERS[number] if number < len(_LETTERS) else f"v{number}"


MARK = "# Mined by kgprobe."
"""The line by which kgprobe knows the operators that it has written."""

_EXAMPLES = "https://kgprobe.example/#"
_FUNCTIONS = "urn:kgprobe:function:"
_LONGEST_NAME = 70
_LONGEST_VALUE = 60
_DIGITS = 8  # of the number at the end of a name
_PLAIN = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_WORDS = re.compile(r"[A-Za-z0-9]+")
# Python takes all of these for the end of a line, and a header is read line by line.
_LINE_ENDS = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")
_RULES_SHOWN = 3
# Predicates and types of statements about individuals. All other names of OWL are about classes and properties.
_ABOUT_INDIVIDUALS = {OWL.sameAs, OWL.differentFrom}
_TYPES_OF_INDIVIDUALS = {OWL.NamedIndividual, OWL.AllDifferent, OWL.NegativePropertyAssertion, OWL.Thing}
_ABOUT_BOTH = {RDF.first, RDF.rest, OWL.members, OWL.distinctMembers, RDFS.label, RDFS.comment}


@dataclass(frozen=True)
class FilterCall:
    """A call in a FILTER: `kg:isClass(?a)`, `!isLiteral(?a)`."""

    function: str
    arguments: tuple[Variable | Term, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(_part(argument, frozenset()) for argument in self.arguments)})"


@dataclass(frozen=True)
class Update:
    """The parts of an operator's text."""

    name: str
    does: str
    target: str
    where: tuple[TriplePattern, ...]
    delete: tuple[TriplePattern, ...]
    insert: tuple[TriplePattern, ...]
    domain_specific: bool = False
    filters: tuple[FilterCall, ...] = ()
    # Triples that must not be there.
    absent: tuple[TriplePattern, ...] = ()
    # Values that are made up after a solution has been chosen: `kg:fresh()`.
    calls: tuple[tuple[Variable, str], ...] = ()
    # Variables in `insert` that are written as blank nodes: each is a new blank node.
    blank: frozenset[Variable] = frozenset()
    # Whether what depends on a removed triple is removed, too, and the variables whose nodes depend on removed triples.
    tidies: bool = False
    hanging: frozenset[Variable] = frozenset()
    # Further lines for the reader: the rules that it was made from.
    notes: tuple[str, ...] = ()


def update_of(operator: MinedOperator, labels: Graph | None = None) -> Update:
    """The parts of the text of an operator, exactly as its patterns say; `labels` has labels for the names in it."""
    constants = [p for atom in (*operator.finds, *operator.leaves) for p in atom if not isinstance(p, Variable)]
    # A literal cannot be a subject. Without this, a part of the triples would be added.
    subjects = {atom[0] for atom in operator.added} - {atom[0] for atom in operator.finds}
    new = [variable for variable in variables_of(operator.finds) if variable in subjects]
    return Update(
        name=_name(operator),
        does=_does(operator, labels or Graph()),
        target=_target((*operator.added, *operator.removed)),
        domain_specific=not all(map(is_of_vocabulary, constants)),
        where=operator.finds,
        filters=tuple(FilterCall("!isLiteral", (variable,)) for variable in new),
        delete=operator.removed,
        insert=operator.added,
        calls=tuple((variable, "kg:fresh()") for variable in operator.new_nodes),
        notes=tuple(map(_rule_in_words, operator.rules[:_RULES_SHOWN])),
    )


# -- the text ----------------------------------------------------------------------------------------------------------


def update_text(update: Update) -> str:
    """The text: a header with an example, then the request."""
    before, after = _example(update)
    header = [
        f"name: {update.name}",
        f"does: {_one_line(update.does)}",
        f"target: {update.target}",
        *(["domain-specific: yes"] if update.domain_specific else []),
        *(["tidies: yes"] if update.tidies else []),
        "before:",
        *before,
        "after:",
        *after,
    ]
    used = [*update.where, *update.delete, *update.insert, *update.absent]
    prefixes = _prefixes(used, [*map(str, update.filters), *(call for _, call in update.calls)])
    rows = [f"# {line}" for line in header]
    rows += [f"PREFIX {prefix}: <{iri}>" for prefix, iri in prefixes.items()]
    rows += ["", MARK, *(f"# {_one_line(note)}" for note in update.notes), ""]
    if update.delete:
        rows.append(_template("DELETE", update.delete, frozenset()))
    if update.insert:
        rows.append(_template("INSERT", update.insert, update.blank))
    inner = [f"  {_atom(atom, frozenset())} ." for atom in update.where]
    inner += [f"  FILTER({condition})" for condition in update.filters]
    inner += [f"  FILTER NOT EXISTS {{ {_atom(atom, frozenset())} }}" for atom in update.absent]
    inner += [f"  BIND({call} AS {variable})" for variable, call in update.calls]
    rows += ["WHERE {", *inner, "}"] if inner else ["WHERE { }"]
    return "\n".join(rows) + "\n"


def _template(word: str, atoms: Sequence[TriplePattern], blank: frozenset[Variable]) -> str:
    return f"{word} {{ {' . '.join(_atom(atom, blank) for atom in atoms)} }}"


def _atom(atom: TriplePattern, blank: frozenset[Variable]) -> str:
    subject, predicate, value = (_part(part, blank) for part in atom)
    return f"{subject} {'a' if atom[1] == RDF.type else predicate} {value}"


def _part(part: Variable | Term, blank: frozenset[Variable]) -> str:
    if isinstance(part, Variable):
        return f"_:{part.name}" if part in blank else str(part)
    return _term(part)


def _term(term: Term) -> str:
    """A term as SPARQL and Turtle write it, on one line."""
    if isinstance(term, NamedNode):
        for prefix, iri in STANDARD_PREFIXES.items():
            if term.value.startswith(iri) and _PLAIN.fullmatch(term.value[len(iri) :]):
                return f"{prefix}:{term.value[len(iri) :]}"
        return f"<{_escaped(term.value)}>"
    if isinstance(term, Literal) and not term.language and term.datatype.value.startswith(STANDARD_PREFIXES["xsd"]):
        text, sign, _ = str(term).rpartition("^^")
        return _escaped(f"{text}^^{_term(term.datatype)}" if sign and text.endswith('"') else str(term))
    return _escaped(str(term))


def _escaped(text: str) -> str:
    return _LINE_ENDS.sub(lambda character: f"\\u{ord(character[0]):04X}", text)


def _prefixes(atoms: Iterable[TriplePattern], expressions: Iterable[str]) -> dict[str, str]:
    """The prefixes that the request and its example use."""
    terms = [part for atom in atoms for part in atom if not isinstance(part, Variable) and part != RDF.type]
    written = list(map(_term, terms))
    used = {text.partition(":")[0] for text in written if not text.startswith(("<", '"'))}
    used |= {text.rpartition("^^")[2].partition(":")[0] for text in written if text.startswith('"')}
    prefixes = {prefix: iri for prefix, iri in STANDARD_PREFIXES.items() if prefix in used}
    return {**prefixes, "kg": _FUNCTIONS} if any("kg:" in expression for expression in expressions) else prefixes


# -- the example -------------------------------------------------------------------------------------------------------


def _example(update: Update) -> tuple[list[str], list[str]]:
    """A graph that has exactly what the operator looks for, and the result."""
    variables = variables_of((*update.where, *update.delete, *update.insert))
    taken = {part for atom in (*update.where, *update.insert) for part in atom if isinstance(part, NamedNode)}
    made_up = {variable for variable, _ in update.calls}
    names: dict[Variable, str] = {}
    for variable in variables:
        name = variable.name
        while NamedNode(_EXAMPLES + name) in taken:  # the operator means this node, not any
            name += "x"
        prefix = "_:" if variable in update.blank | update.hanging else "new:" if variable in made_up else ":"
        names[variable] = prefix + name
    after = [atom for atom in update.where if atom not in update.delete and atom[0] not in update.hanging]
    after += [atom for atom in update.insert if atom not in after]
    return [_shown(atom, names) for atom in update.where], [_shown(atom, names) for atom in after]


def _shown(atom: TriplePattern, names: dict[Variable, str]) -> str:
    subject, predicate, value = (names[part] if isinstance(part, Variable) else _term(part) for part in atom)
    return f"  {subject} {'a' if atom[1] == RDF.type else predicate} {value} ."


# -- words -------------------------------------------------------------------------------------------------------------


def _name(operator: MinedOperator) -> str:
    """A readable name that no other operator has: it ends with a number made from the patterns."""
    kept = [atom for atom in operator.finds if atom in operator.leaves]
    if operator.removed:
        name = "Remove" + _names(operator.removed) + (f"-Keep{_names(kept)}" if kept else "")
    else:
        name = "Add" + _names(operator.added) + (f"-Where{_names(kept)}" if kept else "")
    patterns = "\n".join(
        " ".join(map(str, atom)) for part in (operator.finds, ("=>",), operator.leaves) for atom in part
    )
    number = hashlib.sha256(patterns.encode()).hexdigest()[:_DIGITS]
    return f"{name[:_LONGEST_NAME]}-{number}"


def _names(atoms: Sequence[TriplePattern]) -> str:
    return "".join(map(_atom_name, atoms))


def _atom_name(atom: TriplePattern) -> str:
    subject, predicate, value = atom
    if predicate == RDF.type and not isinstance(value, Variable):
        return _local(subject) + _local(value)
    return "".join(map(_local, atom))


def _local(part: Variable | Term) -> str:
    """The last words of a name, in one word."""
    if isinstance(part, Variable):
        return ""
    text = part.value.rstrip("#/")
    words = _WORDS.findall(re.split(r"[#/:]", text)[-1] if isinstance(part, NamedNode) else text)
    return "".join(word[0].upper() + word[1:] for word in words)


def _does(operator: MinedOperator, labels: Graph) -> str:
    kept = [atom for atom in operator.finds if atom in operator.leaves]
    if operator.removed:
        words = f"remove that {_sentence(operator.removed, labels)}"
        return f"{words}; keep that {_sentence(kept, labels)}" if kept else words
    new = [variable.name.upper() for variable in operator.new_nodes]
    words = _sentence(operator.added, labels)
    what = f"{'new nodes' if len(new) > 1 else 'a new node'} {' and '.join(new)}:" if new else "that"
    return f"add {what} {words}; where {_sentence(kept, labels)}" if kept else f"add {what} {words}"


def _sentence(atoms: Sequence[TriplePattern], labels: Graph) -> str:
    return " and ".join(_clause(atom, labels) for atom in atoms)


def _clause(atom: TriplePattern, labels: Graph) -> str:
    def word(part: Variable | Term) -> str:
        if isinstance(part, Variable):
            return part.name.upper()
        return name_in_words(part, labels) if isinstance(part, NamedNode) else _shortened(str(part))

    subject, predicate, value = map(word, atom)
    return f"{subject} is of type {value}" if atom[1] == RDF.type else f"{subject} {predicate} {value}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _rule_in_words(rule: Rule) -> str:
    body = " . ".join(_atom(atom, frozenset()) for atom in rule.body)
    return f"Rule: {body} => {_atom(rule.head, frozenset())}"


def _one_line(text: str) -> str:
    return " ".join(_LINE_ENDS.sub(" ", text).split())


def _target(atoms: Sequence[TriplePattern]) -> str:
    targets = {_target_of(atom) for atom in atoms}
    return targets.pop() if len(targets) == 1 else "both"


def _target_of(atom: TriplePattern) -> str:
    """Whether a triple is about individuals (abox), or about classes and properties (tbox)."""
    _, predicate, value = atom
    if predicate in _ABOUT_BOTH:
        return "both"
    if predicate == RDF.type:
        if isinstance(value, Variable):
            return "both"
        is_schema = is_of_vocabulary(value)
        return "tbox" if is_schema and value not in _TYPES_OF_INDIVIDUALS else "abox"
    is_schema = isinstance(predicate, NamedNode) and is_of_vocabulary(predicate)
    return "tbox" if is_schema and predicate not in _ABOUT_INDIVIDUALS else "abox"

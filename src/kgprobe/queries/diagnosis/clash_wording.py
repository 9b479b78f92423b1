"""The reason of a finding in a sentence: "`likes` goes from User to Activity; ?x is an Activity because of line 4"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kgprobe.owl.expression import Argument
from kgprobe.owl.expression import Expression as Axiom
from kgprobe.queries.diagnosis.proving import Blame
from kgprobe.queries.patterns.facts import Edge, Fact, shown
from kgprobe.queries.patterns.worlds import Role
from kgprobe.queries.schema import Said, Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, NamedNode
from kgprobe.sparql.algebra import Part


def message_of(finding: Blame, line_of: Callable[[Fact], int]) -> str:
    """The reason of a finding, with its consequence for the part of the query."""
    conflict = finding.conflict
    parts = list(_reasons(finding, line_of)) if conflict.code == "contradiction" and conflict.axioms else []
    reason = "; ".join(dict.fromkeys([*parts, *([conflict.words] if conflict.words else [])]))
    if conflict.proviso:
        reason += f" ({conflict.proviso})"
    return _with_consequence(reason, finding)


_CONSEQUENCES = {
    Role.OPTIONAL: "this OPTIONAL never matches",
    Role.BRANCH: "this branch of the UNION never matches",
    Role.BRANCHES: "no branch of this UNION matches together with a branch of the others",
    Role.EXISTS: "this EXISTS is never true",
    Role.NOT_EXISTS: "this NOT EXISTS is always true",
    Role.MINUS: "this MINUS removes nothing",
    Role.INSERT: "this would write a contradiction",
    Role.DELETE: "no graph has this triple to delete",
    Role.CONSTRUCT: "this would construct a contradiction",
}


def _with_consequence(reason: str, finding: Blame) -> str:
    consequence = _CONSEQUENCES.get(finding.world.role)
    return reason if consequence is None else f"{consequence}: {reason}"


def concerned_variable(finding: Blame) -> Variable | None:
    """The variable that the finding is about: one that all facts have in common, else the first of the blamed one."""
    if finding.conflict.variable is not None:
        return finding.conflict.variable
    own = _variables(finding.blamed)
    common = [each for each in own if all(each in _variables(other) for other in finding.others)]
    visible = [each for each in common or own if not each.hidden and each.name]
    return visible[0] if visible else None


def _variables(fact: Fact) -> list[Variable]:
    if not isinstance(fact, Edge):
        return []
    return [part for part in (fact.subject, fact.object) if isinstance(part, Variable)]


# -- the parts of a reason ---------------------------------------------------------------------------------------------


def _reasons(finding: Blame, line_of: Callable[[Fact], int]) -> Iterator[str]:
    schema = finding.view.schema
    axioms = set(finding.conflict.axioms)
    shared = concerned_variable(finding)
    said: set[Axiom] = set()
    words, used = _stated_by(finding.blamed, axioms, schema)
    if words:
        said |= used
        yield words
    for other in finding.others:
        words, used = _about(shared, other, axioms, schema)
        if words:
            said |= used
            yield f"{words} because of line {line_of(other)}"
    for axiom in finding.conflict.axioms:
        if axiom not in said:
            yield _in_words(axiom, schema)


def _stated_by(fact: Fact, axioms: set[Axiom], schema: Schema) -> tuple[str, set[Axiom]]:
    """The property or the class of the blamed pattern: where it leads, or what it says."""
    if not isinstance(fact, Edge) or not isinstance(fact.predicate, NamedNode):
        return "", set()
    if fact.predicate == RDF.type:
        return f"{_shown(fact.subject)} is {_a(fact.object, schema)}", set()
    starts, ends = schema.domains(fact.predicate), schema.ranges(fact.predicate)
    used = [each for each in (*starts, *ends) if axioms.issuperset(each.axioms)]
    if not used:
        return "", set()
    words = f"`{schema.words(fact.predicate)}` goes"
    if starts:
        words += f" from {schema.words(_first(starts, axioms))}"
    if ends:
        words += f" to {schema.words(_first(ends, axioms))}"
    return words, {axiom for each in used for axiom in each.axioms}


def _first(said: tuple[Said, ...], axioms: set[Axiom]) -> Argument:
    """The class that takes part, else the first."""
    return next((each.what for each in said if axioms.issuperset(each.axioms)), said[0].what)


def _about(variable: Variable | None, fact: Fact, axioms: set[Axiom], schema: Schema) -> tuple[str, set[Axiom]]:
    """What another pattern says about the variable."""
    if not isinstance(fact, Edge) or not isinstance(fact.predicate, NamedNode) or variable is None:
        return "", set()
    if fact.predicate == RDF.type and fact.subject == variable:
        return f"{shown(variable)} is {_a(fact.object, schema)}", set()
    ends: tuple[Said, ...] = ()
    if fact.subject == variable:
        ends += schema.domains(fact.predicate)
    if fact.object == variable:
        ends += schema.ranges(fact.predicate)
    for each in ends:
        if axioms.issuperset(each.axioms):
            return f"{shown(variable)} is {_a(each.what, schema)}", set(each.axioms)
    return "", set()


def _shown(part: Part) -> str:
    return f"{shown(part)}" if isinstance(part, Variable) else str(part)


def _a(kind: Argument | Part, schema: Schema) -> str:
    """A class with an article."""
    if isinstance(kind, Variable):
        return f"a member of {shown(kind)}"
    words = schema.words(kind)
    if isinstance(kind, NamedNode):
        return _article(words)
    return f"a member of '{words}'"


def _in_words(axiom: Axiom, schema: Schema) -> str:
    words = [schema.words(each) for each in axiom.args]
    match axiom.head:
        case "DisjointClasses" if len(words) == 2:
            return f"no {words[0]} is {_article(words[1])}"
        case "IrreflexiveObjectProperty":
            return f"`{words[0]}` never connects a thing with itself"
        case "AsymmetricObjectProperty":
            return f"`{words[0]}` never holds in both directions"
        case "FunctionalObjectProperty" | "FunctionalDataProperty":
            return f"`{words[0]}` has at most one value"
        case "SubClassOf" if all(isinstance(each, NamedNode) for each in axiom.args):
            return f"every {words[0]} is {_article(words[1])}"
        case _:
            return schema.words(axiom)


# Words that begin with a vowel, but not with the sound of one: a user, a unit, a European, a one-way street.
_LIKE_CONSONANTS = re.compile(r"'?(?:u(?:[bcfhkqrst][aeiou]|ni(?!n)|sa)|eu|ewe|one\b|once)", re.IGNORECASE)
_VOWELS = re.compile(r"'?[aeiou]", re.IGNORECASE)


def _article(words: str) -> str:
    is_vowel = _VOWELS.match(words) is not None and _LIKE_CONSONANTS.match(words) is None
    return f"{'an' if is_vowel else 'a'} {words}"

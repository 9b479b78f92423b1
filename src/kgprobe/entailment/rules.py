"""The entailment regimes, which say which triples a system infers, and the rules of RDFS and of OWL 2 RL as data.

A rule has a name, the patterns that must match, and the triple that follows; a question mark marks a variable. A rule
with several conclusions is listed once for each. `read:item` joins the head of a list to each of its items, and
`read:one` joins a restriction to a maximum of one, in any spelling: see `procedures`.

RDFS: rules rdfs2, 3, 5, 7, 9 and 11 of "RDF 1.1 Semantics". Left out are the axiomatic triples and rdfs1, 4, 6,
8, 10, 12 and 13 (everything is a resource, each class is below itself, and so on), which real systems do not
materialise.

OWL 2 RL: tables 4 to 7 and 9 of section 4.3 of "OWL 2 Profiles". Left out are

- rules that detect contradictions: they add no triples;
- eq-ref (each thing is the same as itself) and all other derivations of that conclusion;
- prp-ap and table 8, on built-in annotation properties and on datatypes: their conclusions do not depend on the graph,
  or have a literal as subject.

Rules that chain a property with itself (eq-trans, prp-trp, scm-sco, scm-spo, rdfs5, rdfs11), eq-sym, and rules with a
pattern for each item of a list (cls-int1, prp-spo2, prp-key) are code: see `procedures`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from kgprobe.errors import KgprobeError
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode, Namespace

__all__ = ["Regime", "UndecidedError"]

Pattern: TypeAlias = "tuple[str | NamedNode, str | NamedNode, str | NamedNode]"
# Predicates of facts that are derived from triples, and are not triples themselves.
_READ = Namespace("urn:kgprobe:read:")
LIST, ITEM, ONE, QUALIFIED_ONE = (_READ[name] for name in ("list", "item", "one", "qualified-one"))


class Regime(StrEnum):
    """Which triples a system sees in addition to the stated ones."""

    NONE = "none"  # nothing else
    RDFS = "rdfs"  # the RDFS rules for subclasses, subproperties, domains and ranges
    RL = "rl"  # the rules of OWL 2 RL/RDF
    DL = "dl"  # the class hierarchy that an OWL 2 DL reasoner finds, and the types that follow from it


class UndecidedError(KgprobeError):
    """No reasoner or rule can reliably decide what follows from a graph."""

    def or_else(self, advice: str) -> UndecidedError:
        """The same error with another way out, which only the caller knows."""
        return UndecidedError(self.message, where=self.where, hint=f"{self.hint}, or {advice}" if self.hint else advice)


@dataclass(frozen=True, slots=True)
class Rule:
    """Patterns and their conclusion. The patterns are sorted so that the most selective come first.

    `besides` is a predicate that a variable in predicate position does not match.
    """

    name: str
    body: tuple[Pattern, ...]
    head: Pattern
    besides: NamedNode | None = None


def is_variable(part: str | NamedNode) -> bool:
    """Whether a part of a pattern is a variable."""
    return isinstance(part, str)


_NAMES = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "read": _READ}


def _part(text: str) -> str | NamedNode:
    if text.startswith("?"):
        return text
    prefix, _, name = text.partition(":")
    return _NAMES[prefix][name]


def _pattern(text: str) -> Pattern:
    subject, predicate, value = map(_part, text.split())
    return subject, predicate, value


def _rules(text: str) -> tuple[Rule, ...]:
    found = []
    for line in re.sub(r"\n +(?=\.|=> )", " ", text).split("\n"):
        name, _, rest = line.strip().partition(" ")
        if not name:
            continue
        body, _, head = rest.partition(" => ")
        # eq-sym and eq-trans handle owl:sameAs chains.
        besides = OWL.sameAs if name in ("eq-rep-s", "eq-rep-o") else None
        patterns = [_pattern(pattern) for pattern in body.split(" . ") if pattern.strip()]
        found.append(Rule(name, tuple(patterns), _pattern(head), besides))
    return tuple(found)


RDFS_RULES = _rules(
    """
    rdfs2  ?p rdfs:domain ?c . ?x ?p ?y => ?x rdf:type ?c
    rdfs3  ?p rdfs:range ?c . ?x ?p ?y => ?y rdf:type ?c
    rdfs7  ?p rdfs:subPropertyOf ?q . ?x ?p ?y => ?x ?q ?y
    rdfs9  ?c rdfs:subClassOf ?d . ?x rdf:type ?c => ?x rdf:type ?d
    """
)

RL_RULES = _rules(
    """
    eq-rep-s  ?s owl:sameAs ?t . ?s ?p ?o => ?t ?p ?o
    eq-rep-p  ?p owl:sameAs ?q . ?s ?p ?o => ?s ?q ?o
    eq-rep-o  ?o owl:sameAs ?t . ?s ?p ?o => ?s ?p ?t

    prp-dom   ?p rdfs:domain ?c . ?x ?p ?y => ?x rdf:type ?c
    prp-rng   ?p rdfs:range ?c . ?x ?p ?y => ?y rdf:type ?c
    prp-fp    ?p rdf:type owl:FunctionalProperty . ?x ?p ?y . ?x ?p ?z => ?y owl:sameAs ?z
    prp-ifp   ?p rdf:type owl:InverseFunctionalProperty . ?x ?p ?z . ?y ?p ?z => ?x owl:sameAs ?y
    prp-symp  ?p rdf:type owl:SymmetricProperty . ?x ?p ?y => ?y ?p ?x
    prp-spo1  ?p rdfs:subPropertyOf ?q . ?x ?p ?y => ?x ?q ?y
    prp-eqp1  ?p owl:equivalentProperty ?q . ?x ?p ?y => ?x ?q ?y
    prp-eqp2  ?p owl:equivalentProperty ?q . ?x ?q ?y => ?x ?p ?y
    prp-inv1  ?p owl:inverseOf ?q . ?x ?p ?y => ?y ?q ?x
    prp-inv2  ?p owl:inverseOf ?q . ?x ?q ?y => ?y ?p ?x

    cls-thing     => owl:Thing rdf:type owl:Class
    cls-nothing1  => owl:Nothing rdf:type owl:Class
    cls-int2    ?c owl:intersectionOf ?l . ?l read:item ?d . ?y rdf:type ?c => ?y rdf:type ?d
    cls-uni     ?c owl:unionOf ?l . ?l read:item ?d . ?y rdf:type ?d => ?y rdf:type ?c
    cls-svf1    ?r owl:someValuesFrom ?c . ?r owl:onProperty ?p . ?v rdf:type ?c . ?u ?p ?v => ?u rdf:type ?r
    cls-svf2    ?r owl:someValuesFrom owl:Thing . ?r owl:onProperty ?p . ?u ?p ?v => ?u rdf:type ?r
    cls-avf     ?r owl:allValuesFrom ?c . ?r owl:onProperty ?p . ?u rdf:type ?r . ?u ?p ?v => ?v rdf:type ?c
    cls-hv1     ?r owl:hasValue ?v . ?r owl:onProperty ?p . ?u rdf:type ?r => ?u ?p ?v
    cls-hv2     ?r owl:hasValue ?v . ?r owl:onProperty ?p . ?u ?p ?v => ?u rdf:type ?r
    cls-maxc2   ?r read:one ?n . ?r owl:onProperty ?p . ?u rdf:type ?r . ?u ?p ?y . ?u ?p ?z => ?y owl:sameAs ?z
    cls-maxqc3  ?r read:qualified-one ?n . ?r owl:onProperty ?p . ?r owl:onClass ?c . ?u rdf:type ?r . ?u ?p ?y
                . ?y rdf:type ?c . ?u ?p ?z . ?z rdf:type ?c => ?y owl:sameAs ?z
    cls-maxqc4  ?r read:qualified-one ?n . ?r owl:onProperty ?p . ?r owl:onClass owl:Thing . ?u rdf:type ?r
                . ?u ?p ?y . ?u ?p ?z => ?y owl:sameAs ?z
    cls-oo      ?c owl:oneOf ?l . ?l read:item ?y => ?y rdf:type ?c

    cax-sco   ?c rdfs:subClassOf ?d . ?x rdf:type ?c => ?x rdf:type ?d
    cax-eqc1  ?c owl:equivalentClass ?d . ?x rdf:type ?c => ?x rdf:type ?d
    cax-eqc2  ?c owl:equivalentClass ?d . ?x rdf:type ?d => ?x rdf:type ?c

    scm-cls   ?c rdf:type owl:Class => ?c rdfs:subClassOf ?c
    scm-cls   ?c rdf:type owl:Class => ?c owl:equivalentClass ?c
    scm-cls   ?c rdf:type owl:Class => ?c rdfs:subClassOf owl:Thing
    scm-cls   ?c rdf:type owl:Class => owl:Nothing rdfs:subClassOf ?c
    scm-eqc1  ?c owl:equivalentClass ?d => ?c rdfs:subClassOf ?d
    scm-eqc1  ?c owl:equivalentClass ?d => ?d rdfs:subClassOf ?c
    scm-eqc2  ?c rdfs:subClassOf ?d . ?d rdfs:subClassOf ?c => ?c owl:equivalentClass ?d
    scm-op    ?p rdf:type owl:ObjectProperty => ?p rdfs:subPropertyOf ?p
    scm-op    ?p rdf:type owl:ObjectProperty => ?p owl:equivalentProperty ?p
    scm-dp    ?p rdf:type owl:DatatypeProperty => ?p rdfs:subPropertyOf ?p
    scm-dp    ?p rdf:type owl:DatatypeProperty => ?p owl:equivalentProperty ?p
    scm-eqp1  ?p owl:equivalentProperty ?q => ?p rdfs:subPropertyOf ?q
    scm-eqp1  ?p owl:equivalentProperty ?q => ?q rdfs:subPropertyOf ?p
    scm-eqp2  ?p rdfs:subPropertyOf ?q . ?q rdfs:subPropertyOf ?p => ?p owl:equivalentProperty ?q
    scm-dom1  ?p rdfs:domain ?c . ?c rdfs:subClassOf ?d => ?p rdfs:domain ?d
    scm-dom2  ?q rdfs:domain ?c . ?p rdfs:subPropertyOf ?q => ?p rdfs:domain ?c
    scm-rng1  ?p rdfs:range ?c . ?c rdfs:subClassOf ?d => ?p rdfs:range ?d
    scm-rng2  ?q rdfs:range ?c . ?p rdfs:subPropertyOf ?q => ?p rdfs:range ?c
    scm-hv    ?r owl:hasValue ?v . ?r owl:onProperty ?p . ?p rdfs:subPropertyOf ?q . ?s owl:hasValue ?v
              . ?s owl:onProperty ?q => ?r rdfs:subClassOf ?s
    scm-svf1  ?r owl:someValuesFrom ?c . ?r owl:onProperty ?p . ?c rdfs:subClassOf ?d . ?s owl:someValuesFrom ?d
              . ?s owl:onProperty ?p => ?r rdfs:subClassOf ?s
    scm-svf2  ?r owl:someValuesFrom ?c . ?r owl:onProperty ?p . ?p rdfs:subPropertyOf ?q
              . ?s owl:someValuesFrom ?c . ?s owl:onProperty ?q => ?r rdfs:subClassOf ?s
    scm-avf1  ?r owl:allValuesFrom ?c . ?r owl:onProperty ?p . ?c rdfs:subClassOf ?d . ?s owl:allValuesFrom ?d
              . ?s owl:onProperty ?p => ?r rdfs:subClassOf ?s
    scm-avf2  ?r owl:allValuesFrom ?c . ?r owl:onProperty ?p . ?p rdfs:subPropertyOf ?q
              . ?s owl:allValuesFrom ?c . ?s owl:onProperty ?q => ?s rdfs:subClassOf ?r
    scm-int   ?c owl:intersectionOf ?l . ?l read:item ?d => ?c rdfs:subClassOf ?d
    scm-uni   ?c owl:unionOf ?l . ?l read:item ?d => ?d rdfs:subClassOf ?c
    """
)

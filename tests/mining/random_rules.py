"""Random rules for tests: a few predicates, constants of all kinds, and up to four atoms."""

from __future__ import annotations

from hypothesis import strategies as st

from kgprobe.mining.rules import Rule
from kgprobe.rdf.pattern import TriplePattern, Variable, variables_of
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["CONSTANTS", "PREDICATES", "rules"]

_EX = "https://kgprobe.example/#"  # the namespace of examples, too
PREDICATES = [RDF.type, RDFS.subClassOf, NamedNode(_EX + "p"), NamedNode("urn:x:q(1)'s")]
CONSTANTS: list[Term] = [
    *(OWL.Class, RDF.nil, NamedNode(_EX + "a"), NamedNode("http://a.example/ä/b?c=d&e#f%20g")),
    *(Literal('two\nlines "quoted" \\ and \' \u2028 \x0b'), Literal("ja", language="de-at"), Literal("")),
    *(Literal("1.0", datatype=XSD.decimal), Literal('<x y="1">', datatype=RDF.XMLLiteral)),
    *(Literal("5", datatype=NamedNode("http://a.example/metres")), Literal("a^^b")),
]
_VARIABLES = [Variable(name) for name in ("x", "y", "z")]


@st.composite
def rules(draw: st.DrawFn, most_body: int = 3) -> Rule:
    """A rule with this many atoms in its body at most; each variable is in two atoms or more, and in none twice."""
    nodes = [part for part in CONSTANTS if isinstance(part, NamedNode)]

    def atom() -> TriplePattern:
        subjects: list[Variable | Term] = [*_VARIABLES, *_VARIABLES, *nodes]
        subject = draw(st.sampled_from(subjects))
        value: Variable | Term = draw(st.sampled_from([*_VARIABLES, *_VARIABLES, *CONSTANTS]))
        if subject == value or not isinstance(subject, Variable):
            value = draw(st.sampled_from([each for each in _VARIABLES if each != subject]))
        return subject, draw(st.sampled_from(PREDICATES)), value

    atoms = list(dict.fromkeys(atom() for _ in range(draw(st.integers(2, most_body + 1)))))
    # A variable that is in one atom only is joined with another one, or becomes a constant.
    for variable in variables_of(atoms):
        if sum(variable in each for each in atoms) == 1:
            [lonely] = [each for each in atoms if variable in each]
            place = atoms.index(lonely)
            constant = draw(st.sampled_from(nodes))
            atoms[place] = tuple(constant if part == variable else part for part in lonely)  # type: ignore[assignment]
    atoms = [each for each in dict.fromkeys(atoms) if variables_of([each])]
    if len(atoms) < 2 or any(sum(v in each for each in atoms) < 2 for v in variables_of(atoms)):
        x = _VARIABLES[0]
        atoms = [(x, RDF.type, OWL.Class), (x, PREDICATES[2], draw(st.sampled_from(CONSTANTS)))]
    return Rule(tuple(atoms[:-1]), atoms[-1], support=1, body_size=1, head_size=1, pca_body_size=1)

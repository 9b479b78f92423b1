"""Operators that add a list of random length. A template in SPARQL has a fixed one: each length has its own request."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from kgprobe.mutation.operator import Change, Description, Pins, Propose, Site
from kgprobe.mutation.update import UpdateOperator, built_in_operator

_LETTERS = "abcd"


@dataclass(frozen=True)
class DrawnListOperator:
    """Requests that differ only in the length of the list that they add, the shortest first."""

    requests: tuple[UpdateOperator, ...]

    @property
    def description(self) -> Description:
        """The header, which all of them have."""
        return self.requests[0].description

    @property
    def source(self) -> str:
        """All requests."""
        return "\n".join(request.source for request in self.requests)

    def bound(self, pins: Pins) -> Propose:
        """Draws a length uniformly. A graph with too few names gets a shorter list."""
        proposals = [request.bound(pins) for request in self.requests]

        def propose(site: Site) -> Change | None:
            longest = int(site.random.random() * len(proposals))
            changes = (proposal(site) for proposal in reversed(proposals[: longest + 1]))
            return next((change for change in changes if change is not None), None)

        return propose


def _operator(header: str, insert: str, member: str, *, least: int) -> DrawnListOperator:
    """`insert` has the list as `{members}`, all of them different; `member` is the condition on each `{member}`."""
    requests = []
    for length in range(least, len(_LETTERS) + 1):
        members = [f"?{letter}" for letter in _LETTERS[:length]]
        lines = [
            *(f"# {line}" for line in header.strip().splitlines()),
            "PREFIX owl: <http://www.w3.org/2002/07/owl#>",
            "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>",
            "PREFIX kg: <urn:kgprobe:function:>",
            f"INSERT {{ {insert.format(members=' '.join(members))} }}",
            "WHERE {",
            "  ?class a owl:Class . FILTER(kg:isClass(?class))",
            *(f"  {member.format(member=name)}" for name in members),
            *(f"  FILTER({one} != {other})" for one, other in combinations(members, 2)),
            "}",
        ]
        requests.append(built_in_operator("\n".join(lines) + "\n", f"{header.split(maxsplit=2)[1]} of {length}"))
    return DrawnListOperator(tuple(requests))


OPERATORS = (
    _operator(
        """
name: AddObjectIntersectionOf
does: add a subclass axiom with an intersection of two to four classes
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 29
rdfmutate: AddObjectIntersectionOfMutation
before:
  :Pump a owl:Class . :Device a owl:Class .
after:
  :Pump a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :Pump :Device ) ] .
  :Device a owl:Class .
before:
  :Pump a owl:Class . :Device a owl:Class . :Part a owl:Class .
after:
  :Pump a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :Pump :Device :Part ) ] .
  :Device a owl:Class . :Part a owl:Class .
""",
        "?class rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( {members} ) ]",
        "{member} a owl:Class . FILTER(kg:isClass({member}))",
        least=2,
    ),
    _operator(
        """
name: AddHasKey
does: add an axiom that one to four object properties are a key for the instances of a class
target: tbox
sets: owl-el, owl-dl
paper: table 2, row 41
rdfmutate: AddHasKeyMutation
before:
  :Pump a owl:Class . :p a owl:ObjectProperty .
after:
  :Pump a owl:Class ; owl:hasKey ( :p ) . :p a owl:ObjectProperty .
before:
  :Pump a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
after:
  :Pump a owl:Class ; owl:hasKey ( :p :q ) . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
""",
        "?class owl:hasKey ( {members} )",
        "{member} a owl:ObjectProperty . FILTER(kg:isObjectProperty({member}))",
        least=1,
    ),
    _operator(
        """
name: AddHasDataKey
does: add an axiom that one to four data properties are a key for the instances of a class
target: tbox
sets: owl-el, owl-dl
before:
  :Pump a owl:Class . :p a owl:DatatypeProperty .
after:
  :Pump a owl:Class ; owl:hasKey ( :p ) . :p a owl:DatatypeProperty .
""",
        "?class owl:hasKey ( {members} )",
        "{member} a owl:DatatypeProperty . FILTER(kg:isDataProperty({member}))",
        least=1,
    ),
)

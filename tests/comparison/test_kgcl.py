"""KGCL commands: each follows the grammar, and together they turn the old version into the new one."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.comparison.compare import compare
from kgprobe.comparison.formats import Commands, commands
from kgprobe.owl.wording import Names
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Triple

OBO = "http://purl.obolibrary.org/obo/"
OIO = "http://www.geneontology.org/formats/oboInOwl#"
PREFIXES = {"obo": OBO, "oio": OIO, "rdfs": RDFS.iri, "owl": OWL.iri, "rdf": RDF.iri, "": "http://example.org/"}
DEFINITION = NamedNode(OBO + "IAO_0000115")
REPLACED_BY = NamedNode(OBO + "IAO_0100001")
IN_SUBSET = NamedNode(OIO + "inSubset")
TRUE = Literal("true", datatype=XSD.boolean)
SYNONYMS = {
    scope: NamedNode(f"{OIO}has{scope.capitalize()}Synonym") for scope in ("exact", "narrow", "broad", "related")
}

# The grammar of kgcl-schema 0.6, kgcl.lark, for the commands that we write.
NAME = r"(?:<\S+>|[A-Za-z0-9_]+:\S+)"
TEXT = r"'[^'\n]*'(?:@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*)?"
PLAIN = r"'[^'\n]*'"
TERM = r"(?:\"[^\"\n]*\"|'''(?:(?!''').)*'''|\"\"\"(?:(?!\"\"\").)*\"\"\")(?:@[a-zA-Z-]+|\^\^\S+)?"
GRAMMAR = {
    "create node": f"create node ({NAME}) ({TEXT})",
    "create": f"create ({NAME})",
    "delete": f"delete ({NAME})",
    "rename": f"rename ({NAME}) from ({TEXT}) to ({TEXT})",
    "obsolete": f"obsolete ({NAME})(?: with replacement ({NAME}))?",
    "unobsolete": f"unobsolete ({NAME})",
    "move": f"move ({NAME}) ({NAME}) ({NAME}) from ({NAME}) to ({NAME})",
    "create edge": f"create edge ({NAME}) ({NAME}) ({NAME})",
    "delete edge": f"delete edge ({NAME}) ({NAME}) ({NAME})",
    "create synonym": f"create (?:(exact|narrow|broad|related) )?synonym ({TEXT}) for ({NAME})",
    "remove synonym": f"remove synonym ({TEXT}) for ({NAME})",
    "add definition": f"add definition ({PLAIN}) to ({NAME})",
    "change definition": f"change definition of ({NAME}) from ({PLAIN}) to ({PLAIN})",
    "remove definition": f"remove definition for ({NAME})",
    "add to subset": f"add ({NAME}) to subset ({NAME})",
    "remove from subset": f"remove ({NAME}) from subset ({NAME})",
    "change annotation": f"change annotation of ({NAME}) with ({NAME}) from ({TERM}|{NAME}) to ({TERM}|{NAME})",
}


def parsed(line: str) -> tuple[str, tuple[str, ...]]:
    found = [(kind, match) for kind, pattern in GRAMMAR.items() if (match := re.fullmatch(pattern, line))]
    assert found, line
    kind, match = found[0]
    return kind, match.groups(default="")


def made(old: Graph, new: Graph) -> Commands:
    return commands(compare(old, new, follow_renames=False), Names(old, new))


def iri(text: str) -> NamedNode:
    if text.startswith("<"):
        return NamedNode(text[1:-1])
    prefix, _, local = text.partition(":")
    return NamedNode(PREFIXES[prefix] + local if prefix in PREFIXES else f"{OBO}{prefix}_{local}")


def text_of(quoted: str) -> Literal:
    match = re.fullmatch(r"'([^']*)'(?:@(.+))?", quoted)
    assert match
    return Literal(match[1], language=match[2]) if match[2] else Literal(match[1])


class Reader:
    """Applies commands, with an independent implementation of their meaning."""

    def __init__(self, graph: Graph) -> None:
        self.triples = set(graph)

    def carry_out(self, line: str) -> None:
        kind, parts = parsed(line)
        getattr(self, kind.replace(" ", "_"))(*parts)

    def change(
        self, subject: str, predicate: NamedNode, before: Literal | NamedNode, after: Literal | NamedNode
    ) -> None:
        self.triples.remove(Triple(iri(subject), predicate, before))
        self.triples.add(Triple(iri(subject), predicate, after))

    def create_node(self, name: str, label: str) -> None:
        self.create(name)
        self.triples.add(Triple(iri(name), RDFS.label, text_of(label)))

    def create(self, name: str) -> None:
        self.triples.add(Triple(iri(name), RDF.type, OWL.Class))

    def delete(self, name: str) -> None:
        self.triples = {t for t in self.triples if t.subject != iri(name)}

    def rename(self, name: str, before: str, after: str) -> None:
        self.change(name, RDFS.label, text_of(before), text_of(after))

    def obsolete(self, name: str, replacement: str) -> None:
        self.triples.add(Triple(iri(name), OWL.deprecated, TRUE))
        assert not replacement

    def unobsolete(self, name: str) -> None:
        self.triples.remove(Triple(iri(name), OWL.deprecated, TRUE))

    def move(self, name: str, edge: str, _: str, before: str, after: str) -> None:
        self.change(name, iri(edge), iri(before), iri(after))

    def create_edge(self, one: str, edge: str, other: str) -> None:
        self.triples.add(Triple(iri(one), iri(edge), iri(other)))

    def delete_edge(self, one: str, edge: str, other: str) -> None:
        self.triples.remove(Triple(iri(one), iri(edge), iri(other)))

    def create_synonym(self, scope: str, text: str, name: str) -> None:
        self.triples.add(Triple(iri(name), SYNONYMS[scope], text_of(text)))

    def remove_synonym(self, text: str, name: str) -> None:
        self.triples -= {Triple(iri(name), predicate, text_of(text)) for predicate in SYNONYMS.values()}

    def add_definition(self, text: str, name: str) -> None:
        self.triples.add(Triple(iri(name), DEFINITION, text_of(text)))

    def change_definition(self, name: str, before: str, after: str) -> None:
        self.change(name, DEFINITION, text_of(before), text_of(after))

    def remove_definition(self, name: str) -> None:
        self.triples = {t for t in self.triples if (t.subject, t.predicate) != (iri(name), DEFINITION)}

    def add_to_subset(self, name: str, subset: str) -> None:
        self.triples.add(Triple(iri(name), IN_SUBSET, iri(subset)))

    def remove_from_subset(self, name: str, subset: str) -> None:
        self.triples.remove(Triple(iri(name), IN_SUBSET, iri(subset)))


_names = [*(NamedNode(f"{OBO}X_000000{n}") for n in range(4)), NamedNode("http://example.org/own")]
_texts = st.sampled_from([Literal("tea"), Literal("a cup of tea", language="en"), Literal("from a to b")])


@st.composite
def classes(draw: st.DrawFn) -> Graph:
    """Classes with one label and at most one definition each, which KGCL can express completely."""
    present = draw(st.lists(st.sampled_from(_names), unique=True))
    triples = []
    for name in present:
        triples += [Triple(name, RDF.type, OWL.Class), Triple(name, RDFS.label, draw(_texts))]
        triples += [Triple(name, RDFS.subClassOf, each) for each in present if each != name and draw(st.booleans())]
        # A synonym has one scope: the command that removes it does not say which.
        scopes = draw(st.dictionaries(_texts, st.sampled_from([*SYNONYMS.values()]), max_size=2))
        triples += [Triple(name, scope, text) for text, scope in scopes.items()]
        triples += [Triple(name, IN_SUBSET, NamedNode(OBO + "slim"))] * draw(st.integers(0, 1))
        triples += [Triple(name, DEFINITION, Literal(draw(st.sampled_from(["a drink", "a leaf"]))))] * draw(
            st.integers(0, 1)
        )
        triples += [Triple(name, OWL.deprecated, TRUE)] * draw(st.integers(0, 1))
    return Graph(triples, spelling=Spelling(PREFIXES))


@given(classes(), classes())
@settings(max_examples=50, deadline=None)
def test_applying_the_commands_gives_the_new_version(old: Graph, new: Graph) -> None:
    found = made(old, new)
    assert not found.unsaid
    reader = Reader(old)
    for line in found.lines:
        reader.carry_out(line)
    assert Graph(reader.triples) == new


def graph(*triples: Triple) -> Graph:
    return Graph(triples, spelling=Spelling(PREFIXES))


A, B, C = _names[:3]
CLASS_A = Triple(A, RDF.type, OWL.Class)


def test_a_replacement_is_named() -> None:
    deprecated = Triple(A, OWL.deprecated, TRUE)
    kept = (CLASS_A, Triple(B, RDF.type, OWL.Class))
    found = made(graph(*kept), graph(*kept, deprecated, Triple(A, REPLACED_BY, B)))
    assert found == Commands(("obsolete X:0000000 with replacement X:0000001",), {})


def test_replacing_a_parent_is_a_move() -> None:
    below = [Triple(A, RDFS.subClassOf, each) for each in (B, C)]
    found = made(graph(CLASS_A, below[0]), graph(CLASS_A, below[1]))
    assert "move X:0000000 rdfs:subClassOf X:0000001 from X:0000001 to X:0000002" in found.lines


def test_an_existential_restriction_is_an_edge() -> None:
    part_of = NamedNode(OBO + "BFO_0000050")
    restriction = BlankNode("r")
    kept = (CLASS_A, Triple(part_of, RDF.type, OWL.ObjectProperty), Triple(B, RDF.type, OWL.Class))
    said = (
        Triple(A, RDFS.subClassOf, restriction),
        Triple(restriction, RDF.type, OWL.Restriction),
        Triple(restriction, OWL.onProperty, part_of),
        Triple(restriction, OWL.someValuesFrom, B),
    )
    assert made(graph(*kept), graph(*kept, *said)).lines == ("create edge X:0000000 BFO:0000050 X:0000001",)
    assert made(graph(*kept, *said), graph(*kept)).lines == ("delete edge X:0000000 BFO:0000050 X:0000001",)


def test_replacing_a_single_value_changes_an_annotation() -> None:
    note = NamedNode("http://example.org/note")

    def version(value: Literal) -> Graph:
        return graph(CLASS_A, Triple(note, RDF.type, OWL.AnnotationProperty), Triple(A, note, value))

    [line] = made(version(Literal("x")), version(Literal("3", datatype=XSD.integer))).lines
    assert line == 'change annotation of X:0000000 with <http://example.org/note> from "x" to "3"^^xsd:integer'
    [line] = made(version(Literal("x", language="en")), version(Literal('a "b" c'))).lines
    assert line.endswith(""" from "x"@en to '''a "b" c'''""")
    assert parsed(line)[0] == "change annotation"


def test_changes_that_kgcl_cannot_express_are_counted() -> None:
    note = NamedNode("http://example.org/note")
    kept = (CLASS_A, Triple(note, RDF.type, OWL.AnnotationProperty))
    changes = (
        Triple(A, RDFS.label, Literal("baker's")),
        Triple(A, note, Literal("x")),
        Triple(A, OWL.disjointWith, B),
        Triple(A, SYNONYMS["exact"], Literal("two\nlines")),
    )
    found = made(graph(*kept, Triple(A, RDFS.label, Literal("x"))), graph(*kept, *changes))
    assert found.lines == ()
    assert found.unsaid == {
        "added or removed annotations": 1,
        "axioms that are not edges": 1,
        "texts that cannot be quoted": 2,
    }


def test_an_entity_whose_label_cannot_be_quoted_is_created_without_it() -> None:
    found = made(graph(), graph(CLASS_A, Triple(A, RDFS.label, Literal("baker's"))))
    assert found.lines == ("create X:0000000",)
    assert found.unsaid == {"texts that cannot be quoted": 1}

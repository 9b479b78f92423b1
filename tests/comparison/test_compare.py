"""The differences between two versions of a graph, by entity and by axiom."""

from __future__ import annotations

from collections.abc import Iterable

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.owl_graphs import graphs_and_flips
from support.shared_data import needs_shared_data, shared
from support.strategies import graphs

from kgprobe.comparison import axioms
from kgprobe.comparison.compare import compare, with_inferred
from kgprobe.comparison.model import Aspect, Comparison, EntityChange, Kind
from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.formats.files import load
from kgprobe.owl.expression import Expression
from kgprobe.owl.wording import in_words
from kgprobe.rdf.diff import diff
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Triple

PREFIXES = {
    "": "http://example.org/",
    "obo": "http://purl.obolibrary.org/obo/",
    "oio": "http://www.geneontology.org/formats/oboInOwl#",
    "owl": OWL.iri,
    "rdfs": RDFS.iri,
    "rdf": RDF.iri,
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
}


def turtle(text: str) -> Graph:
    prefixes = "".join(f"@prefix {prefix}: <{iri}> ." for prefix, iri in PREFIXES.items())
    quads = pyoxigraph.parse(prefixes + text, format=pyoxigraph.RdfFormat.TURTLE)
    return Graph((quad.triple for quad in quads), spelling=Spelling(PREFIXES))


def ex(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/{name}")


def terms(changes: Iterable[EntityChange]) -> list[NamedNode]:
    return [change.entity.term for change in changes]


def words(found: Comparison, old: Graph, new: Graph) -> set[str]:
    """The changed axioms, each with a leading `-` or `+`."""
    graphs_ = (old, new)
    assert all(axiom.expression is not None for axiom in found.axioms)
    return {
        f"{'+' if axiom.added else '-'} {in_words(axiom.expression, graphs_[axiom.added])}"
        for axiom in found.axioms
        if axiom.expression is not None
    }


OLD = """
<http://example.org/menu> a owl:Ontology ; owl:versionInfo "1" .
:Food a owl:Class . :Drink a owl:Class . :contains a owl:ObjectProperty . :note a owl:AnnotationProperty .
:Tea a owl:Class ; rdfs:label "tea" ; rdfs:subClassOf :Food ; skos:definition "leaves" ; skos:altLabel "chai" .
:Milk a owl:Class ; rdfs:label "milk" ; rdfs:subClassOf :Drink .
:Latte a owl:Class ; rdfs:subClassOf :Drink ,
    [ a owl:Restriction ; owl:onProperty :contains ; owl:someValuesFrom :Milk ] .
:Gone a owl:Class ; rdfs:label "gone" .
"""
NEW = """
<http://example.org/menu> a owl:Ontology ; owl:versionInfo "2" .
:Food a owl:Class . :Drink a owl:Class . :contains a owl:ObjectProperty . :note a owl:AnnotationProperty .
:Tea a owl:Class ; rdfs:label "green tea" ; rdfs:subClassOf :Drink ; skos:definition "green leaves" ; :note "hot" .
:Milk a owl:Class ; rdfs:label "milk" ; rdfs:subClassOf :Drink ; owl:deprecated true ; dcterms:isReplacedBy :OatMilk ;
    oio:consider :Tea .
:OatMilk a owl:Class ; rdfs:label "oat milk" ; rdfs:subClassOf :Drink .
:Latte a owl:Class ; rdfs:subClassOf :Drink ,
    [ a owl:Restriction ; owl:onProperty :contains ; owl:someValuesFrom :OatMilk ] .
"""


def test_changes_are_listed_by_entity() -> None:
    found = compare(turtle(OLD), turtle(NEW))
    assert found.anything
    assert terms(found.added) == [ex("OatMilk")]
    assert terms(found.removed) == [ex("Gone")]
    assert terms(found.changed) == [ex("Latte"), ex("Milk"), ex("Tea"), NamedNode("http://example.org/menu")]
    assert [change.entity.kind for change in found.changed] == [Kind.CLASS] * 3 + [Kind.ONTOLOGY]
    assert found.counts.kinds[2] == {Kind.CLASS: 3, Kind.ONTOLOGY: 1}
    [moved] = found.moved
    [parents] = moved.about(Aspect.PARENT)
    assert (moved.entity.term, parents.removed, parents.added) == (ex("Tea"), (ex("Food"),), (ex("Drink"),))
    [label] = next(iter(found.by_aspect[Aspect.LABEL])).about(Aspect.LABEL)
    assert (label.removed, label.added) == ((Literal("tea"),), (Literal("green tea"),))
    [definition] = next(iter(found.by_aspect[Aspect.DEFINITION])).about(Aspect.DEFINITION)
    assert (definition.removed, definition.added) == ((Literal("leaves"),), (Literal("green leaves"),))
    [synonym] = next(iter(found.by_aspect[Aspect.SYNONYM])).about(Aspect.SYNONYM)
    assert (synonym.removed, synonym.added) == ((Literal("chai"),), ())
    assert terms(found.by_aspect[Aspect.ANNOTATION]) == [ex("Milk"), ex("Tea"), NamedNode("http://example.org/menu")]
    assert found.counts.annotations[ex("note")] == (0, 1)


def test_changed_axioms() -> None:
    old, new = turtle(OLD), turtle(NEW)
    assert words(compare(old, new), old, new) == {
        "- tea SubClassOf Food",
        "- Latte SubClassOf contains some milk",
        "+ 'green tea' SubClassOf Drink",
        "+ 'oat milk' SubClassOf Drink",
        "+ Latte SubClassOf contains some 'oat milk'",
    }


def test_obsoleted_and_unobsoleted_entities() -> None:
    old, new = turtle(OLD), turtle(NEW)
    found = compare(old, new)
    [obsoleted] = found.obsoleted
    assert obsoleted.entity.term == ex("Milk")
    assert obsoleted.replaced_by == (ex("OatMilk"),)
    assert obsoleted.consider == (ex("Tea"),)
    assert not found.unobsoleted
    back = compare(new, old)
    assert [entity.term for entity in back.unobsoleted] == [ex("Milk")]
    assert not back.obsoleted


def test_deprecated_false_is_not_a_deprecation() -> None:
    assert not compare(turtle(":A a owl:Class ."), turtle(":A a owl:Class ; owl:deprecated false .")).obsoleted


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            ':A a owl:Class ; rdfs:label "tea" ; rdfs:subClassOf :Drink . :C rdfs:subClassOf :A .',
            ':B a owl:Class ; rdfs:label "tea" ; rdfs:subClassOf :Drink . :C rdfs:subClassOf :B .',
            "equal content",
        ),
        (
            ':A a owl:Class ; rdfs:label "tea" ; rdfs:subClassOf :Drink .',
            ':B a owl:Class ; rdfs:label "tea" ; rdfs:subClassOf :HotDrink .',
            "same label",
        ),
        (
            ":A a owl:Class ; rdfs:subClassOf :Drink .",
            "@prefix new: <http://other.example/> . new:A a owl:Class ; rdfs:subClassOf :Drink , :HotDrink .",
            "same local name",
        ),
    ],
)
def test_a_rename_is_recognised(old: str, new: str, why: str) -> None:
    common = ":Drink a owl:Class . :HotDrink a owl:Class . :C a owl:Class ."
    found = compare(turtle(common + old), turtle(common + new))
    [renamed] = found.renamed
    assert renamed.old.term == ex("A")
    assert renamed.new.term in (ex("B"), NamedNode("http://other.example/A"))
    assert renamed.why == why
    assert not found.added
    assert not found.removed
    assert ex("C") not in terms(found.changed)


def test_a_label_that_moves_to_a_replacement_is_a_rename() -> None:
    old = turtle(':A a owl:Class ; rdfs:label "tea" .')
    new = turtle(
        ':A a owl:Class ; rdfs:label "obsolete tea" ; owl:deprecated true ; obo:IAO_0100001 :B .'
        ':B a owl:Class ; rdfs:label "tea" .'
    )
    found = compare(old, new)
    [renamed] = found.renamed
    assert (renamed.old.term, renamed.new.term, renamed.why) == (ex("A"), ex("B"), "replaced by")
    assert [each.entity.term for each in found.obsoleted] == [ex("A")]
    new.add(Triple(ex("B"), RDFS.label, Literal("coffee")))
    new.remove(Triple(ex("B"), RDFS.label, Literal("tea")))
    assert not compare(old, new).renamed


def test_literals_that_repeat_the_name_are_renamed_too() -> None:
    def version(number: int) -> Graph:
        return turtle(
            f':Root a owl:Class . obo:X_000000{number} a owl:Class ; rdfs:label "tea" ; oio:id "X:000000{number}" ;'
            " rdfs:subClassOf :Root ."
        )

    found = compare(version(1), version(2))
    assert [each.why for each in found.renamed] == ["equal content"]
    assert not found.changed


def test_two_candidates_are_not_a_rename() -> None:
    old = turtle(':A a owl:Class ; rdfs:label "tea" .')
    new = turtle(':B a owl:Class ; rdfs:label "tea" . :C a owl:Class ; rdfs:label "tea" .')
    assert not compare(old, new).renamed


def test_contradictory_entities_are_not_a_rename() -> None:
    old = turtle(':A a owl:Class ; rdfs:label "tea" ; skos:definition "a drink" .')
    new = turtle(':B a owl:Class ; rdfs:label "tea" ; skos:definition "a meal" .')
    found = compare(old, new)
    assert not found.renamed
    assert (terms(found.removed), terms(found.added)) == ([ex("A")], [ex("B")])


def test_renames_need_not_be_followed() -> None:
    old, new = (turtle(f':{name} a owl:Class ; rdfs:label "tea" .') for name in "AB")
    found = compare(old, new, follow_renames=False)
    assert not found.renamed
    assert (terms(found.removed), terms(found.added)) == ([ex("A")], [ex("B")])


def test_a_chain_of_renames_is_followed() -> None:
    def version(mark: str) -> Graph:
        steps = [f":{mark}{n} a owl:Class ; rdfs:subClassOf :{mark}{n - 1} , :Fixed{n} ." for n in range(1, 6)]
        fixed = [f":Fixed{n} a owl:Class ." for n in range(6)]
        return turtle(" ".join([*fixed, f':{mark}0 a owl:Class ; rdfs:label "start" .', *steps]))

    found = compare(version("A"), version("B"))
    assert {(each.old.term, each.new.term) for each in found.renamed} == {(ex(f"A{n}"), ex(f"B{n}")) for n in range(6)}
    assert not found.changed


def test_annotations_of_unchanged_statements_are_compared() -> None:
    def version(label: str, source: str) -> Graph:
        return turtle(
            f':A a owl:Class ; rdfs:label "{label}" ; rdfs:comment "same" .'
            " [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:label ;"
            f' owl:annotatedTarget "{label}" ; oio:hasDbXref "{source}" .'
            " [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget"
            f' "same" ; oio:hasDbXref "{source}" , "both" .'
        )

    found = compare(version("one", "x"), version("two", "y"))
    [change] = found.annotations
    assert (change.subject, change.predicate, change.object) == (ex("A"), RDFS.comment, Literal("same"))
    assert (change.annotation.removed, change.annotation.added) == ((Literal("x"),), (Literal("y"),))
    assert list(found.counts.of_statements.values()) == [(1, 1)]
    assert terms(found.changed) == [ex("A")]


def test_an_annotated_axiom_with_a_restriction_is_one_axiom() -> None:
    def version(value: str) -> Graph:
        return turtle(
            ":A a owl:Class . :B a owl:Class . :p a owl:ObjectProperty . :A rdfs:subClassOf _:r ."
            f" _:r a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom :{value} ."
            " [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ;"
            ' owl:annotatedTarget _:r ; rdfs:comment "why" .'
        )

    old, new = version("A"), version("B")
    found = compare(old, new)
    assert words(found, old, new) == {
        '- A SubClassOf p only A [rdfs:comment "why"]',
        '+ A SubClassOf p only B [rdfs:comment "why"]',
    }
    assert terms(found.changed) == [ex("A")]


def test_axioms_that_share_an_anonymous_individual_with_a_changed_one_are_not_changed() -> None:
    def version(age: int) -> Graph:
        return turtle(
            ":knows a owl:ObjectProperty . :age a owl:DatatypeProperty . :Person a owl:Class ."
            f" :ann a :Person ; :knows _:x . _:x a :Person ; :age {age} ."
        )

    found = compare(version(30), version(31))
    assert sorted((axiom.added, axiom.kind) for axiom in found.axioms) == [
        (False, "DataPropertyAssertion"),
        (True, "DataPropertyAssertion"),
    ]


def test_the_kind_of_an_entity_can_change() -> None:
    old, new = turtle(":A a owl:Class ; rdfs:label 'a' ."), turtle(":A a owl:NamedIndividual ; rdfs:label 'a' .")
    found = compare(old, new)
    assert not found.added
    assert not found.removed
    assert words(found, old, new) == {"- Class: a", "+ Individual: a"}
    assert [change.entity for change in found.changed] == [(ex("A"), Kind.INDIVIDUAL)]


def test_characteristics_and_other_axioms_about_properties() -> None:
    old = turtle(":p a owl:ObjectProperty ; rdfs:domain :A . :q a owl:ObjectProperty . :A a owl:Class .")
    new = turtle(
        ":p a owl:ObjectProperty , owl:TransitiveProperty ; rdfs:range :A ; rdfs:subPropertyOf :q ."
        " :q a owl:ObjectProperty . :A a owl:Class ."
    )
    found = compare(old, new)
    assert words(found, old, new) == {"- p Domain A", "+ p Range A", "+ Transitive: p", "+ p SubPropertyOf q"}
    assert terms(found.moved) == [ex("p")]


def test_data_without_declarations_has_individuals_and_properties() -> None:
    old, new = turtle(":a :knows :b ."), turtle(":a :knows :b , :c ; :age 3 . :a a :Person .")
    found = compare(old, new)
    assert [(change.entity.term, change.entity.kind) for change in found.added] == [
        (ex("Person"), Kind.CLASS),
        (ex("age"), Kind.DATA_PROPERTY),
        (ex("c"), Kind.INDIVIDUAL),
    ]
    assert words(found, old, new) == {"+ a knows c", "+ a age 3", "+ a Type Person"}


@given(graphs)
def test_a_graph_does_not_differ_from_itself(graph: Graph) -> None:
    found = compare(graph, Graph(graph))
    assert not found.anything
    parts = (found.added, found.removed, found.changed, found.axioms, found.annotations, found.renamed)
    assert not any(map(len, parts))


@given(graphs, graphs)
@settings(max_examples=50, deadline=None)
def test_a_comparison_is_empty_exactly_if_the_graphs_are_equal(old: Graph, new: Graph) -> None:
    assert compare(old, new).anything is (len(diff(old, new)) > 0)


_classes = st.sampled_from([ex(name) for name in "ABCD"])
_statements = st.one_of(
    st.builds(lambda s: Triple(s, RDF.type, OWL.Class), _classes),
    st.builds(lambda s, o: Triple(s, RDFS.subClassOf, o), _classes, _classes),
    st.builds(lambda s, text: Triple(s, RDFS.label, Literal(text)), _classes, st.sampled_from("xyz")),
    st.builds(lambda s, o: Triple(s, ex("note"), o), _classes, st.one_of(_classes, st.just(Literal("n")))),
    st.builds(lambda s, o: Triple(s, ex("likes"), o), _classes, _classes),
)
_declared = [Triple(ex("note"), RDF.type, OWL.AnnotationProperty), Triple(ex("likes"), RDF.type, OWL.ObjectProperty)]
ontologies = st.lists(_statements, max_size=12).map(lambda triples: Graph([*_declared, *triples]))


def triples_told(found: Comparison, *, added: bool) -> set[Triple]:
    """The changed triples, rebuilt from the parts of a comparison."""
    told = {
        Triple(change.entity.term, value.predicate, term)
        for change in (*found.added, *found.removed, *found.changed)
        for value in change.values
        for term in (value.added if added else value.removed)
    }
    for axiom in found.axioms:
        if axiom.added is added:
            match axiom.expression:
                case Expression("SubClassOf", (NamedNode() as s, NamedNode() as o)):
                    told.add(Triple(s, RDFS.subClassOf, o))
                case Expression("ObjectPropertyAssertion", (NamedNode() as p, NamedNode() as s, NamedNode() as o)):
                    told.add(Triple(s, p, o))
                case Expression("Declaration", (Expression("Class", (NamedNode() as s,)),)):
                    told.add(Triple(s, RDF.type, OWL.Class))
                case other:
                    raise AssertionError(other)
    return told


@given(ontologies, ontologies)
@settings(max_examples=100, deadline=None)
def test_a_comparison_has_exactly_the_changed_triples(old: Graph, new: Graph) -> None:
    found, delta = compare(old, new, follow_renames=False), diff(old, new)
    only = {ex.entity.term for ex in (*found.added, *found.removed)}
    for triples, added in ((delta.removed, False), (delta.added, True)):
        told = triples_told(found, added=added)
        expected = {t for t in triples if not (t.subject in only and t.object == OWL.Class)}
        assert told == expected


@given(ontologies, ontologies)
@settings(max_examples=50, deadline=None)
def test_each_entity_is_added_removed_or_changed(old: Graph, new: Graph) -> None:
    found = compare(old, new, follow_renames=False)
    parts = [set(terms(part)) for part in (found.added, found.removed, found.changed)]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert all(old.mentions(term) for term in parts[1] | parts[2])
    assert all(new.mentions(term) for term in parts[0] | parts[2])


@given(ontologies, ontologies)
@settings(max_examples=50, deadline=None)
def test_sharing_a_table_does_not_change_a_comparison(old: Graph, new: Graph) -> None:
    changed = old.copy()
    changed.apply(diff(old, new))
    one, other = compare(old, changed), compare(old, new)
    assert set(one.axioms) == set(other.axioms)
    for part in ("added", "removed", "changed"):
        assert list(map(_sorted_values, getattr(one, part))) == list(map(_sorted_values, getattr(other, part)))


def _sorted_values(change: EntityChange) -> object:
    return change.entity, [
        (value.predicate, sorted(map(str, value.removed)), sorted(map(str, value.added))) for value in change.values
    ]


def test_inferred_changes_exclude_stated_ones() -> None:
    common = ":A a owl:Class . :B a owl:Class . :C a owl:Class . :A rdfs:subClassOf :B ."
    old, new = turtle(common), turtle(common + ":B rdfs:subClassOf :C .")
    found = with_inferred(compare(old, new), class_edges(old), class_edges(new))
    assert found.inferred is not None
    assert found.inferred.gained.listed == ((ex("A"), ex("C")),)
    assert (found.inferred.gained.count, found.inferred.lost.count) == (1, 0)


def test_inferred_changes_of_a_renamed_class() -> None:
    common = ":A a owl:Class . :C a owl:Class ; rdfs:subClassOf :D . :D a owl:Class ."
    old = turtle(common + ":B a owl:Class ; rdfs:label 'b' ; rdfs:subClassOf :C . :A rdfs:subClassOf :B .")
    new = turtle(common + ":B2 a owl:Class ; rdfs:label 'b' ; rdfs:subClassOf :C . :A rdfs:subClassOf :B2 .")
    found = with_inferred(compare(old, new), class_edges(old), class_edges(new))
    assert [each.new.term for each in found.renamed] == [ex("B2")]
    assert found.inferred is not None
    assert (found.inferred.gained.count, found.inferred.lost.count) == (0, 0)


@needs_shared_data
def test_two_versions_of_a_real_ontology() -> None:
    old, new = (load(shared(f"hpo/hp-{year}.obo.gz")).graph for year in (2021, 2025))
    found = with_inferred(compare(old, new), class_edges(old), class_edges(new), most=50)
    key = NamedNode("http://purl.obolibrary.org/obo/HP_0000368")
    assert (len(found.added), len(found.removed), len(found.obsoleted)) == (2890, 3, 116)
    assert found.obsoleted[0].entity.term == key
    assert sum(found.counts.kinds[0].values()) == len(found.added)
    # Counted from the graphs alone.
    deprecated = [
        {t.subject for t in graph.triples(None, OWL.deprecated, None) if t.object == Literal("true", datatype=_BOOLEAN)}
        for graph in (old, new)
    ]
    both = {term for term in deprecated[1] - deprecated[0] if next(old.triples(term), None) is not None}  # type: ignore[arg-type]
    assert {each.entity.term for each in found.obsoleted} == both
    labels = [{t.subject: t.object for t in graph.triples(None, RDFS.label, None)} for graph in (old, new)]
    shared_names = {term for term in labels[0].keys() & labels[1].keys() if isinstance(term, NamedNode)}
    relabelled = {term for term in shared_names if labels[0][term] != labels[1][term]}
    assert set(terms(found.by_aspect[Aspect.LABEL])) == relabelled
    assert found.inferred is not None
    assert found.inferred.gained.count == 2759


_BOOLEAN = NamedNode("http://www.w3.org/2001/XMLSchema#boolean")


@settings(max_examples=200)
@given(graphs_and_flips())
def test_the_shortcut_for_restrictions_reads_the_same_axioms(case: tuple[Graph, list[list[Triple]]]) -> None:
    graph, steps = case
    changed = graph.copy()
    for triple in (triple for step in steps for triple in step):
        changed.flip(changed.keys(triple))
    found = axioms_of(compare(graph, changed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axioms, "_restrictions", lambda _terms, rows, _kinds: ([], rows))
        assert axioms_of(compare(graph, changed)) == found


@pytest.mark.parametrize(
    "node",
    [
        "a owl:Class ; owl:onProperty :p ; owl:someValuesFrom :B",
        "a owl:Restriction ; owl:onProperty :d ; owl:someValuesFrom :B",
        "a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :D",
    ],
)
def test_a_malformed_restriction_is_not_an_axiom(node: str) -> None:
    names = (
        ":A a owl:Class . :B a owl:Class . :D a rdfs:Datatype . :p a owl:ObjectProperty . :d a owl:DatatypeProperty ."
    )
    found = compare(turtle(names), turtle(f"{names} :A rdfs:subClassOf [ {node} ] ."))
    assert [axiom.expression for axiom in found.axioms] == [None]


def axioms_of(comparison: Comparison) -> list[str]:
    return sorted(f"{axiom.added} {axiom.about} {axiom.expression}" for axiom in comparison.axioms)

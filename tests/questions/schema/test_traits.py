"""The schema of a graph: axioms in OWL and RDFS, names that a user wrote, and traits that follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.questions import generate
from kgprobe.questions.schema.traits import schema_of
from kgprobe.questions.settings import RelationSettings, Settings, SettingsError
from questions.fact_tables import PREFIXES, facts_in, id_in

OWL_GRAPH = """
:contains a owl:TransitiveProperty, owl:AsymmetricProperty ; owl:inverseOf :inside .
:capital rdfs:subPropertyOf :contains ; a owl:FunctionalProperty .
:near a owl:SymmetricProperty .
:uncle owl:propertyChainAxiom ( :parent :brother ) .
:parent rdfs:domain :Person ; rdfs:range :Person ; owl:propertyDisjointWith :brother .
:Man rdfs:subClassOf :Person . :Person rdfs:subClassOf :Being . :Human owl:equivalentClass :Person .
[] a owl:AllDisjointClasses ; owl:members ( :Person :City :Rock ) .
[] a owl:AllDifferent ; owl:distinctMembers ( :ada :bob :eve ) .
:ada owl:differentFrom :carl ; a :Person ; :parent :eve .
:lyon a :City . :france :contains :lyon .
"""


def test_traits_come_from_owl_with_their_consequences() -> None:
    facts = facts_in(OWL_GRAPH)
    schema = schema_of(facts, Settings())
    traits = {name: schema.relations[id_in(facts, name)].traits for name in ("contains", "inside", "capital", "near")}
    assert traits["contains"] == {"transitive", "asymmetric", "irreflexive"}
    assert traits["inside"] == {"transitive", "asymmetric", "irreflexive"}
    assert traits["capital"] == {"asymmetric", "irreflexive", "functional"}
    assert traits["near"] == {"symmetric"}


@pytest.mark.parametrize(
    ("graph", "relation", "traits"),
    [
        (":r owl:inverseOf :r .", "r", {"symmetric"}),
        (":r owl:inverseOf :s . :s owl:equivalentProperty :r .", "r", {"symmetric"}),
        (":r a owl:FunctionalProperty ; owl:inverseOf :s .", "s", {"inverse-functional"}),
        (
            ":r a owl:FunctionalProperty, owl:SymmetricProperty .",
            "r",
            {"functional", "inverse-functional", "symmetric"},
        ),
        (
            ":r a owl:TransitiveProperty, owl:IrreflexiveProperty .",
            "r",
            {"transitive", "irreflexive", "asymmetric"},
        ),
        (":r a owl:TransitiveProperty . :s rdfs:subPropertyOf :r .", "s", set()),
        (
            ":r a owl:AsymmetricProperty . :s rdfs:subPropertyOf :t . :t rdfs:subPropertyOf :r .",
            "s",
            {"asymmetric", "irreflexive"},
        ),
        (":r a owl:AsymmetricProperty ; rdfs:subPropertyOf :s .", "s", set()),
    ],
)
def test_traits_that_follow_from_others(graph: str, relation: str, traits: set[str]) -> None:
    facts = facts_in(graph)
    assert schema_of(facts, Settings()).relations[id_in(facts, relation)].traits == traits


def test_axioms_come_from_owl() -> None:
    facts = facts_in(OWL_GRAPH)
    schema = schema_of(facts, Settings())

    def ids(name: str) -> int:
        return id_in(facts, name)

    assert (ids("inside"), ids("contains")) in schema.inverses
    assert not [pair for pair in schema.inverses if pair[0] == pair[1]]
    assert schema.chains == {((ids("parent"), ids("brother")), ids("uncle"))}
    assert (ids("parent"), ids("Person")) in schema.domains & schema.ranges
    assert {(ids("Man"), ids("Being")), (ids("Man"), ids("Human"))} <= schema.sub_classes
    assert {(ids("City"), ids("Rock")), (ids("Rock"), ids("Person"))} <= schema.disjoint_classes
    assert (ids("brother"), ids("parent")) in schema.disjoint_properties
    assert schema.axioms.different == {
        (ids("ada"), ids("carl")),
        tuple(sorted((ids("ada"), ids("bob"), ids("eve")))),
    }


def test_settings_add_to_the_graph() -> None:
    facts = facts_in(":france :contains :lyon . :lyon :inside :france . :ada :born :lyon ; :in :lyon . :lyon a :City .")
    given = {
        "contains": RelationSettings(("a", "place", "in"), traits=("transitive",), inverse_of=("http://e.org/inside",)),
        "born": RelationSettings(("the", "birth place", "of"), chains=(("born", "e:inside"),), range=("City",)),
    }
    schema = schema_of(facts, Settings(relations=given, closed=("contains",)))
    contains, born = schema.relations[id_in(facts, "contains")], schema.relations[id_in(facts, "born")]
    assert contains.words is not None
    assert contains.words.extension == "a place in"
    assert contains.is_closed
    assert not born.is_closed
    assert "transitive" in schema.relations[id_in(facts, "inside")].traits
    assert schema.chains == {((id_in(facts, "born"), id_in(facts, "inside")), id_in(facts, "born"))}
    assert (id_in(facts, "born"), id_in(facts, "City")) in schema.ranges


@pytest.mark.parametrize(
    ("settings", "path", "words"),
    [
        (
            Settings(relations={"containsPlce": RelationSettings()}),
            ("relations", "containsPlce"),
            "the graph has no relation 'containsPlce' (did you mean 'containsPlace'?)",
        ),
        (
            Settings(relations={"containsPlace": RelationSettings(traits=("transitiv",))}),
            ("relations", "containsPlace", "traits"),
            "'transitiv' is not a trait (did you mean 'transitive'?)",
        ),
        (
            Settings(relations={"containsPlace": RelationSettings(domain=("Citi",))}),
            ("relations", "containsPlace", "domain"),
            "the graph has no class 'Citi' (did you mean 'City'?)",
        ),
        (
            Settings(closed=("name",)),
            ("closed",),
            "'name' can be 2 relations of the graph: http://e.org/a#name, http://e.org/b/name (write the IRI)",
        ),
        (
            Settings(relations={"containsPlace": RelationSettings(("teh", "place", "in"))}),
            ("relations", "containsPlace", "words"),
            "'teh' is not an article",
        ),
        (
            Settings(relations={"containsPlace": RelationSettings(), "http://e.org/containsPlace": RelationSettings()}),
            ("relations", "http://e.org/containsPlace"),
            "'http://e.org/containsPlace' and 'containsPlace' are the same relation",
        ),
    ],
)
def test_a_wrong_name_gets_the_nearest_one(settings: Settings, path: tuple[str, ...], words: str) -> None:
    facts = facts_in(':x :containsPlace :y ; <http://e.org/a#name> "1" ; <http://e.org/b/name> "2" ; a :City .')
    with pytest.raises(SettingsError) as caught:
        schema_of(facts, settings)
    assert caught.value.path == path
    assert str(caught.value).startswith(words)


def test_only_relations_that_the_settings_name_are_closed() -> None:
    graph = ":r owl:inverseOf :s . :s owl:equivalentProperty :t . :u rdfs:subPropertyOf :r . :a :r :b ; :v :b ."
    facts = facts_in(graph)
    schema = schema_of(facts, Settings(closed=("r", "a")))
    assert {name for name in "rstuv" if schema.relations[id_in(facts, name)].is_closed} == {"r"}
    assert schema.is_type_closed


@pytest.mark.parametrize("name", ["schema:author", "http://schema.org/author", "<http://schema.org/author>", "author"])
def test_a_relation_has_several_names(name: str) -> None:
    facts = facts_in(":emma schema:author :jane .")
    schema = schema_of(facts, Settings(relations={name: RelationSettings(("a", "writer", "of"))}))
    words = schema.relations[id_in(facts, "http://schema.org/author")].words
    assert words is not None
    assert words.extension == "a writer of"


def test_an_iri_without_facts_is_a_new_relation_unless_it_is_a_misspelled_one() -> None:
    facts = facts_in(":france :contains :lyon .")
    new = {"http://e.org/inside": RelationSettings(("", "inside", "of"), turned=True, inverse_of=("contains",))}
    schema = schema_of(facts, Settings(relations=new))
    inside = schema.relation_names.ids["http://e.org/inside"]
    assert inside > facts.value("SELECT max(id) FROM terms")
    assert (inside, id_in(facts, "contains")) in schema.inverses
    with pytest.raises(SettingsError, match=r"did you mean 'http://e.org/contains'\?"):
        schema_of(facts, Settings(relations={"http://e.org/contain": RelationSettings()}))


def test_things_that_are_the_same_share_axioms() -> None:
    facts = facts_in(":Town owl:sameAs :City . :City rdfs:subClassOf :Place . :Town owl:disjointWith :Person .")
    schema = schema_of(facts, Settings())
    representative = dict(facts.sql("SELECT id, rep FROM same"))
    city = representative.get(id_in(facts, "City"), id_in(facts, "City"))
    assert (city, id_in(facts, "Place")) in schema.sub_classes
    assert (city, id_in(facts, "Person")) in schema.disjoint_classes


@pytest.mark.parametrize(
    "graph",
    [
        "",
        ":r owl:propertyChainAxiom _:x . _:x rdf:first :p ; rdf:rest _:x .",
        ":r owl:propertyChainAxiom rdf:nil, :nothing .",
        "[] a owl:AllDifferent ; owl:members [ rdf:first :a ; rdf:rest 5 ] .",
        ":C rdfs:subClassOf :D . :D rdfs:subClassOf :C . :r rdfs:subPropertyOf :r ; owl:inverseOf :r .",
        ':r a owl:TransitiveProperty, "text", 5 ; rdfs:label "x", """a\nb""", ""@en ; rdfs:domain [], "text" .',
    ],
)
def test_broken_axioms_break_nothing(graph: str) -> None:
    facts = facts_in(graph)
    schema = schema_of(facts, Settings(mine=True, unique_names=True, profile="schema.org"))
    assert all(a != b for a, b in schema.sub_classes)


def test_what_is_not_asked_about_is_counted_by_reason(tmp_path: Path) -> None:
    graph = tmp_path / "graph.ttl"
    graph.write_text(
        PREFIXES
        + ':a rdfs:label "A" ; :knows :b ; :partOf :b ; a :People . :b rdfs:label "B" ; :partOf :a .'
        + ":partOf a owl:AsymmetricProperty .",
        encoding="utf-8",
    )
    with generate([graph], Settings()) as made:
        assert made.dropped["class name is a plural"] == 1
        assert made.dropped["the label of the relation is a verb or a plural"] == 1
        assert [note for note in made.notes if "is asymmetric, but 1 of its facts hold both ways" in note]
        assert not [case for case in made.cases if case.rule == "inverse"]

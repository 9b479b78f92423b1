"""Random shapes in Turtle that lookups can decide, and random data for them."""

from __future__ import annotations

from hypothesis import strategies as st

from kgprobe.rdf.terms import RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Triple

__all__ = ["PREFIXES", "crowds", "shapes_texts", "triples_to_validate", "witness_texts"]

PREFIXES = """
@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""

_names = st.sampled_from(["ex:a", "ex:b", "ex:c", "ex:d"])
_predicates = st.sampled_from(["ex:p", "ex:q", "rdf:type", "rdfs:subClassOf"])
_literals = st.sampled_from(
    ["1", '"01"^^xsd:integer', "2", "1.0", "1e0", '"x"^^xsd:integer', '"x"', '"xy"', '"x"@en', '"y"@en', '"x"@de-at']
)
_terms = st.one_of(_names, _literals)
_paths = st.recursive(
    _predicates,
    lambda inner: st.one_of(
        inner.map(lambda path: f"[ sh:inversePath {path} ]"),
        st.tuples(inner, inner).map(lambda two: f"( {two[0]} {two[1]} )"),
        st.tuples(inner, inner).map(lambda two: f"[ sh:alternativePath ( {two[0]} {two[1]} ) ]"),
        st.tuples(st.sampled_from(["zeroOrMore", "oneOrMore", "zeroOrOne"]), inner).map(
            lambda repeat: f"[ sh:{repeat[0]}Path {repeat[1]} ]"
        ),
    ),
    max_leaves=3,
)
_small = st.integers(0, 2).map(str)


def _lists(members: st.SearchStrategy[str], least: int = 0) -> st.SearchStrategy[str]:
    return st.lists(members, min_size=least, max_size=3).map(lambda parts: f"( {' '.join(parts)} )")


_ON_VALUES = {
    "class": _names,
    "datatype": st.sampled_from(["xsd:integer", "xsd:decimal", "xsd:string", "rdf:langString", "xsd:date"]),
    "nodeKind": st.sampled_from(["sh:IRI", "sh:BlankNode", "sh:Literal", "sh:BlankNodeOrIRI", "sh:IRIOrLiteral"]),
    "in": _lists(_terms),
    "hasValue": _terms,
    "languageIn": st.sampled_from(['( "en" )', '( "de" "EN" )', '( "de-AT" )']),
    "minLength": _small,
    "maxLength": _small,
    "pattern": st.sampled_from(['"x"', '"^.$"', r'"\\d"']),
    "minInclusive": st.sampled_from(["1", "1.5"]),
    "maxExclusive": st.sampled_from(["2", "1e0"]),
    "equals": _predicates,
    "disjoint": _predicates,
}
_ON_PATHS = {
    "minCount": _small,
    "maxCount": _small,
    "uniqueLang": st.sampled_from(["true", "false"]),
    "lessThan": _predicates,
    "lessThanOrEquals": _predicates,
}


@st.composite
def _parameters(draw: st.DrawFn, depth: int, has_path: bool) -> list[str]:
    simple = {**_ON_VALUES, **_ON_PATHS} if has_path else _ON_VALUES
    chosen = draw(st.lists(st.sampled_from(sorted(simple)), unique=True, min_size=0 if depth else 1, max_size=2))
    found = [f"sh:{name} {draw(simple[name])}" for name in chosen]
    if depth:
        inner = _shapes(depth - 1)
        nested = {
            "node": inner,
            "not": inner,
            "and": _lists(inner),
            "or": _lists(inner, 1),
            "xone": _lists(inner, 1),
            "property": _property_shapes(depth - 1),
        }
        for name in draw(st.lists(st.sampled_from(sorted(nested)), min_size=1, max_size=2)):
            found.append(f"sh:{name} {draw(nested[name])}")
        if has_path and draw(st.booleans()):
            found.append(f"sh:qualifiedValueShape {draw(inner)}")
            found += [f"sh:qualified{draw(st.sampled_from(['Min', 'Max']))}Count {draw(_small)}"]
    if not has_path and draw(st.integers(0, 5)) == 0:
        found.append("sh:closed true ; sh:ignoredProperties ( rdf:type )")
    return found


@st.composite
def _shapes(draw: st.DrawFn, depth: int) -> str:
    return f"[ {' ; '.join(draw(_parameters(depth, False)))} ]"


@st.composite
def _property_shapes(draw: st.DrawFn, depth: int) -> str:
    return f"[ sh:path {draw(_paths)} ; {' ; '.join(draw(_parameters(depth, True)))} ]"


_targets = st.one_of(
    _terms.map(lambda term: f"sh:targetNode {term}"),
    _names.map(lambda name: f"sh:targetClass {name}"),
    _predicates.map(lambda name: f"sh:targetSubjectsOf {name}"),
    _predicates.map(lambda name: f"sh:targetObjectsOf {name}"),
)


@st.composite
def shapes_texts(draw: st.DrawFn) -> str:
    """A shapes graph with one to three shapes, each with targets."""
    found = [PREFIXES]
    for number in range(draw(st.integers(1, 3))):
        targets = " ; ".join(draw(st.lists(_targets, min_size=1, max_size=2)))
        depth = draw(st.integers(0, 2))
        has_path = draw(st.booleans())
        path = [f"sh:path {draw(_paths)}"] if has_path else []
        body = " ; ".join([targets, *path, *draw(_parameters(depth, has_path))])
        kind = draw(st.sampled_from(["a sh:NodeShape, rdfs:Class ;", "a sh:NodeShape ;"])) if not has_path else ""
        found.append(f"{'ex:' + 'ab'[number] if 'Class' in kind and number < 2 else f'ex:S{number}'} {kind} {body} .")
    return "\n".join(found)


_nodes = st.sampled_from(
    [*(NamedNode(f"http://example.org/{name}") for name in "abcd"), BlankNode("x"), BlankNode("y")]
)
_values = st.one_of(
    _nodes,
    _nodes,
    st.sampled_from(
        [
            *(Literal(text, datatype=XSD.integer) for text in ("1", "01", "2", "x")),
            Literal("1.0", datatype=XSD.decimal),
            Literal("1e0", datatype=XSD.double),
            *(Literal(text) for text in ("x", "xy", "")),
            *(Literal(text, language=tag) for text in "xy" for tag in ("en", "de-at")),
        ]
    ),
)
_edges = st.sampled_from(
    [NamedNode("http://example.org/p"), NamedNode("http://example.org/q"), RDF.type, RDFS.subClassOf]
)
triples_to_validate = st.builds(Triple, _nodes, _edges, _values)


# Verdicts that depend on a few of many values: shapes that some value must satisfy, and data where many might.
_inner = st.sampled_from(
    ["sh:class ex:b", "sh:property [ sh:path ex:q ; sh:minCount 1 ]", "sh:property [ sh:path ex:q ; sh:hasValue ex:c ]"]
)
_short_paths = st.sampled_from(
    ["ex:p", "[ sh:inversePath ex:p ]", "( ex:p ex:p )", "[ sh:alternativePath ( ex:p [ sh:inversePath ex:p ] ) ]"]
)
_demands = st.one_of(
    st.tuples(st.sampled_from("12"), _inner).map(
        lambda drawn: f"sh:qualifiedMinCount {drawn[0]} ; sh:qualifiedValueShape [ {drawn[1]} ]"
    ),
    st.just("sh:uniqueLang true"),
)
witness_texts = st.tuples(_short_paths, _demands).map(
    lambda drawn: f"{PREFIXES} ex:S sh:targetNode ex:a ; sh:property [ sh:path {drawn[0]} ; {drawn[1]} ] ."
)
_ends = st.one_of(_nodes, st.sampled_from([Literal(text, language="en") for text in "xy"]))
crowds = st.one_of(
    st.builds(Triple, st.just(NamedNode("http://example.org/a")), st.just(NamedNode("http://example.org/p")), _ends),
    st.builds(Triple, _nodes, st.just(NamedNode("http://example.org/p")), st.just(NamedNode("http://example.org/a"))),
    st.builds(Triple, _nodes, st.just(NamedNode("http://example.org/q")), st.just(NamedNode("http://example.org/c"))),
    st.builds(Triple, _nodes, st.just(RDF.type), st.just(NamedNode("http://example.org/b"))),
)

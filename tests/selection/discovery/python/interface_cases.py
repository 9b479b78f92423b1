"""Small uses of every public member of rdflib and pyoxigraph: one line is one test. `;` separates statements.

In a test, `g` and `h` are graphs, `ds` is a dataset, `X` and `L` are terms, `r` is a resource, `c` a collection, `store`
and `quads` are of pyoxigraph.
"""

# ruff: noqa: E501 - one line is one test
from __future__ import annotations

from collections.abc import Iterator

__all__ = ["CASES", "DATA", "FAILING", "HEAD", "IRRELEVANT", "IRRELEVANT_EVERYWHERE", "MODULES", "cases"]

DATA = """
@prefix ex: <http://example.org/pizza#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:Pizza a owl:Class ; rdfs:subClassOf ex:Food ; rdfs:label "Pizza pie"@en ; rdf:value "round" .
ex:Margherita a owl:Class ; rdfs:subClassOf ex:Pizza .
ex:one a ex:Margherita ; ex:toppings ex:L ; ex:near [ a ex:Branch ] .
ex:L rdf:first ex:Basil ; rdf:rest ( ex:Mozzarella ) .
ex:bag a rdf:Bag ; rdf:_1 ex:Basil ; rdf:_2 ex:Mozzarella .
ex:said rdf:subject ex:Pizza ; rdf:predicate rdfs:subClassOf ; rdf:object ex:Food .
"""

HEAD = """
import copy
import functools
import pickle
import pytest
import rdflib
import pyoxigraph
from rdflib import RDF, RDFS, OWL, XSD, BNode, Dataset, ConjunctiveGraph, Graph, Literal, Namespace, URIRef
from rdflib.graph import ReadOnlyGraphAggregate
from rdflib.collection import Collection
from rdflib.container import Alt, Bag, Container, Seq
from rdflib.namespace import NamespaceManager
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, OneOrMore, SequencePath, ZeroOrMore, ZeroOrOne
from rdflib.resource import Resource
EX = Namespace("http://example.org/pizza#")
X = EX.Pizza
L = EX.L
IS = "http://example.org/pizza#"

@pytest.fixture
def g():
    return {maker}().parse(FILE, format="turtle")

@pytest.fixture
def h():
    other = Graph()
    other.parse(FILE, format="turtle")
    other.add((EX.new, RDF.type, OWL.Class))
    return other

@pytest.fixture
def ds():
    data = Dataset()
    data.default_context.parse(FILE, format="turtle")
    data.graph(EX.named).add((EX.new, RDF.type, OWL.Class))
    return data

@pytest.fixture
def r(g):
    return g.resource(EX.Pizza)

@pytest.fixture
def c(g):
    return g.collection(L)

@pytest.fixture
def store():
    made = pyoxigraph.Store()
    made.load(path=FILE, format=pyoxigraph.RdfFormat.TURTLE)
    return made

@pytest.fixture
def quads():
    return pyoxigraph.Dataset(pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE))

@pytest.fixture
def quad():
    class_ = pyoxigraph.NamedNode("http://www.w3.org/2002/07/owl#Class")
    return pyoxigraph.Quad(pyoxigraph.NamedNode(IS + "Pizza"), pyoxigraph.NamedNode(str(RDF.type)), class_)
"""

_GRAPH = {
    "triples": """
list(g.triples((X, None, None)))
list(g.triples((None, RDF.type, OWL.Class)))
list(g.triples((X, RDFS.subClassOf / RDFS.subClassOf, None)))
pattern = (X, None, None); list(g.triples(pattern))
list(g.triples((None, None, None)))
for s, p, o in g.triples((X, None, None)): list(g.triples((o, None, None)))
""",
    "triples_choices": """
list(g.triples_choices(([X, EX.Food], RDFS.label, None)))
list(g.triples_choices((X, [RDFS.label, RDF.type], None)))
""",
    "value": """
g.value(X, RDFS.label)
g.value(predicate=RDF.type, object=OWL.Class)
g.value(subject=X, predicate=RDFS.subClassOf, any=False)
g.value(X)
g.value(X, RDFS.subClassOf * "+")
g.value(X, EX.nothing, default=Literal("none"))
""",
    "objects": """
list(g.objects(X, RDFS.label))
list(g.objects(X, ~RDF.type))
list(g.objects([X, EX.Margherita], RDFS.subClassOf))
list(g.objects(X))
list(g.objects(X, RDFS.subClassOf, True))
list(g.objects(unique=True, subject=X, predicate=RDF.type))
list(g.objects(X, RDFS.subClassOf | RDF.type))
list(g.objects(EX.one, RDF.type / (RDFS.subClassOf * ZeroOrMore)))
p = RDF.type / RDFS.subClassOf; list(g.objects(EX.one, p))
for p in (RDF.type, RDFS.label): list(g.objects(X, p))
for p in (RDF.type / RDFS.label, RDFS.label): list(g.objects(X, p))
for p in g.predicates(X): list(g.objects(X, p))
list(g.objects(X, -RDF.type))
list(g.objects(X, RDFS.subClassOf * "?"))
paths = {"up": RDF.type / RDFS.subClassOf}; list(g.objects(EX.one, paths["up"]))
list(g.objects(X, SequencePath(RDF.type, RDFS.label)))
list(g.objects(X, AlternativePath(RDF.type, RDFS.label)))
list(g.objects(X, InvPath(RDF.type)))
list(g.objects(X, MulPath(RDFS.subClassOf, OneOrMore)))
list(g.objects(X, MulPath(RDFS.subClassOf, "*")))
list(g.objects(X, NegatedPath(RDF.type | RDFS.label)))
list(g.objects(X, (RDF.type if len(IS) > 3 else ~RDF.type)))
up = lambda p: p * ZeroOrMore; list(g.objects(X, up(RDFS.subClassOf)))
list(g.objects(X, functools.reduce(lambda a, b: a / b, [RDF.type, RDFS.label])))
""",
    "subjects": """
list(g.subjects(RDF.type / RDFS.subClassOf, X))
list(g.subjects(RDFS.subClassOf, X))
list(g.subjects(RDF.type))
list(g.subjects(None, X))
list(g.subjects(RDFS.subClassOf * "*", EX.Food))
list(g.subjects(~RDFS.subClassOf, X))
list(g.subjects(RDFS.subClassOf, [X, EX.Food]))
list(g.subjects())
list(g.subjects(~(RDF.type / RDFS.subClassOf), EX.one))
list(g.subjects(-(RDF.type | ~RDFS.subClassOf), X))
list(g.subjects((RDF.type | RDFS.subClassOf) * OneOrMore, EX.Food))
[list(g.subjects(RDF.type, x)) for x in g.subjects(RDF.type, OWL.Class)]
list(g.subjects(object=X, predicate=RDFS.subClassOf))
list(g.subjects(*(RDFS.subClassOf, X)))
list(g.subjects(**{"predicate": RDFS.subClassOf / RDFS.subClassOf}))
""",
    "predicates": """
list(g.predicates(X, EX.Food))
list(g.predicates(object=X))
list(g.predicates())
""",
    "subject_objects": """
list(g.subject_objects(RDFS.label))
list(g.subject_objects(RDFS.subClassOf / RDFS.subClassOf))
list(g.subject_objects(RDFS.subClassOf * "*"))
list(g.subject_objects(~RDFS.subClassOf, unique=True))
list(g.subject_objects())
""",
    "predicate_objects": """
list(g.predicate_objects(X))
list(g.predicate_objects(X, unique=True))
dict(g.predicate_objects(subject=EX.one))
""",
    "subject_predicates": """
list(g.subject_predicates(X))
list(g.subject_predicates(object=OWL.Class, unique=True))
""",
    "transitive_objects": """
list(g.transitive_objects(X, RDFS.subClassOf))
list(g.transitive_objects(EX.one, RDF.type | RDFS.subClassOf))
list(g.transitive_objects(EX.one, RDF.type / RDFS.subClassOf))
list(g.transitive_objects(subject=X, predicate=RDFS.subClassOf, remember={}))
""",
    "transitive_subjects": """
list(g.transitive_subjects(RDFS.subClassOf, X))
list(g.transitive_subjects(~RDFS.subClassOf, X))
list(g.transitive_subjects(predicate=RDFS.subClassOf, object=EX.Food))
""",
    "transitiveClosure": """
list(g.transitiveClosure(lambda x, gr: gr.objects(x, RDFS.subClassOf), EX.Margherita))
def up(x, gr): return gr.subjects(RDFS.subClassOf, x)\\n    list(g.transitiveClosure(up, EX.Food))
""",
    "items": """
list(g.items(L))
[x for x in g.items(g.value(EX.one, EX.toppings))]
""",
    "__contains__": """
(X, RDFS.subClassOf, EX.Food) in g
(X, None, None) not in g
(EX.one, RDF.type / RDFS.subClassOf, X) in g
t = (X, RDFS.label, None); t in g
""",
    "__getitem__": """
list(g[X])
list(g[X : RDFS.label])
list(g[:RDFS.label])
list(g[::OWL.Class])
g[X : RDF.type : OWL.Class]
list(g[EX.one : RDF.type / RDFS.subClassOf])
list(g[: RDFS.subClassOf * "+" : EX.Food])
list(g[X::EX.Food])
list(g[:])
key = slice(X, RDFS.label); list(g[key])
""",
    "query": """
list(g.query("SELECT ?x { ?x a <http://www.w3.org/2002/07/owl#Class> }"))
g.query("ASK { <http://example.org/pizza#Pizza> ?p ?o }").askAnswer
list(g.query("SELECT ?x { ?x a/rdfs:subClassOf* ex:Food }", initNs={"ex": EX, "rdfs": RDFS}))
list(g.query("SELECT ?x { ?x rdfs:subClassOf ?y }", initBindings={"y": X}))
len(g.query("CONSTRUCT { ?x a ?y } WHERE { ?x rdfs:subClassOf ?y }").graph)
g.query("CONSTRUCT { ?x a ?y } WHERE { ?x rdfs:subClassOf ?y }").graph.value(X, RDF.type)
ask = g.query; list(ask("SELECT ?x { ?x rdfs:label ?l }"))
list(g.query("SELECT ?l { ?x rdfs:label ?l FILTER(LANG(?l) = 'en') OPTIONAL { ?x rdf:value ?v } }"))
list(g.query(rdflib.plugins.sparql.prepareQuery("SELECT ?l { ?x rdfs:label ?l }")))
list(g.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"))
[row.x for row in g.query(query_object="SELECT ?x { ?x rdfs:label ?l MINUS { ?x rdf:value ?v } }")]
""",
    "update": """
g.update("INSERT { ?x a <urn:new> } WHERE { ?x rdfs:subClassOf ?y }"); (X, RDF.type, URIRef("urn:new")) in g
g.update("DELETE WHERE { ?x rdfs:label ?l }"); g.value(X, RDFS.label)
g.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }")
g.update("DELETE { ?x ?p ?o } WHERE { ?x rdf:value ?v ; ?p ?o }"); list(g.objects(X, RDFS.label))
change = g.update; change(update_object="INSERT { ?x a <urn:n> } WHERE { ?x rdfs:label ?l }")
text = "INSERT { ?x a <urn:n> } WHERE { ?x %s ?l }" % RDFS.label.n3(); g.update(text)
""",
    "resource": """
g.resource(X).value(RDFS.label)
list(g.resource(X)[RDFS.subClassOf])
list(g.resource(str(X)).objects())
[x.identifier for x in g.resource(X).objects(RDFS.subClassOf)]
""",
    "collection": """
list(g.collection(L))
len(g.collection(identifier=L))
g.collection(L)[0]
""",
    "all_nodes": "g.all_nodes()\nlen(g.all_nodes())",
    "connected": "g.connected()",
    "isomorphic": "g.isomorphic(h)\nh.isomorphic(g)\nsame = g.isomorphic; same(h)",
    "cbd": "list(g.cbd(X))\ng.cbd(EX.one).value(EX.one, RDF.type)\ng.cbd(X, target_graph=h)",
    "serialize": "g.serialize(format='nt')\ng.serialize(destination=None)\nprint(g.serialize())",
    "print": "g.print()",
    "skolemize": "list(g.skolemize())\nlen(g.skolemize(bnode=None))",
    "de_skolemize": "list(g.de_skolemize())",
    "parse": "g.parse(data='', format='turtle'); g.value(X, RDFS.label)\nGraph().parse(FILE, format='turtle').value(X, RDFS.label)",
    "add": "g.add((X, RDFS.label, Literal('new')))\ng.add((X, RDFS.comment, g.value(X, RDFS.label)))\ng.add((X, X, X)).value(X, X)",
    "addN": "g.addN([(X, X, X, g)]); (X, X, X) in g",
    "remove": "g.remove((X, None, None)); list(g.objects(X))\ng.remove((None, RDFS.label, None))",
    "set": "g.set((X, RDFS.label, Literal('new'))); g.value(X, RDFS.label)",
    "bind": "g.bind('ex', EX)",
    "namespaces": "list(g.namespaces())",
    "namespace_manager": "g.namespace_manager.qname(X)\ng.namespace_manager = NamespaceManager(Graph()); g.value(X, RDFS.label)",
    "qname": "g.qname(X)",
    "compute_qname": "g.compute_qname(X)",
    "absolutize": "g.absolutize('a')",
    "n3": "g.n3()",
    "identifier": "g.identifier",
    "store": "len(g.store)\nlist(g.store.triples((X, None, None)))\ng.store",
    "toPython": "g.toPython().value(X, RDFS.label)",
    "open": "g.open('x')",
    "close": "g.close()",
    "commit": "g.commit()",
    "rollback": "g.rollback()",
    "destroy": "g.destroy('x')",
    "__add__": "len(g + h)\nlist((g + h).objects(X))\n(h + g).value(X, RDFS.label)",
    "__sub__": "list(g - h)\nlen(h - g)\nrest = h; rest = rest - g; rest",
    "__mul__": "list(g * h)",
    "__and__": "list(g & h)\n(g & h).value(X, RDFS.label)",
    "__or__": "len(g | h)",
    "__xor__": "list(g ^ h)\n(h ^ g).value(X, RDFS.label)",
    "__iadd__": "h += g; h.value(X, RDFS.label)\nk = Graph(); k += g; len(k)\nk = Graph(); k += list(g.triples((X, None, None)))",
    "__isub__": "h -= g; len(h)\nk = h; k -= g; list(k.objects(X))",
    "__eq__": "g == h\ng != h",
    "__cmp__": "g.__cmp__(h)",
    "__lt__": "g < h",
    "__le__": "g <= h",
    "__gt__": "g > h",
    "__ge__": "g >= h",
    "__iter__": "list(g)\nfor t in g: t\n[s for s, p, o in g]\nsorted(g)\nnext(iter(g))\nset(x for x, _, _ in g)\ndict(enumerate(g))\na, *b = g",
    "__len__": "len(g)\nbool(g)\nassert g\n1 if g else 2\nnot g\nany(g)\nassert len(g) > 3, 'few'\ng or h\nwhile not g: break",
    "__hash__": "hash(g)\nlen({g: 1})\nlen({g, h})",
    "__str__": "str(g)\nf'{g}'\nprint(g)\n'%s' % g",
    "__repr__": "repr(g)\nf'{g!r}'",
    "__reduce__": "pickle.dumps(Graph())\npickle.dumps(list(g))\ncopy.copy(g).value(X, RDFS.label)\ncopy.deepcopy(g).value(X, RDFS.label)",
    "default_union": "g.default_union",
    "context_aware": "g.context_aware",
    "base": "g.base",
}

CASES: dict[str, dict[str, str]] = {
    "rdflib.Graph": _GRAPH,
    # The same, where `g` is another class. It adds, or changes, the members below.
    "rdflib.Dataset": {
        "quads": "list(ds.quads((X, None, None, None)))\nlist(ds.quads())",
        "graphs": "[x.identifier for x in ds.graphs()]\n[len(x) for x in ds.graphs()]\n[x.value(X, RDFS.label) for x in ds.graphs()]",
        "contexts": "list(ds.contexts())\n[list(x.triples((X, None, None))) for x in ds.contexts()]\nlist(ds.contexts((X, None, None)))",
        "graph": "ds.graph(EX.named).value(EX.new, RDF.type)\nlen(ds.graph(EX.named))\nlist(ds.graph(EX.named) - h)",
        "get_graph": "list(ds.get_graph(EX.named))\nds.get_graph(EX.named).value(EX.new, RDF.type)",
        "add_graph": "ds.add_graph(EX.other).add((X, X, X))",
        "remove_graph": "ds.remove_graph(EX.named); len(ds)",
        "default_graph": "ds.default_graph.value(X, RDFS.label)\nlen(ds.default_graph)",
        "__iter__": "list(ds)\nfor s, p, o, name in ds: s",
        "__contains__": "(X, RDF.type, OWL.Class, None) in ds\n(X, None, None) in ds",
        "add": "ds.add((X, X, X)); ds.add((X, X, X, EX.named))",
        "addN": "ds.addN([])",
        "remove": "ds.remove((X, None, None, None))",
        "parse": "ds.parse(FILE, format='turtle')",
        "__iadd__": "other = Dataset(); other += ds; len(other)",
        "n3": "ds.n3()",
        "identifier": "ds.identifier",
        "default_context": "ds.default_context.value(X, RDFS.label)\nlist(ds.default_context[X])",
        "__reduce__": "pickle.dumps(ds)",
        "__getstate__": "ds.__getstate__()",
        "__setstate__": "other = Dataset(); other.__setstate__(ds.__getstate__()); len(other)",
        "__str__": "str(ds)",
        "serialize": "ds.serialize(format='nquads')",
    },
    "rdflib.ConjunctiveGraph": {
        "default_context": "ds.default_context.value(X, RDFS.label)\nlen(ds.default_context)",
        "get_context": "list(ds.get_context(EX.named))\nds.get_context(EX.named).value(EX.new, RDF.type)",
        "remove_context": "ds.remove_context(ds.get_context(EX.named))",
        "__contains__": "(X, RDF.type, OWL.Class) in ConjunctiveGraph().parse(FILE, format='turtle')",
        "__reduce__": "pickle.dumps(ConjunctiveGraph().parse(FILE, format='turtle'))",
        "__str__": "str(ConjunctiveGraph().parse(FILE, format='turtle'))",
        "add": "k = ConjunctiveGraph(); k.add((X, X, X)); len(k)",
        "addN": "k = ConjunctiveGraph(); k.addN([(X, X, X, k.default_context)]); list(k.objects(X))",
        "remove": "k = ConjunctiveGraph().parse(FILE, format='turtle'); k.remove((X, None, None))",
        "parse": "k = ConjunctiveGraph(); k.parse(FILE, format='turtle').value(X, RDFS.label)",
        "contexts": "list(ConjunctiveGraph().parse(FILE, format='turtle').contexts())",
        "get_graph": "k = ConjunctiveGraph().parse(FILE, format='turtle'); k.get_graph(EX.none)",
        "n3": "ConjunctiveGraph().n3()",
        "context_id": "ds.context_id('http://x/')",
        "quads": "list(ConjunctiveGraph().parse(FILE, format='turtle').quads((X, None, None, None)))",
        "triples": "list(ds.triples((X, None, None)))\nlist(ds.triples((None, RDF.type / RDFS.subClassOf, None)))",
        "triples_choices": "list(ds.triples_choices(([X], RDFS.label, None)))",
        "__len__": "len(ds)\nbool(ds)",
    },
    "rdflib.ReadOnlyGraphAggregate": {
        "triples": "list(ReadOnlyGraphAggregate([g, h]).triples((X, None, None)))",
        "quads": "list(ReadOnlyGraphAggregate([g, h]).quads((X, None, None)))",
        "value": "both = ReadOnlyGraphAggregate([g, h]); both.value(X, RDFS.label)",
        "__len__": "len(ReadOnlyGraphAggregate([g]))",
        "__contains__": "(X, None, None) in ReadOnlyGraphAggregate([g])",
    },
    "rdflib.Resource": {
        "objects": "[x for x in r.objects(RDFS.subClassOf)]\nlist(r.objects())\n[list(x.objects(RDF.type)) for x in r.objects(RDFS.subClassOf)]\nlist(r.objects(RDFS.subClassOf / RDFS.subClassOf))\n[x.graph.value(EX.one, RDF.type) for x in r.objects() if isinstance(x, Resource)]",
        "subjects": "[str(x) for x in r.subjects(RDFS.subClassOf)]\nlist(r.subjects(RDF.type / RDFS.subClassOf))\nlist(r.subjects())",
        "predicates": "list(r.predicates())\nlist(r.predicates(OWL.Class))",
        "subject_predicates": "[list(x.objects()) for x, _ in r.subject_predicates()]",
        "subject_objects": "list(r.subject_objects())",
        "predicate_objects": "list(r.predicate_objects())\n[x.value(RDFS.label) for _, x in r.predicate_objects() if isinstance(x, Resource)]",
        "value": "r.value(RDFS.label)\nr.value(RDFS.label).language\nr.value(RDFS.subClassOf).value(RDFS.subClassOf)\nr.value()\nr.value(p=RDFS.subClassOf * '+')\nr.value(RDFS.label).value",
        "items": "[x for x in Resource(r.graph, L).items()]",
        "transitive_objects": "[x.value(RDFS.label) for x in r.transitive_objects(RDFS.subClassOf)]",
        "transitive_subjects": "list(r.transitive_subjects(RDFS.subClassOf))\nlist(r.transitive_subjects(~RDFS.subClassOf))",
        "__getitem__": "list(r[RDFS.label])\nlist(r[RDFS.subClassOf : EX.Food]) if False else r[RDFS.subClassOf : EX.Food]\nlist(r[RDF.type / RDFS.subClassOf])\nlist(r[:])\n[x[RDFS.label] for x in r[RDFS.subClassOf]]\nlist(r[:EX.Food])",
        "__setitem__": "r[RDFS.label] = Literal('new')",
        "__iter__": "list(r)\n[(s, p, o) for s, p, o in r]",
        "graph": "r.graph.value(EX.one, RDF.type)\nlen(r.graph)\nr.graph - r.graph",
        "identifier": "r.identifier",
        "add": "r.add(RDFS.label, Literal('x'))",
        "set": "r.set(RDFS.label, Literal('x'))",
        "remove": "r.remove(RDFS.label)",
        "qname": "r.qname()",
        "__eq__": "r == r",
        "__ne__": "r != 5",
        "__lt__": "r < r",
        "__le__": "r <= r",
        "__gt__": "r > r",
        "__ge__": "r >= r",
        "__hash__": "hash(r)",
        "__str__": "str(r)",
        "__repr__": "repr(r)",
        "__unicode__": "r.__unicode__()",
    },
    "rdflib.Collection": {
        "__iter__": "list(c)\nfor x in c: x\nCollection(Graph(), BNode(), list(c))",
        "__len__": "len(c)\nassert c",
        "__getitem__": "c[0]\nc[1]",
        "__setitem__": "c[0] = EX.Oregano",
        "__delitem__": "del c[1]",
        "__iadd__": "c += [EX.Oregano]; list(c)",
        "append": "c.append(EX.Oregano); list(c)",
        "clear": "c.clear(); list(c)",
        "index": "c.index(EX.Basil)",
        "n3": "c.n3()",
        "graph": "c.graph.value(X, RDFS.label)",
        "uri": "c.uri",
        "__init__": "list(Collection(r.graph, L))\nlist(rdflib.collection.Collection(uri=L, graph=r.graph))",
    },
    "rdflib.Container": {
        "__getitem__": "Bag(r.graph, EX.bag)[1]\nContainer(r.graph, EX.bag, rtype='Bag')[1]",
        "__len__": "len(Seq(r.graph, EX.bag))",
        "__setitem__": "Bag(r.graph, EX.bag)[1] = EX.Oregano",
        "__delitem__": "del Bag(r.graph, EX.bag)[1]",
        "items": "Alt(r.graph, EX.bag).items()\nContainer(r.graph, EX.bag).items()",
        "index": "Bag(r.graph, EX.bag).index(EX.Basil)",
        "append": "Bag(r.graph, EX.bag).append(EX.Oregano)",
        "append_multiple": "Bag(r.graph, EX.bag).append_multiple([EX.Oregano])",
        "clear": "Bag(r.graph, EX.bag).clear()",
        "end": "Bag(r.graph, EX.bag).end()",
        "n3": "Bag(r.graph, EX.bag).n3()",
        "type_of_container": "Bag(r.graph, EX.bag).type_of_container()",
        "type_of_conatiner": "Bag(r.graph, EX.bag).type_of_conatiner()",
        "anyone": "Alt(r.graph, EX.bag).anyone()",
        "add_at_position": "Seq(r.graph, EX.bag).add_at_position(1, X)",
    },
    "rdflib.graph.Seq": {
        "__iter__": "list(rdflib.graph.Seq(r.graph, EX.bag))",
        "__len__": "len(rdflib.graph.Seq(r.graph, EX.bag))",
        "__getitem__": "rdflib.graph.Seq(r.graph, EX.bag)[0]",
        "toPython": "rdflib.graph.Seq(r.graph, EX.bag).toPython()",
    },
    "rdflib.NamespaceManager": {
        name: f"names = NamespaceManager(r.graph); names.{call}\nr.graph.namespace_manager.{call}"
        for name, call in {
            "bind": "bind('ex', EX)",
            "compute_qname": "compute_qname(X)",
            "compute_qname_strict": "compute_qname_strict(X)",
            "curie": "curie(X)",
            "expand_curie": "expand_curie('owl:Class')",
            "namespaces": "namespaces()",
            "normalizeUri": "normalizeUri(X)",
            "qname": "qname(X)",
            "qname_strict": "qname_strict(X)",
            "absolutize": "absolutize('a')",
            "reset": "reset()",
            "store": "store",
            "graph": "graph.value(X, RDFS.label)",
        }.items()
    }
    | {"__contains__": "'x' in r.graph.namespace_manager"},
    "rdflib.Result": {
        name: "\n".join(
            f"answer = r.graph.query('SELECT ?x {{ ?x rdfs:label ?l }}'); {each}" for each in call.split(" // ")
        )
        for name, call in {
            "bindings": "answer.bindings",
            "serialize": "answer.serialize(format='json')",
            "__bool__": "bool(answer) // assert answer",
            "__iter__": "[x for x, in answer] // list(answer)",
            "__len__": "len(answer)",
            "__eq__": "answer == answer",
            "__getattr__": "answer.vars",
            "__hash__": "hash(answer)",
            "graph": "answer.graph",
        }.items()
    },
    "rdflib.compare": {
        "isomorphic": "from rdflib.compare import isomorphic; isomorphic(r.graph, Graph())\nimport rdflib.compare; rdflib.compare.isomorphic(Graph(), r.graph)",
        "graph_diff": "from rdflib import compare; compare.graph_diff(r.graph, Graph())",
        "similar": "from rdflib.compare import similar as like; like(r.graph, Graph())",
        "to_isomorphic": "from rdflib.compare import to_isomorphic; to_isomorphic(r.graph) == 3",
        "to_canonical_graph": "from rdflib.compare import to_canonical_graph; list(to_canonical_graph(r.graph))",
        "IsomorphicGraph": "from rdflib.compare import IsomorphicGraph; same = IsomorphicGraph(); same += r.graph; same.graph_digest()",
    },
    "rdflib.util": {
        "find_roots": "from rdflib.util import find_roots; find_roots(r.graph, RDFS.subClassOf)",
        "get_tree": "from rdflib import util; util.get_tree(r.graph, EX.Food, RDFS.subClassOf)",
    },
    "rdflib.paths": {
        "evalPath": "from rdflib.paths import evalPath; list(evalPath(r.graph, (X, RDFS.subClassOf * '+', None)))",
        "eval_path": "from rdflib.paths import eval_path; list(eval_path(r.graph, (X, ~RDF.type, None)))",
        "Path.eval": "list((RDF.type / RDFS.subClassOf).eval(r.graph, EX.one, None))",
        "inv_path": "from rdflib.paths import inv_path; list(r.graph.objects(X, inv_path(RDF.type)))",
        "mul_path": "from rdflib.paths import mul_path; list(r.graph.objects(X, mul_path(RDF.type, '+')))",
        "neg_path": "from rdflib.paths import neg_path; list(r.graph.objects(X, neg_path(RDF.type)))",
        "path_alternative": "from rdflib.paths import path_alternative as either; list(r.graph.objects(X, either(RDF.type, X)))",
        "path_sequence": "from rdflib.paths import path_sequence; list(r.graph.objects(X, path_sequence(RDF.type, X)))",
    },
    "rdflib.extras": {
        "infixowl": "from rdflib.extras.infixowl import Class; list(Class(X, graph=r.graph).subClassOf)\nfrom rdflib.extras import infixowl; infixowl.Individual.factoryGraph = r.graph; infixowl.Class(X).label",
        "describer": "from rdflib.extras.describer import Describer; Describer(r.graph, about=X).rel(RDF.type, X)",
        "shacl": "from rdflib.extras import shacl; shacl.parse_shacl_path(r.graph, RDFS.label)",
        "external_graph_libs": "from rdflib.extras import external_graph_libs as libs; list(r.graph.objects(X))",
    },
    "rdflib.plugins.sparql": {
        "processor": "from rdflib.plugins.sparql.processor import SPARQLProcessor; SPARQLProcessor(r.graph).query('SELECT * { ?s rdfs:label ?o }', initNs={'rdfs': RDFS})",
        "prepareQuery": "q = rdflib.plugins.sparql.prepareQuery('SELECT * { ?s rdfs:label ?o }', initNs={'rdfs': RDFS}); list(r.graph.query(q))",
        "processUpdate": "from rdflib.plugins.sparql import processUpdate; processUpdate(r.graph, 'INSERT {?s a ?s} WHERE {?s ?p ?o}')",
        "evalQuery": "from rdflib.plugins.sparql.evaluate import evalQuery; q = rdflib.plugins.sparql.prepareQuery('ASK {?s ?p ?o}'); evalQuery(r.graph, q, {})",
    },
    "rdflib.void": {"generateVoID": "from rdflib.void import generateVoID; generateVoID(r.graph)"},
    "rdflib.tools": {"rdf2dot": "import io; from rdflib.tools.rdf2dot import rdf2dot; rdf2dot(r.graph, io.StringIO())"},
    "pyoxigraph.Store": {
        "quads_for_pattern": "list(store.quads_for_pattern(pyoxigraph.NamedNode(IS + 'Pizza'), None, None))\nlist(store.quads_for_pattern(None, pyoxigraph.NamedNode(str(RDF.type)), None, pyoxigraph.DefaultGraph()))\nlist(store.quads_for_pattern(None, None, None))\nfind = store.quads_for_pattern; list(find(None, None, pyoxigraph.NamedNode(IS + 'Food')))\n[list(store.quads_for_pattern(q.object, None, None)) for q in store.quads_for_pattern(None, pyoxigraph.NamedNode(str(RDFS.subClassOf)), None)]",
        "query": "list(store.query('SELECT ?x { ?x a <http://example.org/pizza#Margherita> }'))\nbool(store.query('ASK { <http://example.org/pizza#Pizza> ?p ?o }'))\nlist(store.query('SELECT ?x { ?x <http://example.org/pizza#near>/a ?k }', use_default_graph_as_union=True))\nlist(store.query(query='CONSTRUCT { ?x a ?y } WHERE { ?x a ?y }'))\nstore.query('SELECT ?x { ?x a ?y }').serialize(format=pyoxigraph.QueryResultsFormat.JSON)",
        "update": "store.update('INSERT { ?x a <urn:n> } WHERE { ?x a <http://example.org/pizza#Branch> }')\nstore.update('CLEAR DEFAULT'); list(store.quads_for_pattern(pyoxigraph.NamedNode(IS + 'Pizza'), None, None))",
        "load": "store.load(b'', format=pyoxigraph.RdfFormat.TURTLE)",
        "bulk_load": "store.bulk_load(path=FILE, format=pyoxigraph.RdfFormat.TURTLE); len(store)",
        "add": "store.add(quad)",
        "extend": "store.extend([quad])\nother = pyoxigraph.Store(); other.extend(pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE)); list(other.quads_for_pattern(pyoxigraph.NamedNode(IS + 'Pizza'), None, None))",
        "bulk_extend": "store.bulk_extend([quad])\nother = pyoxigraph.Store(); other.bulk_extend(pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE)); list(other.quads_for_pattern(pyoxigraph.NamedNode(IS + 'Pizza'), None, None))",
        "remove": "store.remove(quad)",
        "dump": "store.dump(format=pyoxigraph.RdfFormat.TRIG)",
        "named_graphs": "list(store.named_graphs())",
        "contains_named_graph": "store.contains_named_graph(pyoxigraph.NamedNode('urn:g'))",
        "add_graph": "store.add_graph(pyoxigraph.NamedNode('urn:g'))",
        "remove_graph": "store.remove_graph(pyoxigraph.NamedNode('urn:g'))",
        "clear": "store.clear()",
        "clear_graph": "store.clear_graph(pyoxigraph.NamedNode('urn:g'))",
        "flush": "store.flush()",
        "optimize": "store.optimize()",
        "__iter__": "list(store)\nfor q in store: q\n{q.subject for q in store}",
        "__len__": "len(store)\nassert len(store) > 3",
        "__bool__": "bool(store)\nassert store\nassert not not store",
        "__contains__": "quad in store\nassert quad not in pyoxigraph.Store() or store",
        "__str__": "str(store)\nf'{store}'",
    },
    "pyoxigraph.Dataset": {
        "quads_for_subject": "list(quads.quads_for_subject(pyoxigraph.NamedNode(IS + 'Pizza')))",
        "quads_for_predicate": "list(quads.quads_for_predicate(pyoxigraph.NamedNode(str(RDFS.label))))",
        "quads_for_object": "list(quads.quads_for_object(pyoxigraph.NamedNode(IS + 'Food')))",
        "quads_for_graph_name": "list(quads.quads_for_graph_name(pyoxigraph.DefaultGraph()))",
        "canonicalize": "quads.canonicalize(pyoxigraph.CanonicalizationAlgorithm.UNSTABLE)",
        "add": "quads.add(quad)",
        "discard": "quads.discard(quad)",
        "remove": "quads.add(quad); quads.remove(quad)",
        "clear": "quads.clear()",
        "__iter__": "list(quads)\nfor q in quads: q",
        "__len__": "len(quads)",
        "__bool__": "bool(quads)",
        "__contains__": "quad in quads",
        "__eq__": "quads == quads",
        "__ne__": "quads != quads",
        **{
            f"__{name}__": f"quads {sign} quads"
            for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items()
        },
        "__str__": "str(quads)",
    },
    "pyoxigraph": {
        "parse": "list(pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE))\nfor q in pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE): q.subject\nnext(pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE))\nwith open(FILE, 'rb') as f: list(pyoxigraph.parse(f, format=pyoxigraph.RdfFormat.TURTLE))",
        "serialize": "pyoxigraph.serialize(list(store), format=pyoxigraph.RdfFormat.TRIG)\npyoxigraph.serialize((q.triple for q in store), format=pyoxigraph.RdfFormat.TURTLE)",
    },
    "files": {
        "open": "open(FILE).read()\nwith open(FILE) as f: f.read().count('Pizza')\nfrom pathlib import Path; 'Pizza' in Path(FILE).read_text()",
        "parse": "g2 = Graph(); g2.parse(source=FILE, format='turtle'); g2.value(X, RDFS.label)\nGraph().parse(data=open(FILE).read(), format='turtle').value(X, RDFS.label)",
        "xml": "import xml.etree.ElementTree as ET; pytest.raises(ET.ParseError, ET.parse, FILE)",
    },
}

IRRELEVANT_EVERYWHERE = {
    "__abstractmethods__": "of Python",
    "__annotations__": "of Python",
    "__class__": "of Python",
    "__dict__": "of Python",
    "__doc__": "of Python",
    "__init__": "makes an object; all tests do",
    "__new__": "makes an object; all tests do",
    "__init_subclass__": "of Python",
    "__module__": "of Python",
    "__slots__": "of Python",
    "__subclasshook__": "of Python",
    "__weakref__": "of Python",
    "__getstate__": "of Python, unless a class defines it",
    "__orig_bases__": "of Python",
    "__parameters__": "of Python",
    "__static_attributes__": "of Python",
    "__firstlineno__": "of Python",
}
IRRELEVANT = {
    "rdflib.Graph.md5_term_hash": "hashes terms",
    "rdflib.ReadOnlyGraphAggregate": "only what differs from ConjunctiveGraph in reading; an aggregate is not in the table",
    "rdflib.Result.parse": "reads a result, not a graph",
    "pyoxigraph.Store.backup": "writes a store on disk, and the store of a test is in memory",
    "pyoxigraph.Store.read_only": "opens a store on disk",
    "pyoxigraph.Dataset.__hash__": "there is none",
    "rdflib.Dataset.default_union": "an option",
    **dict.fromkeys(("rdflib.util", "rdflib.plugin", "rdflib.query"), "a module"),
    "pyoxigraph.QuadParser": "what `parse` returns; it cannot be made",
    **dict.fromkeys(("rdflib.Bag", "rdflib.Alt", "rdflib.Seq", "rdflib.Container"), "see rdflib.Container"),
    **{
        f"rdflib.{room}.{name}": "takes no graph"
        for room, names in {
            "util": "date_time first from_n3 guess_format list2set more_than parse_date_time parse_xsd_date to_term "
            "uniq",
            "paths": "AlternativePath InvPath MulPath NegatedPath Path PathList SequencePath",
            "compare": "Color ColorItem",
        }.items()
        for name in names.split()
    },
}
# The modules of rdflib: those with small tests, and those that are used through others.
MODULES = {
    **dict.fromkeys(("rdflib.graph", "rdflib.resource", "rdflib.collection", "rdflib.container"), "small tests"),
    **dict.fromkeys(("rdflib.compare", "rdflib.extras", "rdflib.paths", "rdflib.query", "rdflib.util"), "small tests"),
    **dict.fromkeys(("rdflib.void", "rdflib.tools", "rdflib.namespace", "rdflib.plugins.sparql"), "small tests"),
    **dict.fromkeys(("rdflib.term", "rdflib.exceptions", "rdflib.xsd_datetime", "rdflib.compat"), "no graphs"),
    **dict.fromkeys(("rdflib.parser", "rdflib.serializer", "rdflib.plugins", "rdflib.plugin"), "used through a graph"),
    **dict.fromkeys(("rdflib.store", "rdflib.events", "rdflib.contrib"), "unanalysable"),
    **dict.fromkeys(("rdflib._networking", "rdflib._type_checking"), "private"),
}

# They raise an error with every graph, or with this one. What they read until then counts.
FAILING = frozenset(
    [
        *("rdflib.Dataset.__setstate__", "rdflib.ConjunctiveGraph.get_graph", "rdflib.Result.__hash__"),
        *(f"rdflib.Container.{name}" for name in ("__getitem__", "__setitem__", "__delitem__", "anyone")),
        *(f"pyoxigraph.Dataset.__{name}__" for name in ("lt", "le", "gt", "ge")),
    ]
)


def cases() -> Iterator[tuple[str, str]]:
    """The name of each member, and a use of it."""
    for owner, members in CASES.items():
        for member, lines in members.items():
            for line in lines.strip().splitlines():
                yield f"{owner}.{member}", line

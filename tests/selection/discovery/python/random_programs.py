"""Random Python programs that get a graph in some way, pass it around, and read it."""

# ruff: noqa: E501 - one line is one test
from __future__ import annotations

from random import Random

__all__ = ["ACCESSES", "HOPS", "SOURCES", "module"]

_HEAD = """
import collections, contextlib, copy, dataclasses, functools, importlib, itertools, operator, types
import pytest
import pyoxigraph
import rdflib
import rdflib as rd
import rdflib.graph as graphs_of
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, Optional
from rdflib import *
from rdflib import Graph, Namespace, RDF, RDFS, OWL, URIRef, Literal, Dataset
from rdflib.paths import ZeroOrMore, OneOrMore
EX = Namespace("http://example.org/pizza#")
X = EX.Pizza
NAMES = ["val" + "ue", "objects", "subjects"]

def load(): return Graph().parse(FILE, format="turtle")
def typed() -> Graph: return load()
def same(value): return value
def first(value, *others): return value
def last(*values): return values[-1]
def keyed(**named): return named["it"]
def boxed(value): return [value]
def apply(function, value): return function(value)
def maybe(value=None): return value if value is not None else load()
class Box:
    def __init__(self, inner): self.inner = inner
    def get(self): return self.inner
    def __enter__(self): return self.inner
    def __exit__(self, *args): return None
    def __call__(self): return self.inner
    def __getitem__(self, key): return self.inner
@dataclass
class Case:
    name: str
    data: object
class Pair(NamedTuple):
    left: object
    right: object
class Mine(Graph):
    def tops(self): return list(self.objects(X, RDFS.subClassOf))
    def __contains__(self, other): return super().__contains__(other)
def label(where, what): return where.value(what, RDFS.label)
def follow(where, what, path): return list(where.objects(what, path))
def ask(where, text): return list(where.query(text))
def diff(one, two): return one - two
def each(where):
    for triple in where: yield triple
def deep(where, depth=2): return deep(where, depth - 1) if depth else list(where.objects(X))
def up(p): return p * ZeroOrMore
"""

# How a graph comes to be: definitions, with `N` for a number of their own, and the expression for the graph.
SOURCES = [
    ("", "load()"),
    ("", "typed()"),
    ("", "Graph().parse(FILE, format='turtle')"),
    ("", "rd.Graph().parse(FILE, format='turtle')"),
    ("", "graphs_of.Graph().parse(FILE, format='turtle')"),
    ("", "rdflib.graph.ConjunctiveGraph().parse(FILE, format='turtle')"),
    ("", "importlib.import_module('rdflib').Graph().parse(FILE, format='turtle')"),
    ("", "getattr(rdflib, 'Gra' + 'ph')().parse(FILE, format='turtle')"),
    ("", "Mine().parse(FILE, format='turtle')"),
    ("", "copy.copy(load())"),
    ("", "maybe()"),
    ("", "maybe(load())"),
    ("dataN = load()", "dataN"),
    ("dataN: Graph = load()", "dataN"),
    ("dataN = Graph()\ndataN.parse(FILE, format='turtle')", "dataN"),
    ("dataN = None\ndef setN():\n    global dataN\n    dataN = load()\n    return dataN", "setN()"),
    ("dataN = None\ndef setN():\n    global dataN\n    dataN = load()\n    return 1", "(setN(), dataN)[1]"),
    ("makeN = Graph", "makeN().parse(FILE, format='turtle')"),
    ("makeN = lambda: load()", "makeN()"),
    ("makeN = partial(load)", "makeN()"),
    ("makeN = load", "makeN()"),
    ("makeN = lru_cache(load)", "makeN()"),
    ("@lru_cache\ndef makeN(): return load()", "makeN()"),
    ("@functools.cache\ndef makeN(): return same(load())", "makeN()"),
    ("def outerN():\n    kept = load()\n    def inner(): return kept\n    return inner", "outerN()()"),
    (
        "def outerN():\n    kept = None\n    def inner():\n        nonlocal kept\n        kept = load()\n    inner()\n"
        "    return kept",
        "outerN()",
    ),
    ("def genN(): yield load()", "next(genN())"),
    ("def genN(): yield from [load()]", "list(genN())[0]"),
    ("def genN():\n    for x in [load()]: yield x", "[y for y in genN()][0]"),
    ("@contextlib.contextmanager\ndef openN(): yield load()", "contextlib.ExitStack().enter_context(openN())"),
    ("def pairN(): return load(), 'x'", "pairN()[0]"),
    ("oneN, twoN = load(), 3", "oneN"),
    ("twoN, oneN = 3, load()", "oneN"),
    ("*someN, oneN = [1, load()]", "oneN"),
    ("(aN, (bN, cN)) = (1, (load(), 2))", "bN"),
    ("listN = [load()]", "listN[0]"),
    ("listN = []\nlistN.append(load())", "listN[-1]"),
    ("listN = [1]\nlistN[0] = load()", "listN[0]"),
    ("listN = [1]\nlistN.extend([load()])", "listN[1]"),
    ("listN = [1] + [load()]", "listN[1]"),
    ("dictN = {'a': load()}", "dictN['a']"),
    ("dictN = {}\ndictN['a'] = load()", "dictN.get('a')"),
    ("dictN = {'a': {}}\ndictN['a']['b'] = load()", "dictN['a']['b']"),
    ("dictN = dict(a=load())", "dictN['a']"),
    ("dictN = {**{'a': load()}}", "next(iter(dictN.values()))"),
    ("dictN = {k: load() for k in 'ab'}", "[v for k, v in dictN.items()][0]"),
    ("dictN = {}\ndictN.setdefault('a', load())", "dictN['a']"),
    ("dictN = {}\ndictN.update(a=load())", "dictN['a']"),
    ("dictN = {}\ndictN.update({'a': load()})", "(dictN.pop('a', None) or load())"),
    ("dictN = collections.defaultdict(load)", "dictN['x']"),
    ("class KitN:\n    base = load()", "KitN.base"),
    ("class KitN:\n    base = load()", "KitN().base"),
    ("class KitN:\n    base = load()", "getattr(KitN, 'base')"),
    ("class KitN:\n    base = load()", "getattr(KitN, 'ba' + 'se')"),
    ("class KitN:\n    base = load()", "vars(KitN)['base']"),
    ("class KitN:\n    base = load()\nclass SubN(KitN): pass", "SubN.base"),
    ("class KitN:\n    base = load()\n    def get(self): return self.base", "KitN().get()"),
    ("class KitN:\n    def __init__(self): self.base = load()", "KitN().base"),
    (
        "class KitN:\n    def __init__(self, it): self._it = it\n    @property\n    def it(self): return self._it",
        "KitN(load()).it",
    ),
    ("class KitN:\n    @functools.cached_property\n    def it(self): return load()", "KitN().it"),
    (
        "class KitN:\n    @staticmethod\n    def of(x): return x\n    @classmethod\n    def to(cls, x): return cls.of(x)",
        "KitN.to(load())",
    ),
    ("class KitN: pass\nKitN.late = load()", "KitN.late"),
    ("class KitN: pass\nsetattr(KitN, 'late', load())", "KitN.late"),
    ("", "Box(load()).inner"),
    ("", "Box(inner=load()).get()"),
    ("", "Box(load())()"),
    ("", "Box(load())['x']"),
    ("", "Case('x', load()).data"),
    ("", "Case(data=load(), name='x').data"),
    ("", "dataclasses.replace(Case('x', None), data=load()).data"),
    ("", "Pair(load(), 1).left"),
    ("", "Pair(1, load())[1]"),
    ("", "types.SimpleNamespace(it=load()).it"),
    ("", "type('T', (), {'it': load()}).it"),
    ("dataN = load()", "globals()['dataN']"),
    ("dataN = load()", "eval('dataN')"),
    ("dataN = load()", "(dataN if len(NAMES) > 2 else None)"),
    ("dataN = load()", "(None or dataN)"),
    ("dataN = load()\ndef useN(it=dataN): return it", "useN()"),
    ("", "first(*[load(), 1])"),
    ("", "first(*(load(),))"),
    ("", "last(1, load())"),
    ("", "keyed(it=load())"),
    ("", "keyed(**{'it': load()})"),
    ("", "apply(same, load())"),
    ("", "apply(lambda v: v, load())"),
    ("", "functools.reduce(lambda a, b: b, [1, load()])"),
    ("", "list(map(same, [load()]))[0]"),
    ("", "[*map(lambda n: load(), 'a')][0]"),
    ("", "next(filter(None, [load()]))"),
    ("", "operator.itemgetter(0)([load()])"),
    ("", "operator.attrgetter('inner')(Box(load()))"),
    ("", "dict([('a', load())])['a']"),
    ("", "dict(zip('a', [load()]))['a']"),
    ("", "[v for i, v in enumerate([load()])][0]"),
    ("", "max([load()], key=id)"),
    ("", "sorted([load()], key=id)[0]"),
    ("", "list(itertools.chain([load()]))[0]"),
    ("", "collections.deque([load()]).popleft()"),
    ("", "boxed(load())[0]"),
    ("", "[load()][:1][0]"),
    ("", "(load(),)[0]"),
    ("", "Dataset().graph(X).parse(FILE, format='turtle')"),
    ("setN = Dataset()\nsetN.default_context.parse(FILE, format='turtle')", "setN.default_context"),
    ("setN = Dataset()\nsetN.default_context.parse(FILE, format='turtle')", "list(setN.graphs())[0]"),
    ("", "load().resource(X).graph"),
    ("", "(Graph() + load())"),
    ("", "dataclasses.astuple(Case('x', [load()]))[1][0]"),
    ("", "vars(Box(load()))['inner']"),
    ("", "Box(load()).__dict__['inner']"),
    ("", "copy.copy(Box(load())).inner"),
    ("PN = collections.namedtuple('PN', 'a b')", "PN(1, load()).b"),
    ("PN = collections.namedtuple('PN', 'a b')", "PN(b=load(), a=1)[1]"),
    ("", "object.__getattribute__(Box(load()), 'inner')"),
    ("class KitN:\n    def __getattr__(self, name): return load()", "KitN().whatever"),
    ("class KitN:\n    def __iter__(self): return iter([load()])", "[x for x in KitN()][0]"),
    ("class KitN:\n    def __iter__(self): return iter([load()])", "list(KitN())[0]"),
    ("class KitN:\n    def __iter__(self): yield load()", "next(iter(KitN()))"),
    ("class KitN:\n    def __add__(self, other): return load()", "(KitN() + 1)"),
    ("class KitN(dict):\n    def __missing__(self, key): return load()", "KitN()['x']"),
    ("class KitN:\n    def __new__(cls): return load()", "KitN()"),
    ("class MetaN(type):\n    @property\n    def it(cls): return load()\nclass KitN(metaclass=MetaN): pass", "KitN.it"),
    ("class DescN:\n    def __get__(self, one, two): return load()\nclass KitN: it = DescN()", "KitN().it"),
    ("def wrapN(f):\n    def inner(*a): return f(*a)\n    return inner\n@wrapN\ndef makeN(): return load()", "makeN()"),
    ("def giveN(f): return f(load())", "giveN(same)"),
    ("def giveN(f): return f(load())", "giveN(lambda it: it)"),
    ("def giveN(f=load): return f()", "giveN()"),
    ("TABLE_N = {'load': load}\ntableN = TABLE_N", "tableN['load']()"),
    ("makersN = [load, typed]", "[m() for m in makersN][1]"),
    ("makersN = [Graph, Dataset]", "makersN[0]().parse(FILE, format='turtle')"),
    (
        "dataN: Optional[Graph] = None\ndef fillN():\n    global dataN\n    if dataN is None: dataN = load()\nfillN()",
        "dataN",
    ),
    ("for loopN in [load()]: pass", "loopN"),
    ("with contextlib.nullcontext(load()) as withN: pass", "withN"),
    ("try: tryN = load()\nexcept ValueError: tryN = None", "tryN"),
    ("if (walrusN := load()) is not None: pass", "walrusN"),
    ("aN = bN = load()", "bN"),
    ("[aN] = [load()]", "aN"),
    ("aN = load(),", "aN[0]"),
    ("class KitN:\n    g = load()\n    h = [g, g]", "KitN.h[0]"),
    ("class KitN:\n    def fill(self):\n        self.x, self.y = load(), 1\n        return self", "KitN().fill().x"),
    ("class KitN:\n    def fill(self):\n        for self.x in [load()]: pass\n        return self", "KitN().fill().x"),
    (
        "class KitN:\n    def fill(self):\n        with contextlib.nullcontext(load()) as self.x: return self",
        "KitN().fill().x",
    ),
    (
        "class KitN:\n    many = {}\n    def fill(self):\n        self.many['a'] = load()\n        return self",
        "KitN().fill().many['a']",
    ),
    ("def recN(n, it=None): return it if n == 0 else recN(n - 1, it or load())", "recN(3)"),
    ("async def waitN(): return load()\nimport asyncio", "asyncio.run(waitN())"),
    ("from concurrent.futures import ThreadPoolExecutor as PoolN", "PoolN(1).submit(load).result()"),
    (
        "import threading\nboxN = []\ndef fillN(): boxN.append(load())",
        "[threading.Thread(target=fillN).start(), boxN or fillN(), boxN][2][0]",
    ),
    ("", "functools.reduce(operator.add, [Graph(), load()])"),
    ("", "sum([load()], start=Graph())"),
    ("", "Graph(store=load().store)"),
    ("", "rdflib.graph.ReadOnlyGraphAggregate([load()])"),
    ("", "Graph().parse(data=open(FILE).read(), format='turtle')"),
    ("", "Graph().parse(data=load().serialize(format='nt'), format='nt')"),
    ("from pathlib import Path as PathN", "Graph().parse(PathN('.') / FILE, format='turtle')"),
    ("from pathlib import Path as PathN", "[Graph().parse(p, format='turtle') for p in PathN('.').glob('*.ttl')][0]"),
    ("", "Graph().parse(**{'source': FILE, 'format': 'turtle'})"),
    ("", "Graph().__iadd__(load())"),
    ("", "load().add((X, X, X))"),
    ("", "load().skolemize()"),
    ("", "load().collection(X).graph"),
    ("", "load().query('CONSTRUCT WHERE { ?s a ?o }').graph"),
    ("@pytest.fixture\ndef givenN(request): return load()", "givenN"),
    ("@pytest.fixture(name='givenN')\ndef otherN(): return load()", "givenN"),
    ("fixtureN = pytest.fixture\n@fixtureN\ndef givenN(): return load()", "givenN"),
    ("@pytest.fixture\ndef givenN(): return [load(), load()]", "givenN[1]"),
    ("@pytest.fixture\ndef givenN(): return Case('x', load())", "givenN.data"),
    ("@pytest.fixture\ndef givenN(): return lambda: load()", "givenN()"),
    ("@pytest.fixture\ndef givenN(): return load()", "givenN"),
    ("@pytest.fixture\ndef givenN():\n    yield load()", "givenN"),
    (
        "@pytest.fixture\ndef innerN(): return {'it': load()}\n@pytest.fixture\ndef givenN(innerN): return innerN['it']",
        "givenN",
    ),
    ("@pytest.fixture\ndef innerN(): return load\n@pytest.fixture\ndef givenN(innerN): return innerN()", "givenN"),
    ("@pytest.fixture\ndef givenN():\n    def make(x=None): return x or load()\n    return make", "givenN()"),
]

# What may happen to the graph on its way.
HOPS = [
    "same(G)",
    "[G][0]",
    "(1, G)[1]",
    "{'k': G}['k']",
    "(lambda v: v)(G)",
    "(lambda *v: v[0])(G)",
    "first(G, 2)",
    "Box(G).inner",
    "next(iter([G]))",
    "(G if X else None)",
    "[x for x in [G]][0]",
    "apply(same, G)",
    "partial(same, G)()",
    "(G or None)",
    "first(value=G)",
]

# How it is read. `Z` is what the test does, `G` the graph.
ACCESSES = [
    "list(G.objects(X, RDFS.subClassOf))",
    "list(G.subjects(RDF.type / RDFS.subClassOf, X))",
    "list(G.objects(X, ~RDFS.subClassOf))",
    "list(G.objects(X, up(RDFS.subClassOf)))",
    "list(G[EX.one : RDF.type / (RDFS.subClassOf * '*')])",
    "G.value(X, RDFS.label)",
    "read = G.value; read(X, RDFS.label)",
    "getattr(G, 'value')(X, RDFS.label)",
    "getattr(G, NAMES[0])(X, RDFS.label)",
    "partial(G.value, X)(RDFS.label)",
    "operator.methodcaller('value', X, RDFS.label)(G)",
    "Graph.value(G, X, RDFS.label)",
    "list(map(G.value, [X], [RDFS.label]))",
    "label(G, X)",
    "label(what=X, where=G)",
    "label(*[G, X])",
    "follow(G, X, RDFS.subClassOf / RDFS.subClassOf)",
    "follow(G, X, path=~RDFS.subClassOf)",
    "follow(G, EX.one, RDF.type)",
    "[follow(G, x, RDF.type) for x in G.subjects(RDF.type, OWL.Class)]",
    "ask(G, 'SELECT ?x { ?x a <http://www.w3.org/2002/07/owl#Class> }')",
    "G.update('INSERT { ?x a <urn:n> } WHERE { ?x a <http://www.w3.org/2002/07/owl#Class> }')",
    "list(diff(G, Graph()))",
    "list(each(G))",
    "deep(G)",
    "(X, RDF.type / RDFS.subClassOf, None) in G",
    "(X, RDFS.label, None) in G",
    "len(G)",
    "[s for s, _, _ in G if s == X]",
    "dict(G.subject_objects(RDFS.label))",
    "sorted(G)",
    "set(G) & set()",
    "assert G",
    "G - Graph()",
    "G & G",
    "G.isomorphic(Graph())",
    "list(G.triples((X, None, None)))",
    "wanted = (None, RDFS.label, None); list(G.triples(wanted))",
    "list(G.items(EX.L))",
    "list(G.collection(EX.L))",
    "G.resource(X).value(RDFS.label)",
    "[x.value(RDFS.label) for x in G.resource(X).objects(RDFS.subClassOf)]",
    "list(G.transitive_objects(X, RDFS.subClassOf))",
    "k = Graph(); k += G; k.value(X, RDFS.label)",
    "for s, p, o in G: (s, RDFS.label, None) in Graph()",
    "G.serialize(format='nt')",
    "h = G\n    for x in h.objects(X): list(h.objects(x, RDFS.label))",
    "def inner(): return list(kept.objects(X))\n    kept = G\n    inner()",
    "class Local:\n        it = G\n    list(Local.it.objects(X))",
    "try:\n        it = G\n    finally:\n        it.value(X, RDFS.label)",
    "while True:\n        it = G\n        break\n    it.value(X, RDFS.label)",
    "with contextlib.nullcontext(G) as it: list(it.objects(X))",
    "with Box(G) as it: list(it.objects(X))",
    "match G:\n        case it: list(it.objects(X))",
    "it, *_ = [G]; list(it.objects(X))",
    "paths = [RDF.type, RDFS.subClassOf]\n    for p in paths: list(G.objects(X, p))",
    "p = RDF.type\n    p = p / RDFS.subClassOf\n    list(G.objects(EX.one, p))",
    "p = RDF.type\n    p /= RDFS.subClassOf\n    list(G.objects(EX.one, p))",
    "paths = {}\n    paths['a'] = RDF.type / RDFS.subClassOf\n    list(G.objects(EX.one, paths['a']))",
    "eval('it.value(X, RDFS.label)', globals(), {'it': G})",
    "it = G\n    exec('list(it.objects(X))')",
    "'%s and more' % G.value(X, RDFS.label)",
    "{G.value(x, RDFS.label): 1 for x in [X]}",
    "any(x == X for x in G.subjects(RDF.type))",
    "print(*G.objects(X))",
    "list(reversed(list(G)))",
    "copy.copy(G).value(X, RDFS.label)",
    "G.value(X, p) if (p := RDFS.label) else 0",
    "q = 'SELECT ?x { ?x a ?y }'\n    q = q.replace('a', '<%s>' % RDFS.label)\n    list(G.query(q))",
    "t = X, RDFS.label, None\n    list(G.triples(t))",
    "list(G.triples(tuple([X, None, None])))",
    "list(G.predicate_objects(subject=G.value(predicate=RDF.type, object=OWL.Class)))",
    "list(rdflib.compare.to_isomorphic(G)) if hasattr(rdflib, 'compare') else list(G)",
    "Collection = rdflib.collection.Collection; len(Collection(G, EX.L))",
    "r = rdflib.resource.Resource(G, X); r[RDFS.subClassOf : EX.Food]",
    "list(G.resource(X)[RDF.type / RDFS.label])",
    "next(G.resource(X).objects(RDFS.subClassOf)).value(RDFS.label)",
    "s = {'a': G}; [list(v.objects(X)) for v in s.values()]",
    "s = {'a': G}; [list(v.objects(X)) for _, v in s.items()]",
    "s = [G]; s += [Graph()]; list(s[0].objects(X))",
    "s = [G] * 2; list(s[1].objects(X))",
    "s = []; s.insert(0, G); list(s.pop().objects(X))",
    "s = collections.defaultdict(list); s['a'].append(G); list(s['a'][0].objects(X))",
    "s = set(); s.add(G); list(s.pop().objects(X))",
    "a = b = G; list(b.objects(X))",
    "f = lambda g=G: list(g.objects(X)); f()",
    "def f(*, it): return list(it.objects(X))\n    f(it=G)",
    "def f(*its): return [list(i.objects(X)) for i in its]\n    f(G, Graph())",
    "def f(**its): return [list(i.objects(X)) for i in its.values()]\n    f(a=G)",
    "def f(its): return [list(i.objects(X)) for i in its]\n    f([G])",
    "def f(a, /, b): return list(b.objects(X))\n    f(1, G)",
    "box = Box(None); box.inner = G; list(box.get().objects(X))",
    "box = Box(G); list(box.inner.objects(X))",
    "box = types.SimpleNamespace(); box.it = G; list(box.it.objects(X))",
    "box = {}; box['a'] = box['b'] = G; list(box['b'].objects(X))",
    "[list(i.objects(X)) for i, _ in zip([G], 'a')]",
    "[list(i.objects(X)) for i in itertools.islice([G], 1)]",
    "all(len(i) for i in (G,))",
    "len([1 for _ in G])",
    "list(filter(lambda t: t[0] == X, G))",
    "sum(1 for _ in G)",
    "tuple(G)[:1]",
    "it = iter(G); next(it)",
    "{*G}",
    "print(*G)",
    "G == G",
    "a, *b = G",
    "pytest.approx(len(G))",
    "list(G.query(query_object='ASK { ?x a <%s> }' % X))",
    "list(G.query(**{'query_object': 'SELECT ?x { ?x a ?y }'}))",
    "G.query('SELECT ?l { ?x ?p ?l }', initBindings={'x': X, 'p': RDFS.label}).bindings",
    "from rdflib.plugins.sparql import prepareQuery; list(G.query(prepareQuery('SELECT ?x { ?x a ?y }')))",
    "G.update(update_object='DELETE { ?x ?p ?o } WHERE { ?x ?p ?o }')",
    "text = 'INSERT { ?x a <urn:n> } WHERE { ?x <%s> ?l }'\n    G.update(text % RDFS.label)",
    "list(G.objects(*(X, RDFS.subClassOf / RDFS.subClassOf)))",
    "list(G.objects(X, RDFS['sub' + 'ClassOf'] / RDFS.label))",
    "list(G.objects(X, getattr(RDFS, 'label')))",
    "list(G.objects(URIRef(str(X)), None))",
    "list(G.objects(X, functools.reduce(operator.truediv, [RDFS.subClassOf] * 2)))",
    "p = RDFS.subClassOf\n    for _ in range(2): p = p | ~RDFS.subClassOf\n    list(G.objects(X, p))",
    "class P: up = RDFS.subClassOf / RDFS.subClassOf\n    list(G.objects(EX.Margherita, P.up))",
    "def path(): return RDF.type / RDFS.subClassOf\n    list(G.objects(EX.one, path()))",
    "list(G.objects(EX.one, eval('RDF.type / RDFS.subClassOf')))",
    "if (hop := G) is not None: hop.value(X, RDFS.label)",
    "it = G; del it",
    "(lambda it: list(it.objects(X)))(G)",
    "g1, g2 = G, Graph(); list(g1 ^ g2)",
    "list((G).query('SELECT ?x { ?x ?p ?o }'))",
    "store = pyoxigraph.Store(); [store.add(q) for q in ()]; G.value(X, RDFS.label)",
]


def module(random: Random, count: int, file: str) -> tuple[str, list[str]]:
    """A module with this many tests, and the program of each."""
    parts, programs = [_HEAD], []
    for number in range(count):
        source, graph = random.choice(SOURCES)
        source, graph = _numbered(source, number), _numbered(graph, number)
        for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
            graph = _filled(random.choice(HOPS), graph)
        bodies = [_filled(access, graph) for access in random.sample(ACCESSES, random.choice((1, 1, 2)))]
        given = f"given{number}" if f"given{number}" in graph else ""
        program = f"{source}\ndef test_{number}({given}):\n" + "".join(f"    {body}\n" for body in bodies)
        parts.append(program)
        programs.append(program)
    return "\n".join(parts).replace("FILE", repr(file)), programs


def _numbered(code: str, number: int) -> str:
    """`dataN` as `data7`: an N at the end of a name."""
    words = []
    for index, character in enumerate(code):
        before, after = code[index - 1 : index], code[index + 1 : index + 2]
        is_end = character == "N" and before.islower() and not after.isalnum()
        words.append(str(number) if is_end else character)
    return "".join(words)


def _filled(template: str, graph: str) -> str:
    """The template with the expression in place of each G."""
    pieces = []
    for index, character in enumerate(template):
        before, after = template[index - 1 : index], template[index + 1 : index + 2]
        is_name = character == "G" and not (before.isalnum() or after.isalnum() or before == "_")
        pieces.append(graph if is_name else character)
    return "".join(pieces)

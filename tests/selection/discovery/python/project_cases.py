"""Small projects of several files, in which tests read a graph in ways that no name in the test shows.

`#--- FILE` begins another file than the test file. FILE in capitals is the name of the ontology file.
"""

# ruff: noqa: E501 - one line is one test
from __future__ import annotations

__all__ = ["HEAD", "PROJECTS"]

HEAD = """
import asyncio, contextlib, enum, functools, pytest, sys
from importlib import import_module
from pathlib import Path
from rdflib import Graph, Namespace, URIRef, RDF, RDFS, OWL
EX = Namespace("http://example.org/pizza#")
X = EX.Pizza
def label(): return Graph().parse(FILE).value(X, RDFS.label)
"""

PROJECTS = {
    "registered": """
RULES, BY = [], {}
def rule(f): RULES.append(f); return f
def named(name):
    def deco(f): BY[name] = f; return f
    return deco
class Routes:
    def __init__(self): self.all = {}
    def get(self, path):
        def deco(f): self.all[path] = f; return f
        return deco
    def __call__(self, f): self.all[f.__name__] = f; return f
routes = Routes()
class Check:
    kinds = []
    def __init_subclass__(cls): Check.kinds.append(cls)
class LabelCheck(Check):
    def run(self): return label()
class Plain: pass
class Below(Plain):
    def run(self): return label()
@rule
def one(): return label()
@named("a")
def two(): return label()
@routes.get("/label")
def three(): return label()
@routes
def four(): return label()
@functools.singledispatch
def show(x): return x
@show.register
def _(x: int): return label()
@show.register(str)
def _text(x): return label()
def test_list(): assert RULES[0]()
def test_dict(): assert BY["a"]()
def test_route(): assert routes.all["/label"]()
def test_object(): assert routes.all["four"]()
def test_init_subclass(): assert Check.kinds[0]().run()
def test_subclasses(): assert Plain.__subclasses__()[0]().run()
def test_dispatch(): assert show(1)
def test_dispatch_by_class(): assert show("a")
""",
    "registered_elsewhere": """
from appNN import app
from toolsNN import plugins
def test_route(): assert app.call("/label")
def test_plugin(): assert plugins.ALL["it"]()
#--- appNN/__init__.py
class App:
    def __init__(self): self.routes = {}
    def get(self, path): return lambda f: self.routes.setdefault(path, f)
    def call(self, path): return self.routes[path]()
app = App()
from . import routes
#--- appNN/routes.py
from . import app
from rdflib import Graph, RDFS, URIRef
@app.get("/label")
def label(): return Graph().parse(FILE).value(URIRef("http://example.org/pizza#Pizza"), RDFS.label)
#--- toolsNN/__init__.py
from . import plugins, mine
#--- toolsNN/plugins.py
ALL = {}
def plugin(name):
    def deco(f): ALL[name] = f; return f
    return deco
#--- toolsNN/mine.py
from . import plugins
from rdflib import Graph, RDFS, URIRef
@plugins.plugin("it")
def label(): return Graph().parse(FILE).value(URIRef("http://example.org/pizza#Pizza"), RDFS.label)
""",
    "packages": """
from pkgNN import api
import pkgNN.sub.deep
def test_reexported(): assert api.label()
def test_chain(): assert pkgNN.sub.deep.go()
def test_import_module(): assert import_module("pkgNN.sub.deep").go()
def test_import_relative(): assert import_module(".deep", "pkgNN.sub").go()
def test_import_part(): assert getattr(import_module("pkgNN"), "api").label()
def test_lazy(): assert pkgNN.lazy
def test_run_path():
    import runpy; assert runpy.run_path(str(Path(__file__).with_name("scriptNN.py")))["out"]
def test_spec():
    import importlib.util as u
    s = u.spec_from_file_location("scr", Path(__file__).with_name("scriptNN.py")); m = u.module_from_spec(s); s.loader.exec_module(m); assert m.out
def test_exec():
    names = {}; exec(Path(__file__).with_name("scriptNN.py").read_text(), names); assert names["out"]
def test_eval(): assert eval("api.label()")
def test_text():
    from pkgutil import resolve_name
    assert resolve_name("pkgNN.sub.deep:go")()
#--- scriptNN.py
from rdflib import Graph, RDFS, URIRef
out = Graph().parse(FILE).value(URIRef("http://example.org/pizza#Pizza"), RDFS.label)
#--- pkgNN/__init__.py
from . import api
def __getattr__(name):
    if name == "lazy": return api.label()
    raise AttributeError(name)
#--- pkgNN/api.py
from .sub import deep
def label(): return deep.go()
#--- pkgNN/sub/__init__.py
#--- pkgNN/sub/deep.py
from rdflib import Graph, RDFS, URIRef
def go(): return Graph().parse(FILE).value(URIRef("http://example.org/pizza#Pizza"), RDFS.label)
""",
    "hooks": """
def test_set_up(): pass
def test_generated(above): assert above
#--- conftest.py
import pytest
from rdflib import Graph, RDFS, URIRef
PIZZA = URIRef("http://example.org/pizza#Pizza")
def pytest_generate_tests(metafunc):
    if "above" in metafunc.fixturenames:
        metafunc.parametrize("above", list(Graph().parse(FILE).objects(PIZZA, RDFS.subClassOf)))
def pytest_runtest_setup(item):
    if Graph().parse(FILE).value(PIZZA, RDFS.label) is None: pytest.skip("no label")
""",
    "hook_that_shares": """
def test_built_in():
    import builtins; assert builtins.KGNN.value(X, RDFS.label)
#--- conftest.py
import builtins
from rdflib import Graph
def pytest_collection_modifyitems(items): builtins.KGNN = Graph().parse(FILE)
""",
    "checked_at_import": """
from helpNN import g
assert g.value(X, RDFS.label)
if (X, RDFS.subClassOf, None) not in g: pytest.skip("not below", allow_module_level=True)
def test_it(): assert 1
#--- helpNN.py
from rdflib import Graph, RDFS, URIRef
g = Graph().parse(FILE)
if not list(g.subjects(RDFS.subClassOf, URIRef("http://example.org/pizza#Food"))): raise ValueError("no food")
""",
    "set_at_import": """
import storeNN
def test_it(): assert storeNN.get().value(X, RDFS.label)
#--- storeNN.py
graph = None
def get(): return graph
#--- conftest.py
import storeNN
from rdflib import Graph
storeNN.graph = Graph().parse(FILE)
""",
    "fixtures": """
from baseNN import Base
@pytest.fixture
def fgraph(): return Graph().parse(FILE)
@pytest.fixture
def given(): return Graph().parse(FILE)
@pytest.fixture(params=["fgraph"])
def via(request): return request.getfixturevalue(request.param)
@pytest.fixture
def after():
    yield
    assert label()
@pytest.fixture(scope="class")
def on_class(request): request.cls.kg = Graph().parse(FILE)
def test_built_name(request): assert request.getfixturevalue(request.node.name.replace("test_built_name", "fgraph")).value(X, RDFS.label)
def test_via(via): assert via.value(X, RDFS.label)
def test_after(after): pass
class TestInherited(Base): pass
@pytest.mark.usefixtures("on_class")
class TestOnClass:
    def test_it(self): assert self.kg.value(X, RDFS.label)
class TestOwn:
    @pytest.fixture(autouse=True)
    def _set(self, tmp_path): self.local = Graph().parse(FILE)
    def test_it(self): assert self.local.value(X, RDFS.label)
#--- baseNN.py
from rdflib import RDFS, URIRef
class Base:
    def test_inherited(self, given): assert given.value(URIRef("http://example.org/pizza#Pizza"), RDFS.label)
""",
    "terms": """
g = Graph().parse(FILE)
def test_base(): assert g.value(URIRef("#Pizza", base="http://example.org/pizza"), RDFS.label)
def test_prefixes():
    import pyoxigraph
    s = pyoxigraph.Store(); s.load(path=FILE, format=pyoxigraph.RdfFormat.TURTLE)
    assert list(s.query("SELECT ?l { ?x rdfs:label ?l }", prefixes={"rdfs": str(RDFS)}))
""",
    "orders": """
g = Graph().parse(FILE)
TERMS = [RDFS.comment, RDFS.label]
def test_a(): assert g.value(X, sorted(TERMS)[1])
def test_b(): assert g.value(X, list(reversed(TERMS))[0])
def test_c(): assert g.value(X, [t for t in TERMS if "lab" in t][0])
def test_d(): assert [g.value(X, t) for t in set(TERMS)]
def test_e(): assert g.value(X, list({RDFS.label, RDFS.label})[0])
def test_f(): assert g.value(X, max(TERMS, key=len)) or g.value(X, max(TERMS))
def test_g(): assert g.value(X, dict(zip("ab", TERMS))["b"])
def test_h(): assert g.value(X, {t: t for t in TERMS}[RDFS.label])
def test_i(): assert g.value(X, next(t for t in TERMS if t.endswith("label")))
def test_j(): assert g.value(X, next(filter(lambda t: t.endswith("label"), TERMS)))
def test_k(): assert g.value(X, TERMS[TERMS.index(RDFS.label)])
def test_l():
    a, b = sorted(TERMS); assert g.value(X, b)
def test_m():
    a, b = {RDFS.label, RDFS.comment}; assert g.value(X, b) or g.value(X, a)
def test_n():
    for i, t in enumerate(sorted(TERMS)): g.value(X, t)
def test_o(): assert g.value(X, [*sorted(TERMS)][1])
def test_p(): assert g.value(*[X, *TERMS[1:]])
def test_q(): assert g.value(X, (TERMS + [X])[1])
def test_r(): assert g.value(X, (TERMS * 2)[3])
def test_s(): assert g.value(X, [t for ts in [TERMS] for t in ts][1])
def test_t(): assert g.value(X, TERMS[-1:][0])
def test_u(): assert g.value(X, TERMS.__getitem__(1))
def test_v(): assert g.value(X, URIRef(str(sorted(map(str, TERMS))[1])))
def test_w(): assert list(g.query("SELECT ?l { ?x <%s> ?l }" % sorted(TERMS)[1]))
def test_x(): assert list(g.query("SELECT ?l { VALUES ?p { %s } ?x ?p ?l }" % " ".join(t.n3() for t in TERMS if "lab" in t)))
def test_y(): assert [list(g.query(f"SELECT ?l {{ ?x <{t}> ?l }}")) for t in sorted(TERMS)]
def test_z(): assert list(g.query("".join(["SELECT ?l { ?x ", *sorted([RDFS.label.n3()]), " ?l }"])))
""",
    "case_files": """
import json
CFG = json.loads((Path(__file__).parent / "cfg.json").read_text())
g = Graph().parse(FILE)
def test_a(): assert g.value(URIRef(CFG["terms"][0]), URIRef(CFG["p"]))
def test_b(): assert [g.value(URIRef(t), RDFS.label) for t in CFG["terms"]]
def test_c(): assert [list(g.query(q)) for q in CFG["queries"].values()]
@pytest.mark.parametrize("q", CFG["queries"].values(), ids=CFG["queries"])
def test_d(q): assert list(g.query(q))
@pytest.mark.parametrize("name,q", CFG["queries"].items())
def test_e(name, q): assert list(g.query(q))
@pytest.mark.parametrize("c", CFG["cases"], ids=lambda c: c["name"])
def test_f(c): assert g.value(URIRef(c["s"]), URIRef(c["p"]))
def test_g():
    cfg = json.loads((Path(__file__).parent / "cfg.json").read_text()); cfg["p"] = str(RDFS.subClassOf); assert g.value(X, URIRef(cfg["p"]))
def test_h():
    with (Path(__file__).parent / "cfg.json").open() as f: cfg = json.load(f)
    cfg.update(p=str(RDFS.subClassOf)); assert g.value(X, URIRef(cfg["p"]))
def load(name):
    with open(Path(__file__).parent / name) as f: return json.load(f)
def test_i(): assert g.value(URIRef(load("cfg.json")["terms"][0]), RDFS.label)
@pytest.fixture
def cfg(): return load("cfg.json")
def test_j(cfg): assert g.value(URIRef(cfg["terms"][0]), URIRef(cfg["p"]))
def test_k(cfg):
    for c in cfg["cases"]: assert g.value(URIRef(c["s"]), URIRef(c["p"]))
def test_l(cfg):
    for k, v in cfg.items():
        if k == "p": assert g.value(X, URIRef(v))
#--- cfg.json
{"terms": ["http://example.org/pizza#Pizza"], "p": "http://www.w3.org/2000/01/rdf-schema#label", "queries": {"a": "SELECT ?l { ?x <http://www.w3.org/2000/01/rdf-schema#label> ?l }"}, "cases": [{"name": "n", "s": "http://example.org/pizza#Pizza", "p": "http://www.w3.org/2000/01/rdf-schema#subClassOf"}]}
""",
    "star": """
#--- test_star_NN.py
from rdflib import *
g = Graph().parse(FILE)
def test_star(): assert g.value(Namespace("http://example.org/pizza#").Pizza, RDFS.label)
""",
}

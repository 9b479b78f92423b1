"""Queries in Python tests, built and passed in many ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..finding import find, terms
from .python_files import FOOD, HEAD, PIZZA, found, the_test


@pytest.mark.parametrize(
    "code",
    [
        f'def test_it(): graph.query("{PIZZA}")',
        f'Q = "{PIZZA}"\ndef test_it(): graph.query(Q)',
        f'def test_it():\n q = "{PIZZA}"\n graph.query(q)',
        f'def test_it(): graph.query("""\n {PIZZA}\n""")',
        f'import textwrap\ndef test_it(): graph.query(textwrap.dedent("""\n {PIZZA}\n"""))',
        'P = "PREFIX e: <http://example.org/pizza#> "\ndef test_it(): graph.query(P + "SELECT ?x { ?x a e:Pizza }")',
        'P = "PREFIX e: <http://example.org/pizza#> "\ndef test_it(): graph.query(f"{P} SELECT ?x {{ ?x a e:Pizza }}")',
        'T = "SELECT ?x {{ ?x a <{c}> }}"\ndef test_it(): graph.query(T.format(c=EX.Pizza))',
        'T = "SELECT ?x { ?x a <%s> }"\ndef test_it(): graph.query(T % EX.Pizza)',
        'T = "SELECT ?x { ?x a %s }"\ndef test_it(): graph.query(T % EX["Pizza"].n3())',
        'def test_it(): graph.query("\\n".join(["SELECT ?x {", "?x a <http://example.org/pizza#Pizza>", "}"]))',
        'def test_it(): graph.query("SELECT ?x { ?x a CLS }".replace("CLS", "<http://example.org/pizza#Pizza>"))',
        f'class Q:\n PIZZA = "{PIZZA}"\ndef test_it(): graph.query(Q.PIZZA)',
        f'import enum\nclass Q(enum.Enum):\n PIZZA = "{PIZZA}"\ndef test_it(): graph.query(Q.PIZZA.value)',
        f'def helper(): return graph.query("{PIZZA}")\ndef test_it(): assert helper()',
        f'def ask(q): return graph.query(q)\ndef test_it(): assert ask("{PIZZA}")',
        f'def ask(q): return graph.query(q)\ndef both(q): return ask(q)\ndef test_it(): assert both("{PIZZA}")',
        f'def ask(g, *, query): return g.query(query)\ndef test_it(): assert ask(graph, query="{PIZZA}")',
        'def every(cls): return graph.query(f"SELECT ?x {{ ?x a <{cls}> }}")\ndef test_it(): every(EX.Pizza)',
        'def every(cls):\n q = "SELECT ?x { ?x a <%s> }" % cls\n return graph.query(q)\ndef test_it(): every(EX.Pizza)',
        'def text(cls): return f"SELECT ?x {{ ?x a <{cls}> }}"\ndef test_it(): graph.query(text(EX.Pizza))',
        'def query(body): return graph.query("PREFIX e: <http://example.org/pizza#> " + body)\n'
        'def test_it(): query("SELECT ?x { ?x a e:Pizza }")',
        'class Client:\n def ask(self, body): return self.g.query("PREFIX e: <http://example.org/pizza#> " + body)\n'
        'def test_it(): Client().ask("SELECT ?x { ?x a e:Pizza }")',
        f'@pytest.mark.parametrize("q", ["{PIZZA}"])\ndef test_it(q): graph.query(q)',
        f'@pytest.mark.parametrize("q,check", [pytest.param("{PIZZA}", lambda r: r, id="x")])\n'
        "def test_it(q, check): graph.query(q)",
        f'CASES = [("{PIZZA}", print)]\n@pytest.mark.parametrize(("q", "f"), CASES)\ndef test_it(q, f): graph.query(q)',
        f'QS = {{"a": "{PIZZA}"}}\n@pytest.mark.parametrize("n", QS)\ndef test_it(n): graph.query(QS[n])',
        f'QS = {{"a": "{PIZZA}"}}\ndef test_it():\n for name, q in QS.items(): graph.query(q)',
        f'QS = ["{PIZZA}"]\ndef test_it(): [graph.query(q) for q in QS]',
        f'@pytest.fixture\ndef q(): return "{PIZZA}"\ndef test_it(q): graph.query(q)',
        f'@pytest.fixture(params=["{PIZZA}"])\ndef q(request): return request.param\ndef test_it(q): graph.query(q)',
        "@pytest.fixture\ndef ask(graph):\n def run(q): return graph.query(q)\n return run\n"
        f'def test_it(ask): ask("{PIZZA}")',
        f'@pytest.fixture(autouse=True)\ndef first(): graph.query("{PIZZA}")\ndef test_it(): pass',
        f'@pytest.fixture\ndef first(): graph.query("{PIZZA}")\n@pytest.mark.usefixtures("first")\ndef test_it(): pass',
        f'@pytest.fixture\ndef q(): return "{PIZZA}"\ndef test_it(request): graph.query(request.getfixturevalue("q"))',
        f'def setup_module(): graph.query("{PIZZA}")\ndef test_it(): pass',
        'graph.bind("pz", EX)\ndef test_it(): graph.query("SELECT ?x { ?x a pz:Pizza }")',
        'def test_it(): graph.query("SELECT ?x { ?x a zz:Pizza }", initNs={"zz": EX})',
        f'async def test_it(): await client.query("{PIZZA}")',
        "from SPARQLWrapper import SPARQLWrapper\ndef test_it():\n s = SPARQLWrapper(URL)\n"
        f' s.setQuery("{PIZZA}")\n s.query()',
    ],
)
def test_a_query_is_found_in_any_form(tmp_path: Path, code: str) -> None:
    test = the_test(tmp_path, code)
    assert (terms(test), test.unseen) == ({"type", "Pizza"}, ())


@pytest.mark.parametrize(
    "code",
    [
        'def test_it(): graph.query(open("queries/p.rq").read())',
        'def test_it():\n with open("queries/p.rq") as f: graph.query(f.read())',
        'def test_it(): graph.query((Path(__file__).parent / "queries" / "p.rq").read_text())',
        "HERE = Path(__file__).resolve().parent\n"
        'def test_it(): graph.query((HERE / "queries/p.rq").read_text().strip())',
        "import os\nHERE = os.path.dirname(__file__)\n"
        'def test_it(): graph.query(open(os.path.join(HERE, "queries", "p.rq")).read())',
        'def read(name): return (Path("queries") / name).read_text()\ndef test_it(): graph.query(read("p.rq"))',
        'def test_it(): run_file("queries/p.rq")',
        'def test_it():\n for file in sorted(Path("queries").glob("*.rq")): graph.query(file.read_text())',
        '@pytest.mark.parametrize("file", Path("queries").glob("*.rq"))\n'
        "def test_it(file): graph.query(file.read_text())",
        "from queries import PIZZAS\ndef test_it(): graph.query(PIZZAS)",
        "from queries import PIZZAS as ALL\ndef test_it(): graph.query(ALL)",
        "import queries\ndef test_it(): graph.query(queries.PIZZAS)",
        "import queries as q\ndef test_it(): graph.query(q.PIZZAS)",
        "from queries import *\ndef test_it(): graph.query(PIZZAS)",
        "from queries.more import PIZZAS\ndef test_it(): graph.query(PIZZAS)",
        "from queries import count\ndef test_it(): assert count() == 3",
        "from queries import Menu\ndef test_it(): assert Menu().pizzas()",
    ],
)
def test_queries_in_other_files(tmp_path: Path, code: str) -> None:
    files = {
        "queries/p.rq": PIZZA,
        "queries/__init__.py": "from .more import PIZZAS, count, Menu\n",
        "queries/more.py": f'PIZZAS = "{PIZZA}"\ndef count(): return len(store.query(PIZZAS))\n'
        "class Menu:\n    def pizzas(self): return store.query(PIZZAS)\n",
    }
    suite = find(tmp_path, {"test_a.py": HEAD + code, **files})
    test = found(suite)["test_it"]
    assert (terms(test), test.unseen) == ({"type", "Pizza"}, ())


def test_fixtures_of_conftest_files_and_plugins(tmp_path: Path) -> None:
    files = {
        "conftest.py": f"import pytest\npytest_plugins = ['plug']\n@pytest.fixture\ndef q(): return '{PIZZA}'\n",
        "plug.py": f"import pytest\n@pytest.fixture(name='other')\ndef made(): return '{FOOD}'\n",
        "sub/conftest.py": "import pytest\n@pytest.fixture\ndef ask(graph):\n return lambda text: graph.query(text)\n",
        "sub/test_a.py": "def test_q(graph, q): graph.query(q)\ndef test_o(graph, other): graph.query(other)\n",
        "test_b.py": "def test_q(graph, q): graph.query(q)\n",
    }
    tests = found(find(tmp_path, files))
    assert {name: (terms(test), test.unseen) for name, test in tests.items()} == {
        "test_q": ({"type", "Pizza"}, ()),
        "test_o": ({"Food"}, ()),
    }


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def test_it(cls): graph.query(f'SELECT ?x {{ ?x a <{cls}> }}')", "a query is built"),
        ("def test_it(cls): graph.query('SELECT ?x { ?x a <%s> }' % cls)", "a query is built"),
        ("def test_it(cls): graph.query('SELECT ?x {{ ?x a <{}> }}'.format(cls))", "a query is built"),
        ("def test_it(cls): graph.query('SELECT ?x { ?x a <' + cls + '> }')", "a query is built"),
        ("def test_it(): graph.query(make())", "a query is built"),
        ("from app.queries import Q\ndef test_it(): graph.query(Q)", "a query is built"),
        ("def test_it(): run_query(x.y)", "a query is built"),
        ("def test_it(): sparql(load('missing.rq'))", "a query is built"),
        ("Q = []\nQ.append('x')\ndef test_it():\n for q in Q: graph.query(q)", "a query is built"),
        ("def test_it():\n q = 'SELECT'\n q += x\n graph.query(q)", "a query is built"),
        ("def ask(q): return graph.query(q)\ndef test_it(x): ask(x)", "a query is built"),
        ("def ask(q):\n q = q + x\n return graph.query(q)\ndef test_it(): ask('ASK {}')", "a query is built"),
        ("def ask(q): return graph.query(q)\ndef test_it(): list(map(ask, x))", "a query is passed on"),
        ("def test_it(n): check(f'http://example.org/pizza#{n}')", "an IRI is built"),
        ("def test_it(n): check('ex:' + n)", "an IRI is built"),
        ("def test_it(n): check(f'GO:{n}')", "an IRI is built"),
        ("def test_it(n): check(EX[n])", "an IRI is built"),
        ("def test_it(n): check(getattr(EX, n))", "an IRI is built"),
        ("def test_it(): graph.query('SELECT ?x { ?x a }')", "this is not a SPARQL query"),
        ("def test_it(): graph.query('SELECT ?x { ?x a <{cls}> }')", "the query is a template"),
        ("def test_it(): assert graph", "it uses a graph, but names no query and no term"),
        ("def test_it(): check('data/pizza.ttl')", "it uses a graph, but names no query and no term"),
        ("def test_it(sparql_client): sparql_client.go()", "it uses a graph, but names no query and no term"),
    ],
)
def test_reasons_for_unknown_uses(tmp_path: Path, code: str, reason: str) -> None:
    test = the_test(tmp_path, code)
    assert test.unseen
    assert all(told.startswith(f"cannot see what this test uses: {reason}") for told in test.unseen), test.unseen


def test_reasons_name_the_line_and_another_file(tmp_path: Path) -> None:
    files = {
        "test_a.py": "from support import ask\ndef test_a(x):\n    graph.query(x)\ndef test_b(): ask()\n",
        "support.py": "\ndef ask():\n    graph.query(make())\n",
    }
    tests = found(find(tmp_path, files))
    assert tests["test_a"].unseen[0].endswith("when the test runs (line 3)")
    assert tests["test_b"].unseen[0].endswith("when the test runs (support.py, line 3)")
    assert (tests["test_a"].line, tests["test_b"].line) == (2, 4)


def test_an_inherited_method_uses_the_query_of_each_class(tmp_path: Path) -> None:
    code = HEAD + "class Base:\n q = None\n def test_it(self): graph.query(self.q)\n"
    code += f"class TestPizza(Base):\n q = '{PIZZA}'\nclass TestFood(Base):\n q = '{FOOD}'\n"
    tests = found(find(tmp_path, {"test_a.py": code}))
    assert {name: terms(test) for name, test in tests.items()} == {
        "TestFood::test_it": {"Food"},
        "TestPizza::test_it": {"type", "Pizza"},
    }
    assert not any(test.unseen for test in tests.values())


def test_a_text_can_be_a_part_in_one_test_and_a_template_in_another(tmp_path: Path) -> None:
    code = HEAD + "T = 'SELECT ?x {{ ?x a <{c}> }}'\n"
    code += "def test_a(): graph.query(T.format(c=EX.Pizza))\ndef test_b(): go(T)\n"
    tests = found(find(tmp_path, {"test_a.py": code}))
    assert tests["test_a"].unseen == ()
    assert "template" in tests["test_b"].unseen[0]


@pytest.mark.parametrize(
    "code",
    [
        f"Q = '{PIZZA}'\ndef change():\n global Q\n Q = make()\ndef test_it(): graph.query(Q)",
        f"def ask(q=Q): graph.query(q)\nQ = '{PIZZA}'\ndef test_it(): ask()",
        f"def test_it(x):\n q = '{PIZZA}'\n q = x\n graph.query(q)",
        f"def test_it(x): graph.query(x or '{PIZZA}')",
        f"def test_it(x): graph.query(['{PIZZA}', x][x])",
        f"QS = {{'a': '{PIZZA}'}}\nQS['b'] = make()\ndef test_it(n): graph.query(QS[n])",
        f"@pytest.fixture\ndef q(x):\n if x: return '{PIZZA}'\n return make()\ndef test_it(q): graph.query(q)",
        f"@pytest.mark.parametrize('q', ['{PIZZA}', make()])\ndef test_it(q): graph.query(q)",
        f"@pytest.mark.parametrize('q', ['{PIZZA}', *make()])\ndef test_it(q): graph.query(q)",
    ],
)
def test_one_known_value_is_not_enough(tmp_path: Path, code: str) -> None:
    assert the_test(tmp_path, code).unseen


def test_a_graph_passed_to_a_library_counts_as_used_whole(tmp_path: Path) -> None:
    assert terms(the_test(tmp_path, "from elsewhere import run_query\ndef test_it(): run_query(graph)")) == {"*"}


def test_code_that_is_never_called_does_not_count(tmp_path: Path) -> None:
    code = "class Client:\n def ask(self, q): return self.g.query(q)\n"
    code += f" def pizzas(self): return self.g.query('{PIZZA}')\ndef test_it(): Client().pizzas()"
    test = the_test(tmp_path, code)
    assert (terms(test), test.unseen) == ({"type", "Pizza"}, ())


def test_too_much_code_to_follow_is_a_reason(tmp_path: Path) -> None:
    code = "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(600)) + "def test_it(): f0()\n"
    assert "reaches too much code" in the_test(tmp_path, code).unseen[0]


def test_software_may_build_iris_but_its_queries_are_followed(tmp_path: Path) -> None:
    app = f"def page(n): return link('http://example.org/pizza#' + n) + graph.query('{PIZZA}')\n"
    code = "from app import page\ndef test_it(n): page(n)\n"
    suite = find(tmp_path, {"tests/test_a.py": code, "app.py": app})
    test = found(suite)["test_it"]
    assert (terms(test), test.unseen) == ({"type", "Pizza"}, ())

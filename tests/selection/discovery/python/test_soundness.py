"""Random tests are run, and their queries are compared with those that discovery finds: none may be missed silently."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.sparql.reading import read_query
from kgprobe.sparql.uses import Use

from ..finding import EX, find
from .python_files import found

_NAMES = ("Pizza", "Food", "Margherita", "Mozzarella", "VeggiePizza")
_names = st.sampled_from(_NAMES)

HEAD = f"""
class Namespace(str):
    def __getattr__(self, name):
        return self + name if name[0].isupper() else object.__getattribute__(self, name)
    def __getitem__(self, name): return str(self) + name
EX = Namespace("{EX.iri}")
PREFIX = "PREFIX e: <{EX.iri}> "
TEMPLATE = "SELECT ?x {{{{ ?x a <{{c}}> }}}}"
CLASSES = ["{EX.iri}Pizza", "{EX.iri}Food"]
BY_NAME = {{"a": "{EX.iri}Margherita", "b": "{EX.iri}Food"}}
NAME = "Mozzarella"
def same(value): return value
def iri(name): return EX[name]
def ask(query): return graph.query(query)
def ask_with_prefix(body): return graph.query(PREFIX + body)
def ask_all(queries):
    for query in queries:
        graph.query(query)
def members(cls):
    text = "SELECT ?x {{ ?x a <%s> }}" % cls
    return ask(text)
class Client:
    base = "{EX.iri}"
    def run(self, query): return graph.query(query)
    def of(self, name): return self.run("SELECT ?x {{ ?x a <" + self.base + name + "> }}")
client = Client()
"""

# Expressions whose value is the IRI of a class.
_iris = st.one_of(
    _names.map(lambda name: f"EX.{name}"),
    _names.map(lambda name: f"EX['{name}']"),
    _names.map(lambda name: f"'{EX.iri}{name}'"),
    _names.map(lambda name: f"'{EX.iri}' + '{name}'"),
    _names.map(lambda name: f"iri('{name}')"),
    _names.map(lambda name: f"same(EX.{name})"),
    st.sampled_from(["CLASSES[0]", "CLASSES[1]", "BY_NAME['a']", "BY_NAME.get('b')", "EX[NAME]", "max(CLASSES)"]),
    st.sampled_from(["[c for c in CLASSES][0]", "(CLASSES + [EX.Pizza])[2]", "EX + NAME", "next(iter(CLASSES))"]),
)


@st.composite
def _queries(draw: st.DrawFn) -> str:
    """Expressions whose value is a query."""
    iri, name = draw(_iris), draw(_names)
    inside = iri if "'" not in iri else f"EX.{name}"  # before Python 3.12, no quotes in a part of an f-string
    return draw(
        st.sampled_from(
            [
                f"f'SELECT ?x {{{{ ?x a <{{{inside}}}> }}}}'",
                f"'SELECT ?x {{ ?x a <%s> }}' % ({iri})",
                f"'SELECT ?x {{{{ ?x a <{{}}> }}}}'.format({iri})",
                f"TEMPLATE.format(c={iri})",
                f"'SELECT ?x {{ ?x a <' + {iri} + '> }}'",
                f"' '.join(['SELECT ?x {{', '?x a <' + {iri} + '> }}'])",
                f"'SELECT ?x {{ ?x a KIND }}'.replace('KIND', '<' + {iri} + '>')",
                f"PREFIX + 'SELECT ?x {{ ?x a e:{name} }}'",
                f"same('ASK {{ <' + {iri} + '> ?p ?o }}')",
            ]
        )
    )


@st.composite
def _bodies(draw: st.DrawFn) -> str:
    """The body of a test."""
    query, other, iri, name = draw(_queries()), draw(_queries()), draw(_iris), draw(_names)
    return draw(
        st.sampled_from(
            [
                f"graph.query({query})",
                f"ask({query})",
                f"ask(query={query})",
                f"q = {query}; ask(q)",
                f"q = {query}; q = {other}; graph.query(q)",
                f"q = {query} if len(NAME) > 3 else {other}; graph.query(q)",
                f"ask_with_prefix('SELECT ?x {{ ?x a e:{name} }}')",
                f"members({iri})",
                f"members(cls={iri})",
                f"client.run({query})",
                f"client.of('{name}')",
                f"[graph.query(q) for q in ({query}, {other})]",
                f"ask_all([{query}, {other}])",
                f"all(map(ask, [{query}]))",
                f"f = ask; f({query})",
                f"f = lambda q: graph.query(q); f({query})",
                f"qs = []; qs.append({query}); [ask(q) for q in qs]",
                f"q = PREFIX; q += 'SELECT ?x {{ ?x a e:{name} }}'; ask(q)",
                f"getattr(graph, 'query')({query})",
                f"graph.query(**{{'query': {query}}})",
                f"run = graph.query; run({query})",
            ]
        )
    )


class Recorder:
    """A graph that records its queries."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def query(self, query: str) -> list[str]:
        self.asked.append(str(query))
        return []


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(_bodies(), min_size=1, max_size=3))
def test_no_query_of_a_test_is_missed(tmp_path: Path, bodies: list[str]) -> None:
    code = HEAD + "".join(f"def test_{n}(): {body}\n" for n, body in enumerate(bodies))
    tests = found(find(tmp_path, {"test_a.py": code}))
    for number in range(len(bodies)):
        graph = Recorder()
        names: dict[str, Any] = {"graph": graph}
        exec(compile(code, "test_a.py", "exec"), names)  # noqa: S102 - our own code
        names[f"test_{number}"]()
        assert graph.asked
        test = tests[f"test_{number}"]
        if not test.unseen:
            seen = {_anywhere(use) for use in test.uses if not hasattr(use, "term")}
            asked = {_anywhere(use) for query in graph.asked for use in read_query(query).uses}
            assert asked <= seen, (bodies[number], test)


def _anywhere(use: Any) -> Use:
    changed: Use = replace(use, line=None, text="")
    return changed


def test_most_queries_are_found(tmp_path: Path) -> None:
    """Discovery could avoid misses by reporting every query as unknown. It does not."""
    bodies = [
        "members(EX.Pizza)",
        "ask(TEMPLATE.format(c=iri('Food')))",
        "ask_with_prefix('SELECT ?x { ?x a e:Food }')",
        "client.run('SELECT ?x { ?x a <%s> }' % CLASSES[0])",
        "client.of('Food')",
        "[graph.query(q) for q in ('ASK { ?s ?p ?o }',)]",
    ]
    code = HEAD + "".join(f"def test_{n}(): {body}\n" for n, body in enumerate(bodies))
    tests = found(find(tmp_path, {"test_a.py": code}))
    assert [body for n, body in enumerate(bodies) if tests[f"test_{n}"].unseen] == []

"""Operators written in SPARQL Update: accepted syntax, results, and error messages."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from kgprobe.errors import InputError
from kgprobe.masks.pins import PinnedTriples
from kgprobe.mutation.functions import NAMESPACE
from kgprobe.mutation.operator import NO_PINS, Change, Pins, Site
from kgprobe.mutation.profile_rules import TESTS
from kgprobe.mutation.update import UpdateOperator, parse_operator, read_operator
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode, Triple

from .example_runner import EX, graph_of, outcomes

_HEADER = "# name: Test\n# does: something\n# target: both\n"
_PREFIXES = f"PREFIX kg: <urn:kgprobe:function:>\nPREFIX : <{EX}>\n"
# The first line of the request.
_FIRST = 6


def _operator(request: str, header: str = _HEADER) -> UpdateOperator:
    return parse_operator(header + _PREFIXES + request, "test.ru")


def _results(request: str, before: str, *, seeds: int = 100, pins: Pins = NO_PINS) -> list[Graph]:
    return [graph for graph, _ in outcomes(_operator(request), graph_of(before), seeds, pins)]


def _distinct(request: str, before: str, *, seeds: int = 100) -> list[Graph]:
    found: list[Graph] = []
    for graph in _results(request, before, seeds=seeds):
        if not any(isomorphic(graph, other) for other in found):
            found.append(graph)
    return found


def _same(found: list[Graph], *expected: str) -> bool:
    wanted = [graph_of(turtle) for turtle in expected]
    return len(found) == len(wanted) and all(any(isomorphic(one, other) for other in found) for one in wanted)


# -- what comes out --------------------------------------------------------------------------------------------------


def test_one_solution_is_changed() -> None:
    found = _distinct("DELETE { ?x :p ?y } INSERT { ?y :p ?x } WHERE { ?x :p ?y }", ":a :p :b . :c :p :d .")
    assert _same(found, ":b :p :a . :c :p :d .", ":a :p :b . :d :p :c .")


def test_delete_where() -> None:
    found = _distinct("DELETE WHERE { ?x :p ?y . ?y a :C }", ":a :p :b . :b a :C . :c :p :d .")
    assert _same(found, ":c :p :d .")


def test_insert_data_and_delete_data() -> None:
    assert _same(_distinct("INSERT DATA { :a :p 1 , 2 }", ":x :q :y ."), ":x :q :y . :a :p 1 , 2 .")
    assert _same(_distinct("DELETE DATA { :a :p 1 }", ":a :p 1 , 2 ."), ":a :p 2 .")
    assert _distinct("DELETE DATA { :a :p 3 }", ":a :p 1 , 2 .") == []


def test_a_request_may_end_with_a_semicolon_and_its_templates_with_a_comment() -> None:
    found = _distinct("INSERT { ?x :q ?x ; # } and a dot.\n}\nWHERE { ?x a :C ; } ;", ":a a :C .")
    assert _same(found, ":a a :C ; :q :a .")


def test_strings_in_a_template_are_left_alone() -> None:
    found = _distinct('INSERT { ?x :says "what ?x, $x and LOAD?"@en-GB } WHERE { ?x a :C }', ":a a :C .")
    assert _same(found, ':a a :C ; :says "what ?x, $x and LOAD?"@en-GB .')


def test_lists_and_nested_blank_nodes_in_a_template_are_new_each_time() -> None:
    request = "INSERT { ?x :q ( ?x [ :r [ :s ?x ] ] ) } WHERE { ?x a :C }"
    found = _results(request, ":a a :C .", seeds=2)
    assert _same([found[0]], ":a a :C ; :q ( :a [ :r [ :s :a ] ] ) .")
    graph = graph_of(":a a :C .")
    site = Site(graph, Random(1), FreshNames(graph, 1), NO_PINS)
    propose = _operator(request).bound(NO_PINS)
    for _ in range(3):  # in the same graph, one after the other
        change = propose(site)
        assert change is not None
        for keys in change.added:
            graph.flip(keys)
    lists = list(graph.triples(NamedNode(EX + "a"), NamedNode(EX + "q")))
    assert len({triple.object for triple in lists}) == 3
    assert len({term for term in graph.terms() if isinstance(term, BlankNode)}) == 3 * 4


def test_a_solution_that_changes_nothing_is_drawn_again() -> None:
    before = ":a a :C . :b a :C . :a :p :a , :b . :b :p :a ."
    request = "INSERT { ?x :p ?y } WHERE { ?x a :C . ?y a :C }"
    assert _same(_distinct(request, before), before + ":b :p :b .")
    assert _distinct(request, before + ":b :p :b .") == []


def test_a_triple_that_is_deleted_and_inserted_is_kept() -> None:
    request = "DELETE { ?x :p ?y } INSERT { ?x :p :b } WHERE { ?x :p ?y }"
    assert _same(_distinct(request, ":a :p :b , :c ."), ":a :p :b .")


def test_a_call_without_a_value_does_not_leave_a_partial_list() -> None:
    request = "INSERT { ?x :q ( ?v ) } WHERE { ?x :p ?y . BIND(kg:value(:p) AS ?v) }"
    assert _results(request, ":a :p :b . :p rdfs:range [ owl:oneOf () ] .") == []


def test_a_call_may_use_the_result_of_another() -> None:
    request = "INSERT { ?x :q ?v } WHERE { ?x a :C . BIND(kg:pick(:p) AS ?p) BIND(kg:value(?p) AS ?v) }"
    found = _distinct(request, ':a a :C . :p rdfs:range [ owl:oneOf ("on" "off") ] .')
    assert len(found) == 2


def test_the_chosen_solution_is_recorded() -> None:
    [change] = [change for _, change in outcomes(_operator("DELETE WHERE { ?x :p ?y }"), graph_of(":a :p :b ."), 1)]
    assert set(change.binding) == {"x", "y"}


def test_the_same_seed_gives_the_same_change() -> None:
    request = "INSERT { ?x :p ?new } WHERE { ?x a :C . BIND(kg:fresh() AS ?new) }"
    before = "".join(f":x{n} a :C . " for n in range(20))

    def changes() -> list[Change]:
        return [change for _, change in outcomes(_operator(request), graph_of(before), 20)]

    assert changes() == changes()


# -- functions -------------------------------------------------------------------------------------------------------


def test_a_fresh_name_is_in_the_given_namespace() -> None:
    request = "INSERT { ?new a ?c } WHERE { ?c a :Kind . BIND(kg:fresh(:pump_) AS ?new) }"
    for graph in _results(request, ":C a :Kind ."):
        [triple] = graph.triples(None, RDF.type, NamedNode(EX + "C"))
        assert isinstance(triple.subject, NamedNode)
        assert triple.subject.value.startswith(EX + "pump_n")


def test_the_name_of_a_function_is_an_iri() -> None:
    found = _distinct("INSERT { ?x :p ?y } WHERE { ?x a :C BIND(kg:node AS ?y) }", ":a a :C .")
    assert _same(found, f":a a :C ; :p <{NAMESPACE}node> .")


def test_a_literal_that_cannot_start_an_iri_is_not_a_namespace() -> None:
    request = "INSERT { ?x :p ?y } WHERE { ?x :n ?n BIND(kg:fresh(?n) AS ?y) }"
    assert not _results(request, ":a :n 5 ; :n 'no scheme' .", seeds=20)
    [graph] = _results(request, ":a :n 'urn:made:' .", seeds=1)
    assert any(str(triple.object).startswith("<urn:made:n") for triple in graph)


def test_nodes_are_drawn_uniformly() -> None:
    before = ":a :p :b , :c , _:d . :b :p 1 , :e ."
    request = "INSERT { :x :q ?node } WHERE { BIND(kg:node() AS ?node) }"
    counts = Counter(
        str(next(graph.triples(NamedNode(EX + "x"))).object) for graph in _results(request, before, seeds=2000)
    )
    assert len(counts) == 5, "two subjects, and three more that are objects only; no literal, no predicate"
    assert all(_is_usual(count, 2000, 5) for count in counts.values())


def test_pick_draws_its_arguments_uniformly() -> None:
    request = 'INSERT { ?x :q ?v } WHERE { ?x a :C . BIND(kg:pick(:one, "two", 3) AS ?v) }'
    found = _results(request, ":a a :C .", seeds=1500)
    counts = Counter(str(next(graph.triples(None, NamedNode(EX + "q"))).object) for graph in found)
    assert len(counts) == 3
    assert all(_is_usual(count, 1500, 3) for count in counts.values())


@pytest.mark.parametrize("name", [name.removeprefix(NAMESPACE) for name in TESTS])
def test_each_filter_function_accepts_its_number_of_variables(name: str) -> None:
    three = ["?x", "?y", "?z"]
    for count in range(1, 4):
        call = f"kg:{name}({', '.join(three[:count])})"
        request = "INSERT { ?x :q ?z } WHERE { ?x :p ?y . ?y :p ?z . FILTER(!%s) }"
        try:
            operator = _operator(request % call)
        except InputError:
            continue
        list(outcomes(operator, graph_of(":a :p :b . :b :p :c . :d :p :a ."), 10))  # must not raise
        assert _operator(request.replace("(!%s)", " %s") % call)
        break
    else:
        pytest.fail(f"kg:{name} cannot be called")


# -- chance ----------------------------------------------------------------------------------------------------------


def _is_usual(count: int, draws: int, solutions: int) -> bool:
    """Whether a count is plausible for one of equally likely solutions: within five standard deviations."""
    expected = draws / solutions
    return abs(count - expected) <= 5 * math.sqrt(expected * (1 - 1 / solutions))


@pytest.mark.parametrize(
    ("where", "solutions"),
    [
        ("?x :p ?y", 9),
        ("?x :p ?y . ?x a :C", 9),
        ("?x :p ?y . ?y :q ?z", 6),
        ("?x a :C . ?y a :D", 8),
        ("?x :p ?y . FILTER(?y != :y1)", 7),
        ("?x :p ?y . FILTER NOT EXISTS { ?y :q ?x }", 9),
        ("{ ?x :p ?y } UNION { ?x :q ?y }", 12),  # matched by pyoxigraph
    ],
)
def test_solutions_are_drawn_uniformly(where: str, solutions: int) -> None:
    # One node has one neighbour, another has six: drawing a node first and then a neighbour would be detected.
    before = """
        :a a :C ; :p :y1 . :b a :C ; :p :y1 , :y2 , :y3 , :y4 , :y5 , :y6 . :c a :C ; :p :y5 , :y6 . :d a :C .
        :y1 :q :z1 , :z2 . :y2 a :D . :y3 a :D . :y6 :q :z1 .
    """
    graph = graph_of(before)
    draws = (50 if "UNION" in where else 400) * solutions
    propose = _operator(f"INSERT {{ ?x :chosen ?y }} WHERE {{ {where} }}").bound(NO_PINS)
    random = Random(5)
    site = Site(graph, random, FreshNames(graph, 1), NO_PINS)
    counts: Counter[str] = Counter()
    for _ in range(draws):
        change = propose(site)
        assert change is not None
        counts[str(sorted((name, str(graph.term(key))) for name, key in change.binding.items()))] += 1
    assert len(counts) == solutions
    assert all(_is_usual(count, draws, solutions) for count in counts.values())


# -- pins ------------------------------------------------------------------------------------------------------------

_PLANT = ":a :p :b . :b :p :c . :c :p :d . <urn:other:e> :p :a ."


def test_pinned_triples_are_kept_and_do_not_block_the_operator() -> None:
    pins = Pins([PinnedTriples(graph_of(":a :p :b . :b :p :c ."), "pinned")])
    found = _results("DELETE { ?x :p ?y } WHERE { ?x :p ?y }", _PLANT, pins=pins)
    assert len(found) == 100
    gone = {triple for graph in found for triple in graph.changes().removed}
    assert gone == set(graph_of(":c :p :d . <urn:other:e> :p :a ."))


def test_no_triples_are_added_about_subjects_in_a_pinned_namespace() -> None:
    pins = Pins(namespaces=["urn:other:"])
    for request in (
        "DELETE { ?x :p ?y } WHERE { ?x :p ?y }",
        "INSERT { ?x :q ?y } WHERE { ?x :p ?y }",
        "INSERT { ?node :q ?y } WHERE { ?x :p ?y . BIND(kg:node() AS ?node) }",
    ):
        found = _results(request, _PLANT, pins=pins)
        assert len(found) > 90
        for graph in found:
            change = graph.changes()
            subjects = {str(triple.subject) for triple in (*change.removed, *change.added)}
            assert not any("urn:other:" in subject for subject in subjects)


def test_an_operator_with_only_pinned_matches_does_not_apply() -> None:
    pins = Pins([PinnedTriples(graph_of(_PLANT), "pinned")])
    assert _results("DELETE { ?x :p ?y } WHERE { ?x :p ?y }", _PLANT, pins=pins) == []


def test_triples_connected_to_a_removed_triple_may_be_pinned_too() -> None:
    before = ":a :p [ :q :z ] . :b :p [ :q :y ] ."
    operator = parse_operator(
        _HEADER + "# tidies: yes\n" + _PREFIXES + "DELETE { ?x :p ?y } WHERE { ?x :p ?y }", "test.ru"
    )
    pins = Pins([PinnedTriples(graph_of("[] :q :z ."), "pinned")])
    found = [graph for graph, _ in outcomes(operator, graph_of(before), 50, pins)]
    assert len(found) == 50
    assert all(isomorphic(graph, graph_of(":a :p [ :q :z ] .")) for graph in found)


# -- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_text", "line", "column", "message"),
    [
        ("LOAD <http://example.org/>", 1, 1, "LOAD is not for operators"),
        ("INSERT { GRAPH :g { ?x :p ?x } } WHERE { ?x a :C }", 1, 10, "GRAPH is not for operators"),
        ("INSERT { ?x :p ?x }\nWHERE { GRAPH :g { ?x a :C } }", 2, 9, "GRAPH is not for operators"),
        ("INSERT { ?x :p ?x } WHERE { SERVICE <urn:s> { ?x a :C } }", 1, 29, "SERVICE is not for operators"),
        ("CLEAR ALL", 1, 1, "CLEAR is not for operators"),
        ("WITH :g DELETE { ?x :p ?x } WHERE { ?x a :C }", 1, 1, "WITH is not for operators"),
        ("INSERT { ?x :p ?x } USING :g WHERE { ?x a :C }", 1, 21, "USING is not for operators"),
        ("INSERT DATA { :x :p :x } ;\nINSERT DATA { :x :p :y }", 1, 26, "an operator is one request"),
        ("BASE <urn:b>\nINSERT { ?x :p <c> } WHERE { ?x a :C }", 1, 1, "BASE is not supported"),
        ("SELECT * WHERE { ?x a :C }", 1, 1, "an operator is one request"),
        ("INSERT { ?x :p ?x } WHERE { ?x a :C ", 1, 37, "expected"),
        ("INSERT { ?x :p/:q ?x } WHERE { ?x a :C }", 1, 15, "this is not SPARQL"),
        ("INSERT { ?x ex:p ?x } WHERE { ?x a :C }", 1, 13, "the prefix 'ex:' is not declared (write PREFIX ex:"),
        (
            "DELETE { ?x :p [] } WHERE { ?x a :C }",
            1,
            16,
            "a blank node in DELETE does not match a node of the graph (write",
        ),
        ("DELETE { ?x :p _:y } WHERE { ?x a :C }", 1, 16, "a blank node in DELETE"),
        ("DELETE WHERE { ?x :p [] }", 1, 22, "a blank node in DELETE"),
        ("INSERT { ?x :p << :a :b :c >> } WHERE { ?x a :C }", 1, 16, "triples about triples are not supported"),
        ("INSERT { ?x :p :y {| :q 1 |} } WHERE { ?x a :C }", 1, 19, "triples about triples are not supported"),
        (
            "INSERT { ?x :p ?t } WHERE { ?x a :C BIND(<<( ?x a :C )>> AS ?t) }",
            *(1, 42, "triples about triples are not supported"),
        ),
        (
            "INSERT { ?x :p ?t } WHERE { ?x a :C BIND(TRIPLE(?x, :p, ?x) AS ?t) }",
            1,
            42,
            "TRIPLE makes a term of RDF 1.2",
        ),
        ("INSERT { ?x :p ?t } WHERE { ?x a :C BIND(strlangdir('a', 'en', 'ltr') AS ?t) }", 1, 42, "RDF 1.2"),
        ("INSERT { ?x :p 'a'@en--ltr } WHERE { ?x a :C }", 1, 19, "@en makes a term of RDF 1.2"),
        ("INSERT { ?x :p ?y }\nWHERE { ?x a :C }", 1, 16, "?y has no value (give it one: BIND(kg:node() AS ?y)"),
        ("DELETE { ?x :p ?y } WHERE { ?x a :C }", 1, 16, "?y has no value"),
        (
            "INSERT { ?x :p ?y }\nWHERE { ?x a :C . BIND(kg:frsh() AS ?y) }",
            *(2, 24, "kgprobe has no function 'frsh' for BIND (did you mean 'fresh'?)"),
        ),
        (
            "INSERT { ?x :p ?y }\nWHERE { ?x a :C . BIND(<urn:kgprobe:function:wow>() AS ?y) }",
            *(2, 24, "kgprobe has no function 'wow' for BIND (the functions are fresh, "),
        ),
        (
            "INSERT { ?x :p :y }\nWHERE { ?x a :C . FILTER(kg:isSimpl(?x)) }",
            *(2, 26, "kgprobe has no function 'isSimpl' for FILTER (did you mean 'isSimple'?)"),
        ),
        (
            "INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(:odd(?x)) }",
            1,
            46,
            "the function <https://kgprobe.example/#odd> does not exist",
        ),
        ("INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(kg:value() AS ?y) }", 1, 44, "kg:value has 0 arguments"),
        ("INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(kg:value(:a, :b) AS ?y) }", 1, 44, "it is written kg:value(P)"),
        ("INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(kg:pick(1+2) AS ?y) }", 1, 52, "'1+2' cannot be an argument"),
        ("INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(kg:pick(kg:node()) AS ?y) }", 1, 52, "stands alone in a BIND"),
        ("INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(STR(kg:fresh()) AS ?y) }", 1, 48, "stands alone in a BIND"),
        ("INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(kg:fresh()) }", 1, 46, "kg:fresh stands alone in a BIND"),
        (
            "INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(kg:isSimple(?x, ?x)) }",
            1,
            46,
            "kg:isSimple is written kg:isSimple(?x)",
        ),
        ("INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(kg:mayImply(?x)) }", 1, 46, "kg:mayImply(?x, ?y)"),
        ("INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(kg:isSimple(:x)) }", 1, 46, "kg:isSimple(?x), with variables"),
        (
            "INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(kg:isSimple(?x) && true) }",
            1,
            46,
            "stands alone in its FILTER",
        ),
        (
            "INSERT { ?x :p :y } WHERE { ?x a :C . FILTER(true && kg:isSimple(?x)) }",
            1,
            54,
            "stands alone in its FILTER",
        ),
        (
            "INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(kg:value(?z) AS ?y) }",
            *(1, 53, "?z has no value (match it in the WHERE, or in a BIND before this one)"),
        ),
        (
            "INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(kg:node() AS ?y) FILTER(?x != ?y) }",
            *(1, 16, "?y gets its value after a solution has been chosen"),
        ),
    ],
)
def test_an_error_is_one_line_with_its_position(request_text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _operator(request_text)
    text = str(raised.value)
    assert text.startswith(f"test.ru:{_FIRST + line - 1}:{column}: ")
    assert message in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("request_text", "message"),
    [
        ("", "an operator is one request 'DELETE { … } INSERT { … } WHERE { … }'"),
        ("INSERT { ?x :p ?y } WHERE { ?x a :C . BIND(RAND() AS ?y) }", "RAND() gives a different answer each time"),
        (
            "INSERT { ?x :p :y } WHERE { ?x a :C . OPTIONAL { ?x :q ?z } FILTER(kg:isSimple(?x)) }",
            "a kgprobe function in a FILTER needs a WHERE with only triples",
        ),
    ],
)
def test_an_error_without_a_position_names_the_file(request_text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _operator(request_text)
    assert str(raised.value).startswith("test.ru: " + message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("# does: x\n# target: both\n", "test.ru: the header has no 'name' (an operator begins with comments"),
        ("# name: A\n# target: both\n", "test.ru: the header has no 'does'"),
        ("# name: A\n# does: x\n", "test.ru: the header has no 'target'"),
        ("# name: A\n# does:\n# target: both\n", "test.ru: the header has no 'does'"),
        ("", "test.ru: the header has no 'name'"),
        ("# name: A\n# does: x\n# target: box\n", "test.ru:3: 'box' is not a value for 'target' (valid are abox, tbox"),
        (_HEADER + "# tidys: yes\n", "test.ru:4: a header has no key 'tidys' (did you mean 'tidies'?)"),
        (_HEADER + "# tidies: perhaps\n", "test.ru:4: 'perhaps' is not a value for 'tidies' (valid are yes, no)"),
        (_HEADER + "# name: Other\n", "test.ru:4: 'name' is given twice, first in line 1"),
        (_HEADER + "# hello\n", "test.ru:4: 'hello' is not a 'key: value' line"),
        ("# name: A b\n# does: x\n# target: both\n", "test.ru:1: 'A b' is not a name for an operator"),
        (_HEADER + "# before:\n#   :a :b :c .\n", "test.ru: an example needs both 'before:' and 'after:'"),
        (_HEADER + "# after:\n#   :a :b :c .\n", "test.ru: an example needs both 'before:' and 'after:'"),
    ],
)
def test_an_error_in_the_header_is_one_line(header: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        _operator("DELETE WHERE { ?x :p ?y }", header)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_an_unreadable_file_is_a_one_line_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.ru: no such file"):
        read_operator(tmp_path / "none.ru")
    (tmp_path / "latin.ru").write_bytes("# name: Ä".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.ru:1: is not UTF-8 text"):
        read_operator(tmp_path / "latin.ru")


def test_byte_order_marks_and_windows_line_endings_are_accepted(tmp_path: Path) -> None:
    text = (_HEADER + "DELETE WHERE { ?x ?p ?y }\n").replace("\n", "\r\n")
    (tmp_path / "windows.ru").write_bytes(text.encode("utf-8-sig"))
    assert read_operator(tmp_path / "windows.ru").description.name == "Test"


def test_all_keys_of_a_header() -> None:
    header = _HEADER + "# domain-specific: yes\n# tidies: yes\n# sets: generic, abox\n# paper: table 1\n"
    header += "# rdfmutate: One Other\n# before: :a :p :b .\n# after:\n#   :a :p :c .\n#\n#   :d :p :e .\n"
    description = _operator("DELETE WHERE { ?x :p ?y }", header).description
    assert description.domain_specific
    assert description.tidies
    assert description.sets == ("generic", "abox")
    assert description.rdfmutate == ("One", "Other")
    [example] = description.examples
    assert set(graph_of(example.before)) == {Triple(*(NamedNode(EX + name) for name in "apb"))}
    assert len(graph_of(example.after)) == 2

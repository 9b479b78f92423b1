"""The worked example of the paper's section 3.2, with the sets that it ends with.

The figure itself is not in the paper's text. The text says this about it:

- The nodes of G are root and 1 to 10, and (10, 9, 8, 3, 7, 6, 5, 4, 2, 1, root) is a reverse topological order of it.
- The left subtree of root has the nodes 1 to 6. Descend_G(2) = {4, 5, 6}, where 4 is the only successor of 2: so 5 and
  6 are below 4. A subtree moves; Descend(1), (4), (5) and (6) stay the same, and only Descend(2) and (3) differ: so 2
  and 3 are below 1, and 4 moves with 5 and 6 from 2 to 3.
- Descend_G(8) = {9, 10}, both successors of 8. Of the right subtree only 7 comes after 8 in the order: it is above 8
  here, and when it is deleted, 8 is right below root. The text would allow 7 to be a leaf, too.
- 11 is added; root, 8 and 10 are affected and 9 is not: so 11 is below 10.
- ⟨3, 9, p1⟩ goes, ⟨8, 10, p2⟩ becomes ⟨8, 9, p2⟩, ⟨11, 6, p4⟩ comes, and PropOut(7) is empty. As there is a p4, there
  will be a p3, which does not change: here it leads from 5 to 10.

The matrix, too, is only in the figure. The text says which of its 13 tests are selected. G has 11 nodes, and 2 edges
that the change affects: here each test uses one of them.
"""

from __future__ import annotations

from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.selection.discovery.declared import MATRIX
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.paper.expressions import short_names
from kgprobe.selection.paper.model import matrix
from kgprobe.selection.paper.planning import affected, as_json, select
from kgprobe.selection.tests import TermUse
from kgprobe.selection.tests import Test as Case
from selection.paper.versions import EX, graph_of, iri, model_of, shown

_CLASSES = ":root a owl:Class . " + " ".join(f":{number} a owl:Class ." for number in (1, 2, 3, 4, 5, 6, 8, 9, 10))
_OLD = f"""
{_CLASSES} :7 a owl:Class .
:1 rdfs:subClassOf :root . :2 rdfs:subClassOf :1 . :3 rdfs:subClassOf :1 .
:4 rdfs:subClassOf :2 . :5 rdfs:subClassOf :4 . :6 rdfs:subClassOf :4 .
:7 rdfs:subClassOf :root . :8 rdfs:subClassOf :7 . :9 rdfs:subClassOf :8 . :10 rdfs:subClassOf :8 .
:p1 a owl:ObjectProperty ; rdfs:domain :3 ; rdfs:range :9 .
:p2 a owl:ObjectProperty ; rdfs:domain :8 ; rdfs:range :10 .
:p3 a owl:ObjectProperty ; rdfs:domain :5 ; rdfs:range :10 .
"""
_NEW = f"""
{_CLASSES} :11 a owl:Class .
:1 rdfs:subClassOf :root . :2 rdfs:subClassOf :1 . :3 rdfs:subClassOf :1 .
:4 rdfs:subClassOf :3 . :5 rdfs:subClassOf :4 . :6 rdfs:subClassOf :4 .
:8 rdfs:subClassOf :root . :9 rdfs:subClassOf :8 . :10 rdfs:subClassOf :8 . :11 rdfs:subClassOf :10 .
:p1 a owl:ObjectProperty .
:p2 a owl:ObjectProperty ; rdfs:domain :8 ; rdfs:range :9 .
:p3 a owl:ObjectProperty ; rdfs:domain :5 ; rdfs:range :10 .
:p4 a owl:ObjectProperty ; rdfs:domain :11 ; rdfs:range :6 .
"""
_NODES = {1: "root", 2: "2", 3: "3", 4: "4", 5: "5", 6: "6", 7: "1", 8: "8", 9: "7", 10: "10", 11: "9"}
_EDGES = {12: ("3", "9", "p1"), 13: ("8", "10", "p2")}


def test_the_old_graph_is_the_one_of_the_text() -> None:
    edges = {tuple(end.value.removeprefix(EX) for end in edge) for edge in class_edges(graph_of(_OLD)).edges}
    place = {name: number for number, name in enumerate(("10", "9", "8", "3", "7", "6", "5", "4", "2", "1", "root"))}
    assert len(edges) == 10
    assert all(place[lower] < place[upper] for lower, upper in edges)


def test_the_final_sets_are_those_of_the_paper() -> None:
    assert shown(model_of(_OLD), model_of(_NEW)) == {
        "add": {("11", "-", "-"), ("8", "9", "p2"), ("11", "6", "p4")},
        "delete": {("7", "-", "-"), ("3", "9", "p1"), ("8", "10", "p2")},
        "affect": {
            *((name, "-", "-") for name in ("root", "2", "3", "7", "8", "10")),
            ("3", "9", "p1"),
            ("8", "10", "p2"),
        },
    }


def test_sets_as_json() -> None:
    old, new = model_of(_OLD), model_of(_NEW)
    found = as_json(affected(old, new), short_names(old.property_edges, new.property_edges))
    assert list(found) == ["add", "delete", "affect"]
    assert found["add"] == [[f"{EX}11", None, None], [f"{EX}11", f"{EX}6", "p4"], [f"{EX}8", f"{EX}9", "p2"]]
    assert [len(rows) for rows in found.values()] == [3, 3, 8]


def test_the_selected_tests_are_those_of_the_paper() -> None:
    old, new = model_of(_OLD), model_of(_NEW)
    tests = [Case(f"t{number}", SQL, uses=(TermUse(iri(name)),)) for number, name in _NODES.items()]
    tests += [
        Case(f"t{number}", MATRIX, edges=((iri(source), iri(target), label),))
        for number, (source, target, label) in _EDGES.items()
    ]
    assert len(tests) == 13
    selected = select(affected(old, new).affect, matrix(tests, old))
    assert [each.test.name for each in selected] == ["t1", "t2", "t3", "t8", "t9", "t10", "t12", "t13"]
    assert all(len(each.because) == 1 for each in selected)


def test_the_root_may_be_owl_thing() -> None:
    old, new = (text.replace(":root a owl:Class .", "").replace(":root", "owl:Thing") for text in (_OLD, _NEW))
    sets = shown(model_of(old), model_of(new))
    assert ("owl:Thing", "-", "-") in sets["affect"]
    assert len(sets["affect"]) == 8
    assert len(sets["add"]) == len(sets["delete"]) == 3

"""Files with features: lists of IRIs, and ASK queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.input_coverage.features import AskFeatures, feature_set
from kgprobe.mutation.catalogue import example_graph


def _file(folder: Path, text: str, name: str = "features.txt") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def _found(path: str, turtle: str) -> list[str]:
    graph = example_graph(turtle)
    return list(feature_set(path).finder(graph)(graph))


def test_a_list_of_iris(tmp_path: Path) -> None:
    text = """
    # with a comment
    PREFIX ex: <https://kgprobe.example/#>
    @prefix : <https://kgprobe.example/other#> .
    owl:Class            # known without a declaration
    ex:Pump
    :Pipe
    <https://kgprobe.example/#Robot>
    https://kgprobe.example/#Valve
    urn:example:thing
    """
    path = _file(tmp_path, text)
    features = feature_set(path)
    base = "https://kgprobe.example/"
    assert list(features.features) == [
        "http://www.w3.org/2002/07/owl#Class",
        *(f"{base}#Pump", f"{base}other#Pipe", f"{base}#Robot", f"{base}#Valve", "urn:example:thing"),
    ]
    assert _found(path, ":Pump a owl:Class . :Robot :has :Pump .") == [
        *("http://www.w3.org/2002/07/owl#Class", f"{base}#Pump", f"{base}#Robot")
    ]
    assert features.short(f"{base}#Pump") == "ex:Pump"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("owl:Class\nPump\n", "features.txt:2: 'Pump' is not an IRI"),
        ("owl:Class\nowll:Thing\n", "features.txt:2: the prefix 'owll:' is not declared (did you mean 'owl:'?)"),
        (
            "owl:Class\nfoo:Bar\n",
            "features.txt:2: the prefix 'foo:' is not declared (if it is no prefix, write <foo:Bar>)",
        ),
        ("owl:Class\n\n<http://www.w3.org/2002/07/owl#Class>\n", "features.txt:3: .* already, in line 1"),
        ("<http://exa mple>\n", "features.txt:1: 'http://exa mple' is not an IRI"),
        ("# nothing\n", "features.txt: has no features"),
        ("", "features.txt: has no features"),
    ],
)
def test_a_wrong_list_is_refused_with_its_line(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        feature_set(_file(tmp_path, text))
    for part in words.split(".*"):
        assert part in str(caught.value)


_QUERIES = """
PREFIX ex: <https://kgprobe.example/#>

# a pump
ASK { ?x a ex:Pump }

# two pumps, with a {brace} and ASK in a comment
ASK WHERE { ?x a ex:Pump . ?y a ex:Pump FILTER(?x != ?y && STR(?x) != "ASK { }") }
PREFIX o: <https://kgprobe.example/#>
# no robot
ask { FILTER NOT EXISTS { ?x a o:Robot } }
"""


def test_several_queries_in_one_file(tmp_path: Path) -> None:
    path = _file(tmp_path, _QUERIES)
    features = feature_set(path)
    assert isinstance(features, AskFeatures)
    assert features.features == ("a pump", "two pumps, with a {brace} and ASK in a comment", "no robot")
    assert _found(path, ":a a :Pump .") == ["a pump", "no robot"]
    assert _found(path, ":a a :Pump . :b a :Pump . :r a :Robot .") == list(features.features[:2])


def test_queries_see_changes(tmp_path: Path) -> None:
    seed = example_graph(":a a :Pump . :r a :Robot .")
    find = feature_set(_file(tmp_path, _QUERIES)).finder(seed)
    changed = seed.copy()
    for triple in example_graph(":r a :Robot ."):
        changed.remove(triple)
    for triple in example_graph(":b a :Pump ."):
        changed.add(triple)
    assert len(list(find(changed))) == 3
    assert list(find(seed)) == ["a pump"]


def test_one_query_in_one_file(tmp_path: Path) -> None:
    assert feature_set(_file(tmp_path, "ASK { ?s ?p ?o }", "any.rq")).features == ("query",)
    assert feature_set(_file(tmp_path, "ask { } ASK { ?s ?p ?o }", "two.rq")).features == ("query 1", "query 2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\nASK { ?x a ex:Pump }", "features.txt:2: "),
        ("ASK { }\nASK { ?x ?y }", "features.txt:2: "),
        ("# one\nASK { }\n# one\nASK { ?s ?p ?o }", "features.txt:4: there are two queries named 'one'"),
        ("SELECT * { ?s ?p ?o }", "features.txt: has no ASK query"),
        ("ASK { SERVICE <http://e.org/> { ?s ?p ?o } }", "features.txt:1: SERVICE would use the network"),
        ("ASK { BIND(RAND() AS ?x) }", "features.txt:1: RAND() gives a different answer each time"),
    ],
)
def test_a_wrong_query_is_refused_with_its_line(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        feature_set(_file(tmp_path, text))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        feature_set(str(tmp_path / "x"))
    with pytest.raises(InputError, match=r"folder|regular|read"):
        feature_set(str(tmp_path))

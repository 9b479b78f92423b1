"""Reading judged mutants from CSV files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.masks.learning.csv_cases import BrokenListError, read_judged, read_triples
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple

S, P, V = (NamedNode(f"https://example.org/{name}") for name in "spv")
MUTANTS = "id;addedAxioms;removedAxioms\n"
VERDICTS = "id,folder,oracle\n"
XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"plain"', Literal("plain")),
        ('"a, b"', Literal("a, b")),
        ('"[x],[y]"', Literal("[x],[y]")),
        ('"say "hi""', Literal('say "hi"')),
        ('"ends ]]"', Literal("ends ]]")),
        ('""', Literal("")),
        ('"en"@en-GB', Literal("en", language="en-gb")),
        (f'"t"^^{XSD_STRING}', Literal("t")),
        ('"1.0"^^http://www.w3.org/2001/XMLSchema#decimal', Literal("1.0", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#decimal"))),
        ("https://example.org/a,b", NamedNode("https://example.org/a,b")),
        ("inner:asd12", NamedNode("inner:asd12")),
        ("d58a2984-bca3", BlankNode("md58a2984xbca3")),
        ("_:b0", BlankNode("mb0")),
    ],
)  # fmt: skip
def test_terms_are_read_as_rdfmutate_writes_them(written: str, value: object) -> None:
    one = f"[{S.value}, {P.value}, {written}]"
    expected = Triple(S, P, value)  # type: ignore[arg-type]
    assert read_triples(f"[{one}]") == [expected]
    assert read_triples(f"[{one},[{S.value}, {P.value}, {V.value}],{one}]") == [expected, Triple(S, P, V), expected]


@pytest.mark.parametrize("text", ["", "[", "[[a, b]]", "x", '[[https://a.b/s, "p", https://a.b/o]]', "[[a b c]]"])
def test_a_text_that_is_no_list_of_triples_is_refused(text: str) -> None:
    with pytest.raises(BrokenListError):
        read_triples(text)


def axioms(*triples: tuple[str, str, str]) -> str:
    return f"[{','.join(f'[{s}, {p}, {o}]' for s, p, o in triples)}]"


def files(folder: Path, mutants: str, verdicts: str, stem: str = "a") -> tuple[list[Path], list[Path]]:
    (folder / f"{stem}.mutants.csv").write_text(mutants, encoding="utf-8")
    (folder / f"{stem}.verdicts.csv").write_text(verdicts, encoding="utf-8")
    return [folder / f"{stem}.mutants.csv"], [folder / f"{stem}.verdicts.csv"]


SEED = Graph([Triple(S, P, V), Triple(S, P, Literal("a;b")), Triple(BlankNode("seed1"), P, Literal("of a blank node"))])
SPO = (S.value, P.value, V.value)


def test_cases_have_the_name_of_their_file_and_their_number(tmp_path: Path) -> None:
    rows = [
        f"7;[];{axioms(SPO)}",
        f"8;{axioms(SPO)};{axioms(SPO)}",
        f"9;{axioms((S.value, P.value, chr(34) + 'new' + chr(34)))};[]",
    ]
    given = files(
        tmp_path, MUTANTS + "\n".join(rows) + "\n", VERDICTS + "7,.,failed\n8,.,passed\n9,.,Passed\n", "onlySuave04"
    )
    cases = read_judged(SEED, *given)
    assert [(case.name, case.failed, len(case.change)) for case in cases] == [
        ("onlySuave04#7", True, 1),
        ("onlySuave04#8", False, 0),  # removed and added: no change
        ("onlySuave04#9", False, 1),
    ]


def test_a_literal_may_contain_the_delimiter(tmp_path: Path) -> None:
    given = files(
        tmp_path, MUTANTS + f"1;[];{axioms((S.value, P.value, chr(34) + 'a;b' + chr(34)))}\n", VERDICTS + "1,.,passed\n"
    )
    [case] = read_judged(SEED, *given)
    assert case.change.removed == (Triple(S, P, Literal("a;b")),)


def test_blank_nodes_are_found_by_their_triples(tmp_path: Path) -> None:
    gone = axioms(("99-other-label", P.value, '"of a blank node"'))
    added = axioms(("99-other-label", P.value, V.value))
    given = files(tmp_path, MUTANTS + f"1;{added};{gone}\n", VERDICTS + "1,.,passed\n")
    [case] = read_judged(SEED, *given)
    assert case.change.removed == (Triple(BlankNode("seed1"), P, Literal("of a blank node")),)
    assert case.change.added == (Triple(BlankNode("seed1"), P, V),)


ONE = MUTANTS + f"1;[];{axioms(SPO)}\n"
PASSED = VERDICTS + "1,.,passed\n"
BAD = {
    "a verdict without a mutant": (ONE, PASSED + "2,.,failed\n", r"a\.verdicts\.csv:3: a verdict on mutant 2"),
    "a mutant without a verdict": (ONE + "2;[];[]\n", PASSED, r"a\.mutants\.csv:3: mutant 2 has no verdict"),
    "an unknown word": (ONE, VERDICTS + "1,.,pased\n", r"a\.verdicts\.csv:2: unknown verdict 'pased'.*'passed'"),
    "too few fields": (ONE + "2;[]\n", PASSED, r"a\.mutants\.csv:3: 2 fields instead of 3"),
    "too many fields": (ONE + "2;[];[];[]\n", PASSED, r"a\.mutants\.csv:3: 4 fields instead of 3"),
    "no such column": ("id;added;removedAxioms\n", PASSED, r"a\.mutants\.csv:1: there is no column 'addedAxioms'"),
    "no rows": (MUTANTS, PASSED, r"a\.mutants\.csv: there are no rows"),
    "twice": (ONE + "1;[];[]\n", PASSED, r"a\.mutants\.csv:3: mutant 1 occurs twice"),
    "not a list": (MUTANTS + "1;nothing;[]\n", PASSED, r"a\.mutants\.csv:2: addedAxioms: a list of triples starts"),
    "a triple that is not there": (
        MUTANTS + f"1;[];{axioms((V.value, P.value, S.value))}\n",
        PASSED,
        r"a\.mutants\.csv:2: this change does not fit the graph, which lacks",
    ),
    "a triple that is there already": (
        MUTANTS + f"1;{axioms(SPO)};[]\n",
        PASSED,
        r"a\.mutants\.csv:2: this change does not fit the graph, which already has",
    ),
    "a blank node that is not there": (
        MUTANTS + f"1;[];{axioms(('x', P.value, chr(34) + 'no' + chr(34)))}\n",
        PASSED,
        r"a\.mutants\.csv:2: this change does not fit the graph.*no blank node",
    ),
    "empty": ("", "", r"a\.mutants\.csv:1: there is no column 'id'"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_refused_with_the_line(kind: str, tmp_path: Path) -> None:
    mutants, verdicts, said = BAD[kind]
    with pytest.raises(InputError) as caught:
        read_judged(SEED, *files(tmp_path, mutants, verdicts))
    assert caught.match(said)


def test_files_come_in_pairs(tmp_path: Path) -> None:
    mutants, _ = files(tmp_path, ONE, PASSED)
    with pytest.raises(InputError, match="1 file of mutants, but 0 of verdicts"):
        read_judged(SEED, mutants, [])
    with pytest.raises(InputError, match="the seed graph is empty"):
        read_judged(Graph(), mutants, mutants)
    with pytest.raises(InputError, match="a#1"):
        read_judged(SEED, mutants * 2, files(tmp_path, ONE, PASSED)[1] * 2)

"""Comparisons as text, complete or as a summary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgprobe.comparison.compare import compare
from kgprobe.comparison.wording import Section, Wording, section_lines
from kgprobe.owl.wording import Names, obo_id
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Triple


def section(number: int, size: int) -> Section:
    return Section(f"section {number}", size, size, lambda: (f"{number}.{n}" for n in range(size)))


sections = st.lists(st.integers(1, 40), min_size=1, max_size=14).map(
    lambda sizes: [section(number, size) for number, size in enumerate(sizes)]
)


@given(sections, st.integers(28, 120))
def test_a_summary_respects_its_limit(chosen: list[Section], most: int) -> None:
    lines = list(section_lines(chosen, most))
    everything = list(section_lines(chosen))
    assert len(lines) <= most
    if len(everything) <= most:
        assert lines == everything
    else:
        assert most - len(lines) <= 1  # the space is used


@given(sections, st.integers(28, 120))
def test_hidden_lines_are_counted(chosen: list[Section], most: int) -> None:
    lines = list(section_lines(chosen, most))
    for each in chosen:
        start = lines.index(f"{each.title} ({each.count})")
        own = [line for line in lines if line.startswith(f"  {each.title.split()[1]}.")]
        if len(own) < each.lines:
            assert lines[start + len(own) + 1] == f"  … and {each.lines - len(own)} more"
            assert each.lines - len(own) > 1  # one more would take no more space


def test_changes_without_a_line_are_counted_too() -> None:
    few = Section("pairs", 50, 3, lambda: (f"pair {n}" for n in range(3)), rest=47)
    assert list(section_lines([few])) == ["pairs (50)", "  pair 0", "  pair 1", "  pair 2", "  … and 47 more"]
    assert list(section_lines([few], 4)) == ["pairs (50)", "  pair 0", "  pair 1", "  … and 48 more"]


def ontology(*triples: Triple) -> Graph:
    return Graph(triples, spelling=Spelling({"": "http://example.org/"}))


def ex(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/{name}")


def lines_of(old: Graph, new: Graph, *, summary: bool) -> list[str]:
    return list(section_lines(Wording(compare(old, new), old, new, summary=summary).sections()))


def test_long_texts_are_cut_in_a_summary_only() -> None:
    text = "word " * 40
    a = Triple(ex("A"), RDF.type, OWL.Class)
    old = ontology(a, Triple(ex("A"), RDFS.label, Literal("short")))
    new = ontology(a, Triple(ex("A"), RDFS.label, Literal(text)))
    assert lines_of(old, new, summary=False)[1] == f"  :A: 'short' → '{text.strip()}'"
    assert lines_of(old, new, summary=True)[1] == f"  :A: 'short' → '{text[:69]}…'"


def test_many_changes_of_a_kind_are_counted_by_property() -> None:
    declared = [Triple(ex("note"), RDF.type, OWL.AnnotationProperty)]
    declared += [Triple(ex(f"C{n}"), RDF.type, OWL.Class) for n in range(30)]
    notes = [Triple(ex(f"C{n}"), ex("note"), Literal(str(n))) for n in range(30)]
    comments = [Triple(ex(f"C{n}"), RDFS.comment, Literal(str(n))) for n in range(20)]
    old, new = ontology(*declared, *notes[:10]), ontology(*declared, *notes[10:], *comments)
    assert lines_of(old, new, summary=True) == [
        "other annotations changed (30)",
        "  :note: -10, +20",
        "  rdfs:comment: +20",
    ]
    everything = lines_of(old, new, summary=False)
    assert len(everything) == 31
    assert "  :C15: + :note '15'; + rdfs:comment '15'" in everything


def test_replaced_removed_and_added_values() -> None:
    a = Triple(ex("A"), RDF.type, OWL.Class)
    old = ontology(a, *(Triple(ex("A"), RDFS.comment, Literal(text)) for text in "xy"))
    new = ontology(a, *(Triple(ex("A"), RDFS.comment, Literal(text, language="en")) for text in "z"))
    assert lines_of(old, new, summary=True)[1] == (
        "  :A: - rdfs:comment 'x', - rdfs:comment 'y', + rdfs:comment 'z'@en"
    )


def test_names_have_their_usual_short_forms() -> None:
    label = Triple(NamedNode("http://purl.obolibrary.org/obo/GO_0008150"), RDFS.label, Literal("biological process"))
    names = Names(ontology(label), ontology())
    assert names.with_label(label.subject) == "GO:0008150 'biological process'"  # type: ignore[arg-type]
    assert names.short(ex("Tea")) == ":Tea"
    assert names.short(NamedNode("http://other.example/Tea")) == "<http://other.example/Tea>"
    assert names.short(RDFS.label) == "rdfs:label"
    assert obo_id(NamedNode("http://purl.obolibrary.org/obo/GO_0008150")) == "GO:0008150"
    assert obo_id(NamedNode("http://purl.obolibrary.org/obo/hp.obo#layperson")) is None
    assert obo_id(NamedNode("http://example.org/GO_0008150")) is None


def test_the_new_label_takes_precedence() -> None:
    old = ontology(Triple(ex("A"), RDFS.label, Literal("a")), Triple(ex("B"), RDFS.label, Literal("b")))
    new = ontology(Triple(ex("A"), RDFS.label, Literal("anew")))
    assert [Names(old, new).label(ex(name)) for name in "ABC"] == ["anew", "b", None]


# -- long values and opaque names ------------------------------------------------------------------------------------

WORDS = " ".join(f"word{number}" for number in range(60))


def _definitions(old: Literal, new: Literal, *, summary: bool = True) -> str:
    comment = [ontology(Triple(ex("A"), RDF.type, OWL.Class), Triple(ex("A"), RDFS.comment, v)) for v in (old, new)]
    wording = Wording(compare(*comment), *comment, summary=summary)
    [line] = [line for line in section_lines(wording.sections()) if "→" in line]
    return line


@given(st.integers(0, 60), st.text("xyz ", min_size=1, max_size=100))
def test_a_long_value_is_cut_where_it_differs(place: int, inserted: str) -> None:
    at = WORDS.find(f"word{place}") if place < 60 else len(WORDS)
    old, new = WORDS, " ".join(f"{WORDS[:at]}<{inserted}>{WORDS[at:]}".split())
    line = _definitions(Literal(old), Literal(new))
    before, after = line.partition("'")[2].rstrip("'").split("' → '")
    assert "<" in after  # the first character that differs
    assert len(before) == 70
    assert len(after) == 70
    assert before.strip("…") in old
    assert after.strip("…") in new


def test_a_cut_value_keeps_the_context_of_the_difference() -> None:
    line = _definitions(Literal(WORDS), Literal(WORDS.replace("word40", "phrase")))
    assert line.endswith(
        "'…36 word37 word38 word39 word40 word41 word42 word43 word44 word45 wo…' → "
        "'…36 word37 word38 word39 phrase word41 word42 word43 word44 word45 wo…'"
    )
    assert WORDS in _definitions(Literal(WORDS), Literal("short"), summary=False)


def test_values_that_print_the_same_are_distinguished() -> None:
    integer, decimal = (Literal("5", datatype=NamedNode(XSD.iri + kind)) for kind in ("integer", "decimal"))
    assert _definitions(integer, decimal).endswith('"5"^^xsd:integer → "5"^^xsd:decimal')
    assert _definitions(Literal("a b"), Literal("a  b")).endswith('"a b" → "a  b"')


def test_opaque_names_are_followed_by_their_labels() -> None:
    process = NamedNode("http://purl.obolibrary.org/obo/GO_0008150")
    old = ontology(Triple(process, RDFS.label, Literal("process")), Triple(ex("Q42"), RDFS.label, Literal("Doug\x1b")))
    new = ontology(
        Triple(process, RDFS.label, Literal("biological process")),
        Triple(ex("Tea2"), RDFS.label, Literal("green tea")),
        Triple(ex("Tea"), RDFS.label, Literal("Tee")),
    )
    names = Names(old, new)
    assert names.explained(process) == "GO:0008150 'biological process'"
    assert names.explained(ex("Q42")) == ":Q42 'Doug�'"  # from the old version
    assert names.explained(ex("Tea2")) == ":Tea2"
    assert names.explained(ex("Tea")) == ":Tea"
    assert names.explained(ex("Q43")) == ":Q43"
    assert names.explained(Literal("42")) == '"42"'

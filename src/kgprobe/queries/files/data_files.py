"""The queries in files of data: Markdown, YAML, JSON and RDF.

They are fenced blocks, scalars and strings that look like a query; of YAML, only the form of scalars matters, so that a
file which a template engine completes can be read, too. In RDF, they are those of SHACL, SPIN and the examples of
endpoints, and any other literal that looks like a query. The graph says what a query is for, and so which variables
have a value before it runs and which prefixes it has. The text says where it is.
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
from kgprobe.queries.files.texts import (
    Located,
    joined,
    looks_like_query,
    prefixes_written_in,
    unescaped,
    verbatim,
    without_margin,
)
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Namespace

_FENCE = re.compile(
    r"^(?P<margin>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE
)
_LANGUAGE = re.compile(r"[\w+\-]+")
_SPARQL = frozenset(("sparql", "rq", "sparql-query", "sparql-update", "sparqlu"))
_NO_LANGUAGE = frozenset(("", "text", "txt", "sql"))


def queries_in_markdown(text: str) -> Iterator[Located]:
    """The texts of blocks that are marked as SPARQL, and of those without a language that look like a query."""
    place = 0
    while (opening := _FENCE.search(text, place)) is not None:
        margin, fence = opening["margin"], opening["fence"]
        start = opening.end() + 1
        closing = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
        found = closing.search(text, min(start, len(text)))
        end = len(text) if found is None else found.start()
        place = len(text) if found is None else found.end()
        language = _LANGUAGE.search(opening["info"])
        word = language[0].lower() if language else ""
        # A list item is continued by as many spaces as its marker and the white space before it have.
        left_out = re.compile(rf"[ \t>]{{0,{len(margin)}}}" if margin else "")
        block = without_margin(text, min(start, len(text)), end, left_out)
        if word in _SPARQL or (word in _NO_LANGUAGE and looks_like_query(block.text)):
            yield block


# -- YAML --------------------------------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_BLOCK = re.compile(
    r"(?P<lead>[ ]*(?:-[ ]+)*)(?P<key>[^\n]*?:[ ]+|-?)(?:[&!][^\s]+[ ]+)*(?P<style>[|>])[+\-0-9]{0,2}[ ]*"
    r"(?:#[^\n]*)?\r?$"
)
_SCALAR = re.compile(r"[ ]*(?:-[ ]+)*(?:[^\s:'\"#][^\n:]*:[ ]+|-[ ]+)?(?=\S)")
_DOUBLE = re.compile(r'"((?>(?:[^"\\]|\\.)*))"', re.DOTALL)
_SINGLE = re.compile(r"'((?>(?:[^']|'')*))'")


def queries_in_yaml(text: str) -> Iterator[Located]:
    """The scalars that look like a query."""
    place = 0
    while place < len(text):
        line = _LINE.match(text, place)
        assert line is not None  # noqa: S101 - it matches anything
        block = _BLOCK.match(line[0].rstrip("\n"))
        if block is not None:
            start, end, margin = _body(text, line.end(), len(block["lead"]) if block["key"].strip() else 0)
            found = without_margin(text, start, end, re.compile(rf"[ ]{{0,{margin}}}"))
            found = _folded(found) if block["style"] == ">" else found
            place = end
        else:
            found, place = _scalar(text, line.start(), line.end())
        if looks_like_query(found.text):
            yield found
        place = max(place, line.end())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _body(text: str, start: int, parent: int) -> tuple[int, int, int]:
    """The extent of the lines of a block scalar, and their indentation."""
    margin = None
    end = place = start
    while place < len(text):
        line = _LINE.match(text, place)
        assert line is not None  # noqa: S101 - it matches anything
        if line[0].strip():
            margin = _indent(line[0]) if margin is None else margin
            if _indent(line[0]) < max(margin, parent + 1):
                break
            end = line.end()
        place = line.end()
    return start, end, margin or 0


def _folded(located: Located) -> Located:
    """A folded scalar: a single line end is a space."""
    text = re.sub(r"(?<=[^\n])\n(?=[^\n ])", " ", located.text)
    return Located(text, located.offsets)


def _scalar(text: str, start: int, end: int) -> tuple[Located, int]:
    """The value that begins on a line, and where it ends."""
    lead = _SCALAR.match(text, start, end)
    value = lead.end() if lead else start
    if text[value : value + 1] == '"' and (quoted := _DOUBLE.match(text, value)) is not None:
        return unescaped(text, *quoted.span(1)), quoted.end()
    if text[value : value + 1] == "'" and (quoted := _SINGLE.match(text, value)) is not None:
        inside = [verbatim(text, *piece) for piece in _between_quotes(text, *quoted.span(1))]
        return joined(inside) if inside else verbatim(text, value, value), quoted.end()
    stop = end
    margin = _indent(text[start:end])
    while stop < len(text):
        following = _LINE.match(text, stop)
        if following is None or not following[0].strip() or _indent(following[0]) <= margin:
            break
        stop = following.end()
    found = verbatim(text, value, stop)
    return found, stop if looks_like_query(found.text) else end


def _between_quotes(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a single-quoted scalar: two quotes are one."""
    place = start
    while (twice := text.find("''", place, end)) >= 0:
        yield place, twice + 1
        place = twice + 2
    yield place, end


# -- JSON --------------------------------------------------------------------------------------------------------------

_STRING = re.compile(r'"((?>(?:[^"\\]|\\.)*))"', re.DOTALL)
_BETWEEN = re.compile(r"\s*,\s*")
_CELL_MAGIC = re.compile(r"%%\w+[^\n]*\n")


def strings_in_json(text: str) -> Iterator[Located]:
    """All strings."""
    for found in _STRING.finditer(text):
        yield unescaped(text, *found.span(1))


def queries_in_json(text: str) -> Iterator[Located]:
    """The strings, and the joined lines, that look like a query."""
    run: list[Located] = []
    end = 0
    for found in _STRING.finditer(text):
        if run and _BETWEEN.fullmatch(text, end, found.start()) is None:
            yield from _queries_of(run)
            run = []
        run.append(unescaped(text, *found.span(1)))
        end = found.end()
    yield from _queries_of(run)


def _queries_of(run: list[Located]) -> Iterator[Located]:
    """The queries among strings that only commas separate."""
    alone = [string for string in run if looks_like_query(string.text)]
    if alone or len(run) < 2:
        yield from alone
        return
    lines: list[Located] = []
    for string in run:
        lines.append(string)
        if not string.text.endswith("\n"):
            lines.append(Located("\n", (string.offsets[-1], string.offsets[-1])))
    whole = joined(lines)
    magic = _CELL_MAGIC.match(whole.text)
    whole = whole.part(magic.end(), len(whole.text)) if magic else whole
    if looks_like_query(whole.text):
        yield whole


# -- RDF ---------------------------------------------------------------------------------------------------------------

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
    for string in strings:
        if "{" in string.text:
            found[string.text.replace("\r\n", "\n")].append(string)
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
        if any(kind.startswith(_SH["SPARQL"].value) and kind.endswith("Executable") for kind in types):
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

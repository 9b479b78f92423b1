"""Completion: the names and variables that fit at a place in a query, the best first.

The text around the cursor is rarely a query. So the word at the cursor is replaced by an IRI that nobody uses, followed
by the shortest text that makes a triple of it, and the place of that IRI in the tree tells what is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from kgprobe.lsp.scopes import is_in_group, keywords_at, open_path, prefixes_in
from kgprobe.lsp.variable_classes import told_types
from kgprobe.owl.wording import labels_of
from kgprobe.queries.schema import Schema
from kgprobe.questions.schema.given import PREFIXES
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode
from kgprobe.sparql.algebra import Document, PlacedTriple
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.tokens import tokens, words
from kgprobe.sparql.traversal import triples_within

_CURSOR = NamedNode("urn:kgprobe:cursor")
_WORD = re.compile(r"(?:[?$]\w*|<[^<>\s]*|[\w.\-]*:?[\w.\-%]*)\Z")
_REST = re.compile(r"[\w.\-%]*(?::[\w.\-%]*)?")
_VARIABLE = re.compile(r"[?$](\w+)")
_DECLARATION = re.compile(r"\bPREFIX\s+\Z", re.IGNORECASE)
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
# What may follow the cursor for the text to have a triple with it: as an object, as a predicate, as a subject.
_SUFFIXES = (" .", " ?kgprobe1 .", " ?kgprobe1 ?kgprobe2 .")
_PROPERTIES = frozenset({"ObjectProperty", "DataProperty", "AnnotationProperty", "Property"})
# A name such as GO_0008150 or Q42 says nothing to a reader; its label does.
_OPAQUE = re.compile(r"(?:[A-Za-z]+[_:]?)?\d{2,}\w*")
_MOST = 500
_PLAIN = (NamedNode, Variable)


@dataclass(frozen=True, slots=True)
class Completion:
    """Replace the characters from `start` to `end` by `text`. `rank` orders completions: lower is better.

    `label` is shown, and `search` is matched with what the user types. `prefix` is a prefix to declare, with its IRI.
    """

    start: int
    end: int
    text: str
    label: str
    kind: str
    rank: int
    detail: str = ""
    search: str = ""
    prefix: tuple[str, str] | None = None


def completions(text: str, offset: int, schema: Schema | None) -> list[Completion]:
    """All completions at an offset, the best first."""
    found = _WORD.search(text, 0, offset)
    start = found.start() if found else offset
    rest = _REST.match(text, offset)
    end = rest.end() if rest and not text[start:offset].startswith(("?", "$", "<")) else offset
    if _is_in_comment_or_string(text, start):
        return []
    variables = _variables(text, start, end)
    if text[start : start + 1] in ("?", "$"):
        return variables
    if _DECLARATION.search(text, 0, start):
        return list(_declarations(text, start, end, schema))
    has_names = is_in_group(text, start) or "DESCRIBE" in words(text[:start])
    names = list(_names(text, start, end, schema)) if schema is not None and has_names else []
    names.sort(key=lambda name: (name.rank, name.label))
    prefixes = _prefixes(text, start, end, schema) if has_names and text[start : start + 1] != "<" else ()
    return [*names[:_MOST], *prefixes, *_keywords(text, start, end), *variables]


def _is_in_comment_or_string(text: str, offset: int) -> bool:
    """Whether an offset is in a comment or a string of one line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    line = re.sub(r"<[^<>\s]*>", "", line)  # the # of an IRI does not start a comment
    line = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", "", line)
    return "#" in line or '"' in line or "'" in line


def _variables(text: str, start: int, end: int) -> list[Completion]:
    around = f"{text[:start]} {text[end:]}"
    names = dict.fromkeys(_VARIABLE.findall(around))
    return [Completion(start, end, f"?{name}", f"?{name}", "variable", 50, search=f"?{name}") for name in names]


def _keywords(text: str, start: int, end: int) -> Iterator[Completion]:
    if re.fullmatch(r"\w*", text[start:end]):
        for word in dict.fromkeys(keywords_at(text, start)):
            yield Completion(start, end, word, word, "keyword", 45, search=word)


def _declarations(text: str, start: int, end: int, schema: Schema | None) -> Iterator[Completion]:
    """Prefixes with their IRIs, for a declaration that is being written."""
    declared = {prefix for prefix, _, _, _ in prefixes_in(text)}
    for prefix, iri in _known_prefixes(schema).items():
        if f"{prefix}:" not in declared:
            yield Completion(start, end, f"{prefix}: <{iri}>", f"{prefix}:", "prefix", 10, f"<{iri}>", f"{prefix}:")


def _prefixes(text: str, start: int, end: int, schema: Schema | None) -> Iterator[Completion]:
    """Prefixes to write a name with, declared or not. A prefix that is written, but not declared, is declared."""
    written, colon, _ = text[start:end].partition(":")
    declared = {prefix.removesuffix(":"): iri.strip("<>") for prefix, iri, _, _ in prefixes_in(text)}
    known = _known_prefixes(schema)
    if colon:
        if written in known and written not in declared:
            whole = text[start:end]
            more = (written, known[written])
            yield Completion(start, end, whole, whole, "prefix", 40, f"declares <{known[written]}>", whole, more)
        return
    for prefix, iri in {**known, **declared}.items():
        if prefix:
            more_ = None if prefix in declared else (prefix, iri)
            yield Completion(start, end, f"{prefix}:", f"{prefix}:", "prefix", 40, f"<{iri}>", f"{prefix}:", more_)


def _known_prefixes(schema: Schema | None) -> Mapping[str, str]:
    """The prefixes of the ontology, and those that everybody uses."""
    usual = {prefix: iris[0] for prefix, iris in PREFIXES.items()}
    return {**usual, **(schema.graph.spelling.prefixes if schema is not None else {})}


# -- what is wanted at the cursor --------------------------------------------------------------------------------------


def _wanted(text: str, start: int, end: int) -> tuple[PlacedTriple, str, Document] | None:
    """The triple around the cursor, which part of it is at the cursor, and the document with it."""
    closing = ")" * open_path(text, start)
    for suffix in _SUFFIXES:
        probe = f"{text[:start]}{_CURSOR}{closing}{suffix} {text[end:]}"
        document = read_document(_closed(probe), tolerant=True)
        for triple in triples_within(document.operations):
            for part in ("subject", "predicate", "object"):
                if getattr(triple, part) == _CURSOR and _is_plausible(part, suffix):
                    return triple, part, document
            if not isinstance(triple.predicate, _PLAIN) and triple.span.start <= start <= triple.span.end:
                return triple, "predicate", document
    return None


def _is_plausible(part: str, suffix: str) -> bool:
    return part == ("object", "predicate", "subject")[_SUFFIXES.index(suffix)]


def _closed(text: str) -> str:
    """The text with missing closing braces."""
    bare = re.sub(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>|#[^\n]*", "", text)
    return text + " }" * max(0, bare.count("{") - bare.count("}"))


# -- names -------------------------------------------------------------------------------------------------------------


def _names(text: str, start: int, end: int, schema: Schema) -> Iterator[Completion]:
    wanted = _wanted(text, start, end)
    document = wanted[2] if wanted else read_document(text, tolerant=True)
    written = _Writer(text, text[start:end], document.prefixes, schema)
    for name, rank in _ranked(wanted, schema):
        found = _completion(name, rank, start, end, schema, written)
        # An editor shows only what begins like the text that it replaces.
        yield replace(found, text=str(name), search=str(name), prefix=None) if text.startswith("<", start) else found


def _ranked(wanted: tuple[PlacedTriple, str, Document] | None, schema: Schema) -> Iterator[tuple[NamedNode, int]]:
    if wanted is None:
        yield from ((name, 20) for name in schema.names if not _is_built_in(name))
        return
    triple, part, document = wanted
    if part == "predicate":
        is_path = triple.predicate != _CURSOR
        others = [other for other in triples_within(document.operations) if other is not triple]
        types = frozenset() if is_path else frozenset(told_types(triple.subject, others, schema))
        yield RDF.type, 5
        yield from ((name, _fit(name, types, schema)) for name in _of_kinds(_PROPERTIES, schema))
        yield from ((name, 15) for name in (RDFS.label, RDFS.comment, RDFS.subClassOf))
    elif part == "object" and triple.predicate == RDF.type:
        yield from ((name, 0) for name in _of_kinds(frozenset({"Class"}), schema))
        yield from ((name, 30) for name in (OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty))
    elif part == "object" and isinstance(triple.predicate, NamedNode):
        ranges = {said.what for said in schema.ranges(triple.predicate)}
        for name in _of_kinds(frozenset({"NamedIndividual"}), schema):
            yield name, 0 if ranges & told_types(name, (), schema).keys() else 10
    else:
        yield from ((name, 10) for name in _of_kinds(frozenset({"NamedIndividual"}), schema))


def _fit(name: NamedNode, types: frozenset[NamedNode], schema: Schema) -> int:
    """How well the domain of a property fits: 0 if the subject is known to be in it, 10 if it could be, else 20."""
    domains = {said.what for said in schema.domains(name)}
    named = {domain for domain in domains if isinstance(domain, NamedNode)}
    if not named:
        return 8 if not domains else 10
    if not types:
        return 6
    if named <= types:
        return 0
    below = all(types & set(schema.super_classes(kind)) for kind in named)
    return 10 if below else 20


def _of_kinds(kinds: frozenset[str], schema: Schema) -> Iterator[NamedNode]:
    return (name for name in schema.names if not _is_built_in(name) and schema.kinds(name) & kinds)


def _is_built_in(name: NamedNode) -> bool:
    return name.value.startswith((OWL.iri, RDF.iri, RDFS.iri))


class _Writer:
    """Writes a name with a prefix: as at the cursor, or one that is declared, or one of the ontology to be declared.

    An editor shows only what begins like the text at the cursor.
    """

    def __init__(self, text: str, at_cursor: str, declared: Mapping[str, str], schema: Schema) -> None:
        used = {token.text.partition(":")[0] for token in tokens(text) if token.kind == "prefixed"}
        typed = at_cursor.partition(":")[0] if ":" in at_cursor else None
        self._declared = declared
        self._prefixes = sorted(
            {**_known_prefixes(schema), **declared}.items(),
            key=lambda known: (known[0] != typed, known[0] not in declared, known[0] not in used, -len(known[1])),
        )

    def write(self, name: NamedNode) -> tuple[str, tuple[str, str] | None]:
        for prefix, iri in self._prefixes:
            if (short := _shortened(name, prefix, iri)) is not None:
                return short, None if prefix in self._declared else (prefix, iri)
        return str(name), None


def _shortened(name: NamedNode, prefix: str, iri: str) -> str | None:
    local = name.value[len(iri) :] if iri and name.value.startswith(iri) else ""
    return f"{prefix}:{local}" if re.fullmatch(r"\w(?:[\w\-]*\w)?", local) else None


def _completion(name: NamedNode, rank: int, start: int, end: int, schema: Schema, written: _Writer) -> Completion:
    text, prefix = written.write(name)
    labels = labels_of(name, schema.graph)
    if name == RDF.type:
        return Completion(start, end, "a", "a", "keyword", rank, "rdf:type", "a")
    kind = _kind(schema.kinds(name))
    local = text.rpartition(":")[2].strip("<>")
    if labels and _OPAQUE.fullmatch(local):
        return Completion(start, end, text, labels[0], kind, rank, text, f"{text} {labels[0]}", prefix)
    return Completion(start, end, text, text, kind, rank, labels[0] if labels else "", text, prefix)


def _kind(kinds: frozenset[str]) -> str:
    for kind, word in (("Class", "class"), ("NamedIndividual", "individual"), ("Datatype", "datatype")):
        if kind in kinds:
            return word
    return "property"


def prefix_place(text: str, offset: int) -> tuple[int, str, str]:
    """Where a new PREFIX goes for a name at an offset, and what to write before it and after it."""
    ends = [whole.end for _, _, whole, _ in prefixes_in(text) if whole.end <= offset]
    if ends:
        rest = _REST_OF_LINE.match(text, ends[-1])
        if rest is None:  # something else is in the same line
            return ends[-1], " ", ""
        return rest.end(), "" if rest[0].endswith("\n") else "\n", "\n"
    first = next((token.start for token in tokens(text)), 0)
    return text.rfind("\n", 0, first) + 1, "", "\n"

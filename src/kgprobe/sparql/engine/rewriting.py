"""Stand-ins for literals that a store would rewrite, and queries that work on stores that have stand-ins.

pyoxigraph's store keeps the value of a number, a date or a boolean, but not its spelling: `01` becomes `1`, and
`"5"^^xsd:nonNegativeInteger` becomes an `xsd:integer`. So a literal that would change is stored with another datatype,
which pyoxigraph does not know and leaves alone.

Terms that are only matched, joined, counted, grouped or passed on may stay stand-ins: each stands for one literal.
Where a value is needed, as in `?x + 1`, `?x < ?y` or `ORDER BY ?x`, a function returns the literal itself. Where the
form of a literal is needed, in STR, DATATYPE and STRDT, our function replaces SPARQL's. So every expression can be
written in two ways: as a term, which may be a stand-in, and as a value, which is not.

The rest of the text stays as it is: the changes are edits at the places of the parts that the algebra gives.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pyoxigraph import Quad, Store

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Constant,
    Expression,
    Filter,
    PlacedTriple,
    Projected,
    QueryTree,
    Span,
    Values,
    VariableUse,
)
from kgprobe.sparql.paths import AlternativePath, EdgePath, NegatedPath, Path, RepeatedPath, SequencePath
from kgprobe.sparql.respelling import Edit, Respelled, edited, respelled
from kgprobe.sparql.tokens import tokens
from kgprobe.sparql.traversal import walk

__all__ = ["rewritten_literals", "stored_forms"]


FUNCTIONS = "urn:kgprobe:sparql:"
"""The namespace of our functions and aggregates, which read stand-ins."""

MARK = "urn:kgprobe:exact:"
_ALWAYS_EXACT = (XSD.string, RDF.langString)
# Most literals that are not strings have one of these forms, and checking with a store takes longer.
_PLAIN_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.[0-9]{0,8}[1-9]")
_PREDICATE = NamedNode("urn:kgprobe:form")


def stand_in(term: Term) -> Term:
    """The stored form of a term: the term itself if a store keeps it unchanged, else its stand-in."""
    if not isinstance(term, Literal) or is_stored_exactly(term):
        return term
    return Literal(term.value, datatype=NamedNode(MARK + term.datatype.value))


def exact(term: Term) -> Term:
    """The term for its stored form."""
    if not isinstance(term, Literal) or not term.datatype.value.startswith(MARK):
        return term
    return Literal(term.value, datatype=NamedNode(term.datatype.value.removeprefix(MARK)))


def is_stored_exactly(literal: Literal) -> bool:
    """Whether a store keeps a literal unchanged."""
    known = _known(literal)
    return _survives(literal) if known is None else known


def rewritten_literals(terms: Iterable[Term]) -> list[Literal]:
    """The literals among these terms that a store would rewrite."""
    doubtful = [term for term in terms if isinstance(term, Literal) and not _known(term)]
    forms = stored_forms(doubtful) if doubtful else {}
    return [literal for literal in doubtful if _is_marked(literal) or forms[literal] != literal]


def stored_forms(literals: Iterable[Literal]) -> dict[Literal, Term]:
    """The form in which a store returns each literal."""
    numbered = list(literals)
    store = Store()
    store.bulk_extend(Quad(NamedNode(f"urn:{n}"), _PREDICATE, literal) for n, literal in enumerate(numbered))
    return {numbered[int(quad.subject.value.removeprefix("urn:"))]: quad.object for quad in store}


def _known(literal: Literal) -> bool | None:
    """Whether a store keeps a literal unchanged; None if only a store can tell."""
    datatype = literal.datatype
    if datatype in _ALWAYS_EXACT:
        return True
    if datatype == XSD.integer and _PLAIN_INTEGER.fullmatch(literal.value):
        return True
    if datatype == XSD.decimal and _PLAIN_DECIMAL.fullmatch(literal.value):
        return True
    if _is_marked(literal):
        return False  # else it would be taken for a stand-in
    return None if datatype.value.startswith(XSD.iri) else True


def _is_marked(literal: Literal) -> bool:
    return literal.datatype.value.startswith(MARK)


@functools.lru_cache(maxsize=1 << 16)
def _survives(literal: Literal) -> bool:
    store = Store()
    store.add(Quad(_PREDICATE, _PREDICATE, literal))
    return literal in (quad.object for quad in store)


# -- queries -----------------------------------------------------------------------------------------------------------

_OURS = frozenset(("STR", "DATATYPE", "STRDT"))  # functions that look at the form of a literal
_GROWING = frozenset(("CONCAT", "REPLACE", "GROUP_CONCAT"))
_AGGREGATES_OF_VALUES = frozenset(("SUM", "AVG", "MIN", "MAX"))  # ours read stand-ins, too
_CHOOSING = frozenset(("MIN", "MAX", "SAMPLE"))  # aggregates that return one of their terms
# Functions and words beyond SPARQL 1.1, and functions with as many arguments, all of which are values.
_NEWER = {
    **dict.fromkeys(("HASLANG", "HASLANGDIR", "ISTRIPLE", "LANGDIR", "OBJECT", "PREDICATE", "SUBJECT"), "ABS"),
    **dict.fromkeys(("STRLANGDIR", "TRIPLE"), "SUBSTR"),
    "ADJUST": "REGEX",
    "LATERAL": "",
}
_DIRECTION = re.compile("--(?:ltr|rtl)")  # of the text of a literal, after its language


@dataclass(frozen=True)
class Rewritten:
    """A query for stores with stand-ins: the last of its spellings, which come from each other.

    `is_needed` says that the original does not work even for a store without stand-ins: it names a literal that a store
    would rewrite, or creates literals. `functions` are the names of the functions that the query calls. If
    `is_bounded`, answering the query on a graph of n triples takes at most about n to the power of `patterns` steps.
    Closures of paths, and texts that grow with every call, have no such bound. `growth` is how many times longer than
    the texts in the graph and in the query a text can get.
    """

    spellings: tuple[Respelled, ...]
    is_needed: bool
    functions: tuple[str, ...]
    patterns: int
    is_bounded: bool
    growth: float

    @property
    def text(self) -> str:
        """The query."""
        return self.spellings[-1].text

    @property
    def looks_at_values(self) -> bool:
        """Whether the query does more with literals than match them. If not, the original works for all stores."""
        return FUNCTIONS in self.text


def rewritten(text: str, prefixes: Mapping[str, str]) -> Rewritten | None:
    """The query for stores with stand-ins; None if it goes beyond SPARQL 1.1 in a way that matters here.

    `prefixes` apply unless the text declares its own.
    """
    # Only here: they load the parser, and few commands query.
    from kgprobe.sparql.algebra_reader import AlgebraReader
    from kgprobe.sparql.source import Source

    respelling = respelled(text, prefixes)
    spelled = respelling.text
    source = Source(spelled, prefixes)
    if source.tree.broken is not None:
        source = Source(_as_older(spelled), prefixes)
    operations = AlgebraReader(source).operations() if source.tree.broken is None else ()
    query = operations[0] if len(operations) == 1 else None
    if not isinstance(query, QueryTree):
        return None
    if query.where is not None and query.where.elements == query.template:  # CONSTRUCT WHERE
        query = replace(query, template=())
    rewriting = _Rewriting(spelled)
    for node in walk([query]):
        rewriting.read(node)
    return Rewritten(
        (respelling, edited(spelled, rewriting.edits)),
        rewriting.is_needed,
        tuple(dict.fromkeys(rewriting.functions)),
        rewriting.patterns,
        rewriting.is_bounded,
        rewriting.growth,
    )


def _as_older(text: str) -> str:
    """The text as SPARQL 1.1: syntax beyond it that does not matter here has another form, of the same length."""
    pieces = list(text)

    def spell(start: int, end: int, new: str) -> None:
        pieces[start:end] = new.ljust(end - start)

    found = tokens(text)
    for token, following in zip(found, (*found[1:], *found[-1:]), strict=True):
        word = token.text.upper()
        if token.kind == "word" and word in _NEWER:
            spell(token.start, token.end, _NEWER[word])
        elif token.kind == "word" and word == "VERSION" and following.kind == "string":
            spell(token.start, following.end, "")
        elif token.kind == "tag" and (direction := _DIRECTION.match(text, token.end)):
            spell(*direction.span(), "")
    return "".join(pieces)


@dataclass
class _Rewriting:
    """The edits of one text, and what else is known about it after them."""

    text: str
    edits: list[Edit] = field(default_factory=list)
    is_needed: bool = False
    functions: list[str] = field(default_factory=list)
    patterns: int = 0
    is_bounded: bool = True
    growth: float = 1.0

    def read(self, node: object) -> None:
        """Read one part of the query, without the parts in it."""
        match node:
            case PlacedTriple(_, predicate, object_, object_span=span):
                self.patterns += 1 if isinstance(predicate, Variable | NamedNode) else self._steps(predicate)
                self._literal(object_, span)
            case Values():
                self.patterns += 1
                self._values(node)
            case Filter(condition):
                self._expression(condition, as_value=True)
            case Bind(expression) | Projected(_, expression) if expression is not None:
                self._expression(expression)
            case QueryTree(groups=keys, order=order):
                for key in keys:
                    if not isinstance(key, Bind):
                        self._expression(key)
                for expression in order:
                    self._expression(expression, as_value=True)

    def _replace(self, start: int, end: int, text: str) -> None:
        self.edits.append(Edit(start, end, text))

    # -- triples and VALUES --------------------------------------------------------------------------------------

    def _literal(self, term: object, span: Span) -> None:
        """A literal that is matched or passed on."""
        if isinstance(term, Literal) and not is_stored_exactly(term):
            self.is_needed = True
            self._replace(*span, f" {stand_in(term)} ")

    def _values(self, values: Values) -> None:
        if all(is_stored_exactly(term) for row in values.rows for term in row if isinstance(term, Literal)):
            return
        self.is_needed = True
        names = " ".join(map(str, values.variables))
        rows = (" ".join("UNDEF" if term is None else str(stand_in(term)) for term in row) for row in values.rows)
        self._replace(*values.span, f"VALUES ({names}) {{ {' '.join(f'({row})' for row in rows)} }}")

    def _steps(self, path: Path) -> int:
        match path:
            case EdgePath(edges):
                return len(edges)
            case NegatedPath(excluded):
                return max(len(excluded), 1)
            case SequencePath(parts) | AlternativePath(parts):
                return sum(map(self._steps, parts))
            case RepeatedPath(inner):
                self.is_bounded = False
                return self._steps(inner)

    # -- expressions ---------------------------------------------------------------------------------------------

    def _expression(self, expression: Expression, *, as_value: bool = False) -> None:
        """Without recursion, because a long chain of operators is deep. The groups of EXISTS are read on their own."""
        pending = [(expression, as_value)]
        while pending:
            current, as_value = pending.pop()
            match current:
                case VariableUse(variable, span) if as_value:
                    self._replace(*span, f" <{FUNCTIONS}value>({variable}) ")
                case Constant(term, span) if as_value:
                    self.is_needed |= isinstance(term, Literal) and not is_stored_exactly(term)
                case Constant(term, span):
                    self._literal(term, span)
                case Aggregate():
                    pending += self._aggregate(current, as_value=as_value)
                case Call(name, arguments, span):
                    self._note_growth(name, len(arguments))
                    if current.has_iri:
                        self.functions.append(name)
                    if name in _OURS and not (name == "STRDT" and as_value):
                        self._replace(span.start, span.start + len(name), f" <{FUNCTIONS}{name.lower()}>")
                    self.is_needed |= name == "STRDT"
                    pending += zip(arguments, _as_values(name, len(arguments), as_value=as_value), strict=True)

    def _aggregate(self, aggregate: Aggregate, *, as_value: bool) -> Iterator[tuple[Expression, bool]]:
        name, (start, end) = aggregate.name, aggregate.span
        self._note_growth(name, 1)
        if as_value and name in _CHOOSING:
            self._replace(start, start, f" <{FUNCTIONS}value>(")
            self._replace(end, end, ")")
        if name in _AGGREGATES_OF_VALUES:
            self._replace(
                start, start + len(name), f" <{FUNCTIONS}{name.lower()}{'-distinct' * aggregate.is_distinct}>"
            )
            if aggregate.is_distinct:
                word = next(
                    token for token in tokens(self.text) if token.start > start and token.text.upper() == "DISTINCT"
                )
                self._replace(word.start, word.end, "")
        if aggregate.argument is not None:
            yield aggregate.argument, name == "GROUP_CONCAT"

    def _note_growth(self, word: str, arguments: int) -> None:
        if word in _GROWING:
            self.is_bounded = False
            self.growth *= max(arguments, 1) if word == "CONCAT" else math.inf


def _as_values(name: str, arguments: int, *, as_value: bool) -> list[bool]:
    """Which arguments of a function or an operator have to be values."""
    match name:
        case "STR" | "DATATYPE" | "SAMETERM" | "BOUND":
            return [False] * arguments
        case "COALESCE":
            return [as_value] * arguments
        case "IF":
            return [True, *([as_value] * (arguments - 1))]
    return [True] * arguments

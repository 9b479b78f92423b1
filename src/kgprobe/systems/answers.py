"""Reads the answer of a system as the kind that its profile states, so that all systems can be compared."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, parse_query_results

from kgprobe.errors import InputError, one_line
from kgprobe.formats.files import read_graph
from kgprobe.model import Observation
from kgprobe.processes.channel import CUT, MOST_KEPT, is_cut
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import Condensed, Edges, reached
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Triple
from kgprobe.reasoners.protocol import Hierarchy
from kgprobe.systems.protocol import System, Understood
from kgprobe.wording import number_of

__all__ = [
    "KINDS",
    "Results",
    "UnreadableError",
    "answering",
    "hierarchy_in_graph",
    "hierarchy_in_json",
    "read_answer",
    "results_in",
    "rows_of",
    "solutions",
    "term_text",
]

_SHOWN = 60
_TRUTH = {"true": True, "consistent": True, "false": False, "inconsistent": False}
_Pairs: TypeAlias = list[tuple[NamedNode, NamedNode]]
_Groups: TypeAlias = dict[NamedNode, frozenset[NamedNode]]
_EXTREMES = frozenset({OWL.Thing, OWL.Nothing})
Results: TypeAlias = "bool | frozenset[tuple[tuple[str, ...], int]] | frozenset[tuple[str, str, str]]"
"""The result of ASK, of SELECT (rows with their counts; columns sorted by variable), or of CONSTRUCT."""
_VARIABLE = re.compile(r"\w+")
_BLANK = "_:b"  # labels have no meaning outside their document


class UnreadableError(Exception):
    """An answer that is not of the kind that the profile states; the text names the expected kind."""


def answering(system: System, kind: str, statuses: Collection[int]) -> System:
    """A system whose answers are read: the value of an observation is the answer, or None if it cannot be read.

    The answer is the value that a function returned, the body of a response, the output file of a program, or else its
    standard output. `statuses` are the exit statuses of runs that have an answer.
    """

    def read(seen: Observation) -> Observation:
        if seen.exit_code is not None and seen.exit_code not in statuses:
            return replace(seen, value=None, remark=_with(seen, f"no answer: exit status {seen.exit_code}"))
        if CUT in seen.remark:
            return replace(seen, value=None, is_unreadable=True)
        if seen.value is None and seen.output is None and is_cut(seen.stdout):
            limit = f"more than {MOST_KEPT} bytes were printed; a command can write its answer to {{output}}"
            return replace(seen, remark=_with(seen, f"its answer cannot be read: {limit}"), is_unreadable=True)
        try:
            answer = read_answer(kind, _given(seen))
            return replace(seen, value=answer, is_read=seen.value is None, is_unreadable=False)
        except UnreadableError as error:
            return replace(seen, value=None, remark=_with(seen, str(error)), is_unreadable=True)

    return Understood(system, read)


def read_answer(kind: str, given: object) -> Any:
    """An answer of a kind, from text or from a function's value. UnreadableError if it is something else."""
    expected, read = _READERS[kind]
    try:
        return read(given)
    except (ValueError, TypeError, SyntaxError, OSError, RecursionError, InputError) as error:
        shown = _shown(given)
        reason = error.message if isinstance(error, InputError) else str(error)
        what = f"its answer cannot be read: expected {expected}, not {shown}"
        raise UnreadableError(one_line(f"{what} ({reason})" if reason else what)) from None


def _given(seen: Observation) -> object:
    if seen.value is not None:
        return seen.value
    return seen.stdout if seen.output is None else seen.output


def _with(seen: Observation, reason: str) -> str:
    return "; ".join(filter(None, [seen.remark, reason]))


def _shown(given: object) -> str:
    text = given.decode(errors="replace") if isinstance(given, bytes) else given
    text = text if isinstance(text, str) else repr(text)
    if not text.strip():
        return "an empty text"
    folded = one_line(text)
    return f"'{folded}'" if len(folded) <= _SHOWN else f"'{folded[:_SHOWN]}…'"


def _consistency(given: object) -> bool:
    if isinstance(given, bool):
        return given
    found = _TRUTH.get(_text(given).strip().casefold())
    if found is None:
        raise ValueError
    return found


def _hierarchy(given: object) -> Hierarchy | bool:
    if not isinstance(given, str | bytes):
        return hierarchy_in_json(given)
    text = _text(given).strip()
    if _TRUTH.get(text.casefold()) is False:
        return False
    parsed = _parsed(text) if text.startswith("{") else None
    if isinstance(parsed, Mapping) and not any(key.startswith("@") for key in parsed):
        return hierarchy_in_json(parsed)
    return hierarchy_in_graph(read_graph(text.encode(errors="surrogatepass")))


def _rows(given: object) -> Results:
    return results_in(_bytes(given)) if isinstance(given, str | bytes) else rows_of(given)


def _plain_text(given: object) -> str:
    if not isinstance(given, str | bytes):
        return json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)
    return _text(given).replace("\r\n", "\n").removesuffix("\n")


def _json(given: object) -> Any:
    found = json.loads(_text(given)) if isinstance(given, str | bytes) else given
    if found is None:
        raise ValueError("null is not an answer")
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None  # Turtle and TriG can also begin with a brace


def _text(given: object) -> str:
    if isinstance(given, bytes):
        return given.decode("utf-8-sig")
    if isinstance(given, str):
        return given.removeprefix("\ufeff")
    raise TypeError


def _bytes(given: str | bytes) -> bytes:
    return given.encode(errors="surrogatepass") if isinstance(given, str) else given


_READERS: Mapping[str, tuple[str, Callable[[object], Any]]] = {
    "consistency": ("'consistent' or 'inconsistent'", _consistency),
    "hierarchy": (
        "an ontology, a JSON object of classes and arrays of their superclasses, or 'inconsistent'",
        _hierarchy,
    ),
    "rows": ("SPARQL results in JSON, XML, TSV or CSV", _rows),
    "json": ("JSON", _json),
    "text": ("text", _plain_text),
}
KINDS = tuple(_READERS)
"""The kinds of answers."""


def hierarchy_in_json(value: object) -> Hierarchy | bool:
    """From a mapping of classes to lists of their superclasses; False stands for an inconsistent ontology.

    ValueError if it is neither. The superclasses may be the direct ones or all: the pairs are closed first.
    """
    if value is False:
        return False
    if not isinstance(value, Mapping):
        raise TypeError("it is not an object")
    pairs: _Pairs = []
    classes: list[NamedNode] = []
    for name, above in value.items():
        lower = _class(name)
        classes.append(lower)
        if not isinstance(above, list | tuple | set | frozenset):
            raise TypeError(f"the superclasses of {name} are not an array")
        pairs += [(lower, _class(upper)) for upper in above]
    return _implied_by(pairs, classes)


def hierarchy_in_graph(graph: Graph) -> Hierarchy | bool:
    """From the axioms of an ontology about named classes. ValueError if it has none about classes."""
    pairs: _Pairs = []
    classes: list[NamedNode] = []
    is_ontology = False
    for subject, predicate, object_ in graph:
        is_ontology = is_ontology or (predicate == RDF.type and object_ == OWL.Ontology)
        if not isinstance(subject, NamedNode) or not isinstance(object_, NamedNode):
            continue
        if predicate == RDF.type and object_ in (OWL.Class, RDFS.Class):
            classes.append(subject)
        elif predicate == RDFS.subClassOf:
            pairs.append((subject, object_))
        elif predicate == OWL.equivalentClass:
            pairs += [(subject, object_), (object_, subject)]
    if not pairs and not classes and not is_ontology:
        raise ValueError("it has no axioms about classes")
    return _implied_by(pairs, classes)


def _class(name: object) -> NamedNode:
    text = str(name)
    bare = text[1:-1] if text.startswith("<") and text.endswith(">") else text
    try:
        return NamedNode(bare)
    except ValueError:
        raise ValueError(f"'{text[:80]}' is not an absolute IRI") from None


def _implied_by(pairs: _Pairs, classes: Iterable[NamedNode]) -> Hierarchy | bool:
    """The hierarchy that follows from some pairs; False if nothing can exist."""
    above: dict[NamedNode, list[NamedNode]] = {name: [] for name in (*classes, *_EXTREMES)}
    below: dict[NamedNode, list[NamedNode]] = defaultdict(list)
    for lower, upper in pairs:
        above.setdefault(lower, []).append(upper)
        above.setdefault(upper, [])
        below[upper].append(lower)
    impossible = reached([OWL.Nothing], lambda name: below.get(name, ()))
    if OWL.Thing in impossible:
        return False
    top = reached([OWL.Thing], above.__getitem__).keys() - _EXTREMES
    possible = [name for name in above if name not in impossible and name != OWL.Thing]
    kept = [pair for pair in pairs if impossible.keys().isdisjoint(pair) and OWL.Thing not in pair]
    kept += [(lower, upper) for upper in top for lower in possible]  # every class is below those that equal owl:Thing
    groups, parents = _direct(possible, kept)
    return Hierarchy(groups, parents, frozenset(impossible) - _EXTREMES)


def _direct(names: list[NamedNode], pairs: _Pairs) -> tuple[_Groups, _Groups]:
    """The groups of equivalent classes, each under its first name, and the names of the groups directly above each."""
    places = {name: place for place, name in enumerate(names)}
    edges = Edges.of([(places[lower], places[upper]) for lower, upper in pairs], len(names))
    condensed = Condensed(edges, range(len(names)))
    members = [frozenset(names[place] for place in component) for component in condensed.members]
    first = [min(member, key=str) for member in members]
    groups = dict(zip(first, members, strict=True))
    parents = [frozenset(first[each] for each in following) for following in condensed.direct()]
    return groups, dict(zip(first, parents, strict=True))


def results_in(text: bytes) -> Results:
    """The results in a text: SPARQL's formats in JSON, XML, TSV and CSV. ValueError or SyntaxError if it has none.

    CSV does not distinguish IRIs, numbers and texts, so it can be compared only with CSV.
    """
    start = text.lstrip()[:1]
    if start == b"{":
        return solutions(text, QueryResultsFormat.JSON)
    if start == b"<":
        return solutions(text, QueryResultsFormat.XML)
    if start == b"?" or (b"\n" in text and not text.split(b"\n", 1)[0].strip()):
        return solutions(text, QueryResultsFormat.TSV)
    return _csv(text.decode("utf-8-sig"))


def solutions(text: bytes, format_: QueryResultsFormat) -> Results:
    """The results in a text of a known format. ValueError or SyntaxError if it is not in that format."""
    found = parse_query_results(text, format=format_)
    if isinstance(found, QueryBoolean):
        return bool(found)
    if not isinstance(found, QuerySolutions):
        raise TypeError("neither rows nor a truth value")
    variables = sorted(found.variables, key=str)
    return _counted(tuple(term_text(row[variable]) for variable in variables) for row in found)


def rows_of(value: object) -> Results:
    """Rows that a function returned: lists of cells, or mappings from variables to cells. ValueError if it has none."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping) and "head" in value:
        return solutions(json.dumps(value).encode(), QueryResultsFormat.JSON)
    if not isinstance(value, list | tuple | set | frozenset):
        raise TypeError("it is not a list of rows")
    rows = list(value)
    if all(isinstance(row, Mapping) for row in rows):
        variables = sorted({str(name) for row in rows for name in row})
        return _counted(tuple(_cell(row.get(name)) for name in variables) for row in rows)
    if all(isinstance(row, list | tuple) for row in rows) and len({len(row) for row in rows}) <= 1:
        return _counted(tuple(map(_cell, row)) for row in rows)
    raise ValueError("its items are not all rows of the same form")


def term_text(term: Any) -> str:
    """A term as in N-Triples, but blank nodes without their labels; an empty text for an unbound variable."""
    if term is None:
        return ""
    if isinstance(term, BlankNode):
        return _BLANK
    if isinstance(term, Triple):
        return f"<<( {term_text(term.subject)} {term_text(term.predicate)} {term_text(term.object)} )>>"
    return str(term)


def _csv(text: str) -> Results:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    if not rows or len(set(rows[0])) < len(rows[0]) or not all(map(_VARIABLE.fullmatch, rows[0])):
        raise ValueError("the first line does not name the variables")
    order = sorted(range(len(rows[0])), key=lambda place: rows[0][place])
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(order) and (row or len(order) != 1):
            raise ValueError(f"row {number} has {number_of(len(row), 'value')} for {number_of(len(order), 'variable')}")
    cells = ([_BLANK if cell.startswith("_:") else cell for cell in row or [""]] for row in rows[1:])
    return _counted(tuple(row[place] for place in order) for row in cells)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _BLANK if value.startswith("_:") else value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"a cell has the type {type(value).__name__}")


def _counted(rows: Iterable[tuple[str, ...]]) -> Results:
    return frozenset(Counter(rows).items())

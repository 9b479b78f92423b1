"""What a use of a graph reads: from the entry of the table and the arguments of the call."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from kgprobe.rdf.terms import RDF
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.graph_paths import Callers, PatternReader, Patterns, shown
from kgprobe.selection.discovery.python.interfaces import Reading, Reads
from kgprobe.selection.discovery.python.modules import root_name
from kgprobe.selection.discovery.python.orm import OrmReader
from kgprobe.selection.discovery.python.sql_calls import Asked, CallsOf, SqlCalls
from kgprobe.selection.discovery.python.variables import ModuleCode
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.sparql.reading import looks_like_query
from kgprobe.sparql.uses import ANYTHING, AnyUse, Slot, TripleUse, Use

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.graph_flow import FlowFindings
    from kgprobe.selection.discovery.python.tracking import Tracked

__all__ = ["NO_GRAPHS", "GraphReader"]

_SHORT: Final = {"s": "subject", "p": "predicate", "o": "object"}
_QUERY_NAMES: Final = ("query", "query_object", "update_object", "update", "queryString")
NO_GRAPHS: Final = ("session", "db", "df", "frame")
"""The ends of names that hardly mean a graph; what they stand for has a method `query`, too."""
_LISTS: Final = tuple(Slot(frozenset([node])) for node in (RDF.first, RDF.rest))


class GraphReader:
    """Notes what uses read."""

    def __init__(
        self,
        folder: ConstantFolder,
        vocabulary: Vocabulary,
        found: FlowFindings,
        callers: Callers,
        is_fixed: Callable[[str], bool],
        calls_of: CallsOf,
    ) -> None:
        self._folder = folder
        self._vocabulary = vocabulary
        self._found = found
        self._patterns = PatternReader(folder, callers, is_fixed)
        self._calls = SqlCalls(folder, calls_of)
        self._orm = OrmReader(folder)

    def read(
        self, reading: Reading, file: ModuleCode, node: ast.AST, value: Tracked, name: str, given: ast.expr | None
    ) -> None:
        """Note what a use reads. `given` is its call, or the operand of its operator."""
        line = getattr(node, "lineno", None)
        match reading.reads:
            case Reads.NOTHING:
                return
            case Reads.EVERYTHING:
                self._found.uses.append(AnyUse(shown(node), line))
            case Reads.LIST:
                self._found.uses += [
                    TripleUse(ANYTHING, each, ANYTHING, text=shown(node), line=line) for each in _LISTS
                ]
            case Reads.PATTERN | Reads.CLOSURE:
                self._pattern(reading, file, node, value, given)
            case Reads.TRIPLE:
                self._triple(file, node, value, given)
            case Reads.SLICE:
                self._slice(reading, file, node, value, given)
            case Reads.QUERY | Reads.UPDATE:
                self._text(reading, file, node, given)
            case Reads.NAME:
                self._name(file, node, name, given)
            case Reads.SQL:
                self._sql(file, node, given)

    # -- patterns ------------------------------------------------------------------------------------------------

    def _note(self, given: Patterns, file: ModuleCode, node: ast.AST, value: Tracked) -> None:
        parts = [given.subject, given.predicate, given.object]
        uses = self._patterns.uses(given, file.scope(node), node, has_paths="oxigraph" not in value.interface)  # type: ignore[arg-type]
        self._found.uses += [_whole_if_open(use) for use in uses]
        self._claim(*parts)

    def _claim(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self._found.claimed.update(map(id, ast.walk(node)))

    def _pattern(
        self, reading: Reading, file: ModuleCode, node: ast.AST, value: Tracked, given: ast.expr | None
    ) -> None:
        if not isinstance(given, ast.Call):
            self._found.uses.append(AnyUse(shown(node), getattr(node, "lineno", None)))
            return
        is_packed = any(isinstance(each, ast.Starred) for each in given.args)
        if is_packed or any(keyword.arg is None for keyword in given.keywords):
            self._found.uses.append(AnyUse(shown(node), given.lineno))
            return
        parts: dict[str, ast.expr] = dict(zip(reading.places, given.args, strict=False))
        for keyword in given.keywords:
            name = _SHORT.get(keyword.arg or "", keyword.arg or "")
            if name in ("subject", "predicate", "object"):
                parts[name] = keyword.value
        self._note(Patterns(**parts, is_closure=reading.reads is Reads.CLOSURE), file, node, value)

    def _triple(self, file: ModuleCode, node: ast.AST, value: Tracked, given: ast.expr | None) -> None:
        if isinstance(given, ast.Call):
            only = given.args[0] if given.args else None
            given = given.keywords[0].value if only is None and len(given.keywords) == 1 else only
        parts = given.elts if isinstance(given, ast.Tuple | ast.List) else []
        if len(parts) in (3, 4) and not any(isinstance(each, ast.Starred) for each in parts):
            self._note(Patterns(parts[0], parts[1], parts[2]), file, node, value)
            return
        self._found.uses.append(AnyUse(shown(node), getattr(node, "lineno", None)))

    def _slice(self, reading: Reading, file: ModuleCode, node: ast.AST, value: Tracked, given: ast.expr | None) -> None:
        parts: dict[str, ast.expr | None] = {}
        places = reading.places or ("subject", "predicate", "object")
        if isinstance(given, ast.Slice):
            parts = dict(zip(places, (given.lower, given.upper, given.step), strict=False))
        elif isinstance(given, ast.expr):
            parts = {places[0]: given}
        pattern = Patterns(parts.get("subject"), parts.get("predicate"), parts.get("object"))
        self._note(pattern, file, node, value)

    # -- queries and names ---------------------------------------------------------------------------------------

    def _text(self, reading: Reading, file: ModuleCode, node: ast.AST, given: ast.expr | None) -> None:
        is_update = reading.reads is Reads.UPDATE
        line = getattr(node, "lineno", 0)
        text = given.args[0] if isinstance(given, ast.Call) and given.args else None
        if isinstance(given, ast.Call) and text is None:
            text = next((each.value for each in given.keywords if each.arg in _QUERY_NAMES), None)
        texts = None if text is None else self._folder.texts(text, file.scope(node))
        if texts is None and not is_update and isinstance(given, ast.Call) and text is not None:
            is_method = isinstance(given.func, ast.Attribute)
            if is_method and not (root_name(given.func) or "").lower().endswith(NO_GRAPHS):
                return  # the reader of queries takes care of it
        if texts is None:
            what = "an update" if is_update else "a query"
            self._found.unseen.append((f"{what} is built when the test runs", line, file.module))
            return
        for each in texts:
            is_read = isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and looks_like_query(each)
            if is_update:
                self._found.updates.append((each, line, file.module))
            elif not is_read:
                self._found.queries.append((each, line, file.module))

    def _sql(self, file: ModuleCode, node: ast.AST, given: ast.expr | None) -> None:
        line = getattr(node, "lineno", 0)
        if isinstance(given, ast.Call) and not (given.args or given.keywords):
            return  # `answer.scalars()`
        asked = self._calls.asked(given, file.scope(node)) if isinstance(given, ast.Call) else None
        if asked is None and isinstance(given, ast.Call):
            statement = self._orm.statement(given, file)
            asked = None if statement is None else [Asked(statement, ())]
        if asked is None:
            what = f"kgprobe does not know what `{shown(node)}` asks a database"
            self._found.unseen.append((what, line, file.module))
            return
        self._found.sql += [(each, line, file.module) for each in asked if not looks_like_query(each.text)]
        self._found.asks_sql = True
        sql = self._calls.sql_of(given) if isinstance(given, ast.Call) else None
        if sql is not None:
            self._found.claimed.add(id(given))
            self._found.asked_sql += [(sql, file.module), *((each, scope.module) for each, scope in self._calls.given)]

    def _name(self, file: ModuleCode, node: ast.AST, name: str, given: ast.expr | None) -> None:
        """A member that is the name of a term."""
        line = getattr(node, "lineno", 0)
        names = (name,) if given is None else self._folder.texts(given, file.scope(node))
        found = [term for each in names or () for term in self._vocabulary.resolve(each)]
        if not found:
            self._found.unseen.append((f"kgprobe does not know what `{shown(node)}` reads", line, file.module))
        self._found.named += [(term.value, line) for term in found]
        self._claim(given)


def _whole_if_open(use: Use) -> Use:
    """A pattern that names no term matches everything."""
    if isinstance(use, TripleUse) and use.subject.terms is use.predicate.terms is use.object.terms is None:
        return use if use.conditions else AnyUse(use.text, use.line)
    return use

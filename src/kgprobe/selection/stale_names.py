"""Names in tests that a change makes stale: entities that are deleted or deprecated, and labels that change."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, Literal, NamedNode
from kgprobe.selection.discovery.files import SQL_SUFFIXES, text_of
from kgprobe.selection.discovery.sql_files import looks_like_sql
from kgprobe.selection.ontology_versions import parsed
from kgprobe.selection.tests import Test, named_in
from kgprobe.selection.vocabulary import LABELS, terms_labelled
from kgprobe.sparql.comments import line_of, lines_that_ignore

INTENDED = "unknown-term"  # the code that a comment `# kgprobe: ignore CODE` names

_QUERIES = (".rq", ".sparql")


def named_but_gone(versions: Versions, tests: Iterable[Test]) -> tuple[list[Test], Mapping[str, tuple[NamedNode, ...]]]:
    """The tests without the places that mean to name a deleted or deprecated entity, and what each test names so.

    If there are no such entities, no tests are returned.
    """
    tests = list(tests)
    gone = _gone(versions, dict.fromkeys(term for test in tests for term in _named(test)))
    if not gone:
        return [], {}
    known = [_heeding_comments(test, gone) for test in tests]
    names = {}
    for test, heeding in zip(tests, known, strict=True):
        intended = {mention.term for mention in test.mentions} - {mention.term for mention in heeding.mentions}
        terms = dict.fromkeys(term for term in _named(heeding) if term in gone and term not in intended)
        if terms:
            names[test.name] = tuple(terms)
    return known, names


def _named(test: Test) -> Iterator[NamedNode]:
    """The terms that a test names. In Python, a name may be built, so that it stands in no place of the code."""
    yield from (mention.term for mention in test.mentions)
    for use in test.uses if test.language.runs_in_pytest else ():
        yield from (term for term in named_in(use) if isinstance(term, NamedNode))


def _gone(versions: Versions, named: Iterable[NamedNode]) -> set[NamedNode]:
    """The terms that the new version no longer has, or has deprecated."""
    old, new = versions.old, versions.new
    removed = {subject for subject, _, _ in versions.gone}
    deprecated = new.key(OWL.deprecated)
    newly_deprecated = {subject for subject, predicate, _ in versions.come if predicate == deprecated}
    gone = set()
    for term in named:
        key = old.key(term)
        if (key in removed and not new.mentions(term)) or (
            key in newly_deprecated and old.mentions(term) and is_deprecated(term, new) and not is_deprecated(term, old)
        ):
            gone.add(term)
    return gone


def is_deprecated(term: NamedNode, graph: Graph) -> bool:
    """Whether a graph says that an entity is deprecated."""
    values = (triple.object for triple in graph.triples(term, OWL.deprecated))
    return any(isinstance(value, Literal) and value.value in ("true", "1") for value in values)


def _heeding_comments(test: Test, gone: Collection[NamedNode]) -> Test:
    """The test without the places where it names an entity that is gone, and a comment says that this is intended."""
    ignoring: dict[Path, tuple[str, frozenset[int]]] = {}
    kept = []
    for mention in test.mentions:
        if mention.term in gone:
            if mention.file not in ignoring:
                text = text_of(mention.file) or ""
                is_sparql = mention.file.suffix in _QUERIES
                ignoring[mention.file] = text, lines_that_ignore(INTENDED, text, is_sparql=is_sparql)
            text, lines = ignoring[mention.file]
            if lines and line_of(mention.start, text) in lines:
                continue
        kept.append(mention)
    return test if len(kept) == len(test.mentions) else replace(test, mentions=tuple(kept))


# -- string constants in SQL, CSV and Python, with their places, and how another text is written in the same place -----


_SQL = re.compile(
    r"--[^\n]*|/\*.*?\*/|\"(?>(?:[^\"]|\"\")*)\"|(?P<mark>\b(?:[eEnNxXbB]|[uU]&))?'(?P<text>(?>(?:[^']|'')*))'",
    re.DOTALL,
)
_WORD_BEFORE = re.compile(r"(\w+|[^\s\w])\s*\Z")
_NOT_A_VALUE = ("as", "||", "|", "+", "concat", "comment")
_PATTERNS = ("like", "ilike", "to", "~", "*", "glob", "regexp", "rlike")  # SIMILAR TO, ~*
_ASKS = re.compile(r"select|insert|update|delete|execute", re.IGNORECASE)
_LITERAL = re.compile(r"(?P<prefix>[rRuU]?)(?P<quote>'''|\"\"\"|'|\")(?P<inner>.*)(?P=quote)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant and its place in the text. `written_as` gives another value in its place, or None if it cannot."""

    value: str
    start: int
    end: int
    written_as: Callable[[str], str | None]


def constants_of(test: Test, text: str, file: Path) -> Iterator[Constant]:
    """The constants of a test in a file with this text, as far as they may be values of the data."""
    if file.name.lower().endswith(SQL_SUFFIXES):
        yield from _in_sql(text)
    elif file.suffix.lower() in (".csv", ".tsv"):
        yield from _in_csv(text)
    elif file.suffix == ".py" and _ASKS.search(text):
        yield from _in_python(text, test.name.split("::")[1:])


def _in_sql(text: str) -> Iterator[Constant]:
    for hit in _SQL.finditer(text):
        inside = hit["text"]
        if inside is None or (hit["mark"] or "n") not in "nNeE" or "\\" in inside:
            continue
        before = _WORD_BEFORE.search(text, max(hit.start() - 40, 0), hit.start())
        word = before[1].lower() if before else ""
        after = text[hit.end() : hit.end() + 40].lstrip()
        if word in _NOT_A_VALUE or after.startswith(("||", "+", "'")):
            continue
        is_pattern = word in _PATTERNS
        yield Constant(
            inside.replace("''", "'"),
            hit.start("text"),
            hit.end("text"),
            lambda new, is_pattern=is_pattern: _as_sql(new, is_pattern=is_pattern),  # type: ignore[misc]
        )


def _as_sql(new: str, *, is_pattern: bool) -> str | None:
    if "\\" in new or (is_pattern and not new.replace(" ", "").isalnum()):
        return None
    return new.replace("'", "''")


def _in_csv(text: str) -> Iterator[Constant]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    cell = re.compile(
        rf'(?:^|(?<={delimiter}))[ ]*+(?:"((?>(?:[^"]|"")*))"|([^"{delimiter}\r\n]*+))[ ]*+(?=[{delimiter}\r\n]|\Z)',
        re.M,
    )
    for hit in cell.finditer(text):
        if hit[1] is not None:
            value = hit[1].replace('""', '"')
            yield Constant(value, *hit.span(1), lambda new: new.replace('"', '""'))
        elif value := hit[2].strip():
            start = hit.start(2)
            yield Constant(value, start, start + len(hit[2].rstrip()), lambda new: _as_cell(new, delimiter))


def _as_cell(new: str, delimiter: str) -> str:
    is_plain = new == new.strip() and not any(mark in new for mark in (delimiter, '"', "\n", "\r"))
    return new if is_plain else '"' + new.replace('"', '""') + '"'


# -- Python: values that are bound to SQL, cases, marks, and the constants in SQL itself -------------------------------


def _in_python(text: str, names: list[str]) -> Iterator[Constant]:
    module = _parsed(text)
    function = None if module is None else _function(module, names)
    if module is None or function is None:
        return
    places = _Places(text)
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    shared = [
        node
        for node in module.body
        if isinstance(node, ast.Assign) and any(isinstance(name, ast.Name) and name.id in used for name in node.targets)
    ]
    inside_texts = {
        id(part) for node in ast.walk(function) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
    }
    asked = [node for node in _strings([function, *shared]) if id(node) not in inside_texts]
    for node in asked:
        if looks_like_sql(node.value):
            yield from _sql_in(node, places)
    values = [*function.decorator_list]
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        if any(looks_like_sql(string.value) for string in _strings(call.args[:1])) or _names_sql(call, shared):
            values += [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    seen: set[int] = set()
    for node in _strings(values):
        if id(node) not in seen and id(node) not in inside_texts and (constant := _literal(node, places)) is not None:
            seen.add(id(node))
            yield constant


@lru_cache(maxsize=4)  # a file has many tests
def _parsed(text: str) -> ast.Module | None:
    return parsed(text)


def _function(module: ast.Module, names: list[str]) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    body: list[ast.stmt] = module.body
    found: ast.stmt | None = None
    for name in names:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = next((node for node in body if isinstance(node, kinds) and node.name == name), None)
        body = found.body if isinstance(found, kinds) else []
    return found if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None


class _StringNode(ast.Constant):
    value: str


def _strings(nodes: Iterable[ast.AST]) -> Iterator[_StringNode]:
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part  # type: ignore[misc]


def _names_sql(call: ast.Call, shared: list[ast.Assign]) -> bool:
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.Name):
        return False
    texts = (node for node in shared if any(isinstance(t, ast.Name) and t.id == first.id for t in node.targets))
    return any(looks_like_sql(string.value) for node in texts for string in _strings([node.value]))


class _Places:
    """The places of nodes: Python counts the bytes of a line."""

    def __init__(self, text: str) -> None:
        self.text = text
        lines = text.splitlines(keepends=True) if "\f" not in text and "\x0b" not in text else text.split("\n")
        self._lines = re.findall(r"[^\n]*\n|[^\n]+\Z", text) or lines
        self._starts = [0, *accumulate(map(len, self._lines))]

    def of(self, line: int, column: int) -> int:
        row = self._lines[line - 1] if line <= len(self._lines) else ""
        return self._starts[line - 1] + len(row.encode()[:column].decode(errors="replace"))


def _source(node: ast.Constant, places: _Places) -> tuple[int, re.Match[str]] | None:
    """The start of a constant and its parts; None unless it is one literal."""
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    start, end = places.of(node.lineno, node.col_offset), places.of(node.end_lineno, node.end_col_offset)
    found = _LITERAL.match(places.text[start:end])
    if found is None or re.search(rf"(?<!\\)(?:\\\\)*{found['quote']}", found["inner"]):
        return None
    return start, found


def _literal(node: _StringNode, places: _Places) -> Constant | None:
    source = _source(node, places)
    if source is None:
        return None
    start, found = source
    return Constant(
        node.value,
        start + found.start("inner"),
        start + found.end("inner"),
        lambda new: _as_python(new, found["prefix"], found["quote"], only_ascii="\\" in found["inner"]),
    )


def _sql_in(node: _StringNode, places: _Places) -> Iterator[Constant]:
    source = _source(node, places)
    if source is None or source[1]["inner"] != node.value:
        return
    start, found = source
    for constant in _in_sql(node.value):

        def written_as(new: str, constant: Constant = constant) -> str | None:
            sql = constant.written_as(new)
            return None if sql is None else _as_python(sql, found["prefix"], found["quote"], only_ascii=False)

        offset = start + found.start("inner")
        yield Constant(constant.value, offset + constant.start, offset + constant.end, written_as)


def _as_python(new: str, prefix: str, quote: str, *, only_ascii: bool) -> str | None:
    if "r" in prefix.lower():
        return new if "\\" not in new and quote[0] not in new and "\n" not in new else None
    escaped = new.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if len(quote) == 1 or quote[0] in new[-1:] or quote in new:
        escaped = escaped.replace(quote[0], f"\\{quote[0]}")
    if only_ascii and not escaped.isascii():
        return "".join(sign if sign.isascii() else sign.encode("unicode_escape").decode() for sign in escaped)
    return escaped


# -- labels that a change takes away: the entity is gone or deprecated, or has another label now -----------------------


@dataclass(frozen=True, slots=True)
class StaleLabel:
    """A label that no entity has any more, and the entity that had it. `is_gone` says that the entity went with it.

    `now` is its new label, if it has exactly one instead of the old one.
    """

    label: str
    term: NamedNode
    is_gone: bool
    now: str | None = None


@dataclass(frozen=True, slots=True)
class StalePlace:
    """A constant of a test that is a stale label."""

    test: Test
    file: Path
    stale: StaleLabel
    constant: Constant


def stale_places(tests: Iterable[Test], versions: Versions) -> list[StalePlace]:
    """Where tests have stale labels as values. A comment can say that this is intended."""
    lost = _lost_labels(versions)
    found: list[tuple[Test, Path, Constant]] = []
    texts: dict[Path, str | None] = {}
    for test in tests if lost else ():
        for file in dict.fromkeys((*filter(None, (test.file,)), *test.parts)):
            if file not in texts:
                texts[file] = text_of(file)
            text = texts[file]
            if text is not None:
                found += ((test, file, said) for said in constants_of(test, text, file) if said.value in lost)
    stale = _stale({constant.value: lost[constant.value] for _, _, constant in found}, versions) if found else {}
    return [
        StalePlace(test, file, stale[constant.value], constant)
        for test, file, constant in found
        if constant.value in stale and not _is_intended(constant, texts[file] or "")
    ]


def _is_intended(constant: Constant, text: str) -> bool:
    ignored = lines_that_ignore(INTENDED, text, is_sparql=False)
    return bool(ignored) and line_of(constant.start, text) in ignored


def _lost_labels(versions: Versions) -> dict[str, set[NamedNode]]:
    """The labels that entities have lost, or that newly deprecated ones have. Others may still have them."""
    old, new = versions.old, versions.new
    labels = {old.key(predicate) for predicate in LABELS}
    lost = {(subject, value) for subject, predicate, value in versions.gone if predicate in labels}
    deprecated = new.key(OWL.deprecated)
    for subject in {subject for subject, predicate, _ in versions.come if predicate == deprecated}:
        lost |= {(subject, value) for predicate in labels for value in old.objects(subject, predicate)}
    found: dict[str, set[NamedNode]] = {}
    for subject, value in lost:
        term, label = old.term(subject), old.term(value)
        if isinstance(term, NamedNode) and isinstance(label, Literal):
            found.setdefault(label.value, set()).add(term)
    return found


def _stale(lost: Mapping[str, Collection[NamedNode]], versions: Versions) -> dict[str, StaleLabel]:
    """Those of the labels that the new version gives to no entity, or only to deprecated ones.

    A label that other entities still have, or that several had, says too little.
    """
    old, new = (terms_labelled(graph, lost) for graph in (versions.old, versions.new))
    found = {}
    for label in lost:
        before = [term for term in old.get(label, ()) if not is_deprecated(term, versions.old)]
        after = [term for term in new.get(label, ()) if not is_deprecated(term, versions.new)]
        if len(before) == 1 and not after:
            found[label] = _stale_label(label, before[0], versions)
    return found


def _stale_label(label: str, term: NamedNode, versions: Versions) -> StaleLabel:
    if not versions.new.mentions(term) or is_deprecated(term, versions.new):
        return StaleLabel(label, term, is_gone=True)
    kinds = {kind for text, kind in _labels(term, versions.old) if text == label}
    now = list(_labels(term, versions.new))
    texts = {text for text, kind in now if kind in kinds} or {text for text, _ in now}
    return StaleLabel(label, term, is_gone=False, now=next(iter(texts)) if len(texts) == 1 else None)


def _labels(term: NamedNode, graph: Graph) -> Iterator[tuple[str, tuple[NamedNode, str | None]]]:
    for predicate in LABELS:
        for triple in graph.triples(term, predicate):
            if isinstance(triple.object, Literal):
                yield triple.object.value, (predicate, triple.object.language)

"""The constants that an expression stands for, if it depends on nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from kgprobe.selection.warehouse.sql.places import MARK, possible_texts

__all__ = ["TEXT_TYPES", "Folding", "escaped", "from_regular"]

TEXT_TYPES = frozenset([exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.NVARCHAR])
_MOST = 5000
_LISTS_WORDS = """
    string_to_array string_to_table regexp_split_to_table regexp_split_to_array string_split str_split split
    string_to_list split_to_table
"""
_LISTS = frozenset(_LISTS_WORDS.split())
_JSON_LISTS_WORDS = """
    json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text json_each
    json_array jsonb_build_array json_build_array parse_json from_json json json_table
"""
_JSON_LISTS = frozenset(_JSON_LISTS_WORDS.split())
_ELEMENT = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^,{}"\\]*?))\s*(,|\Z)')
_PLAIN_REGULAR = re.compile(r"(\^?)(\(?)([\w :/#,;@&'\"<>=!%~-]+(?:\|[\w :/#,;@&'\"<>=!%~-]+)*)(\)?)(\$?)\Z")


class Folding:
    """Folds constants. `depends_on_content` becomes true if the content of a text decides what it means."""

    def __init__(self, names: Sequence[str] = (), parameters: Mapping[str, Sequence[str] | None] | None = None) -> None:
        self._names = names
        self._parameters = parameters or {}
        self.depends_on_content = False

    def texts(self, node: exp.Expr | None) -> frozenset[str] | None:
        """The texts that an expression can be; None if it is not constant, or not a text."""
        match node:
            case exp.Literal(is_string=True) | exp.National() | exp.RawString() | exp.Heredoc() | exp.ByteString():
                return possible_texts(node.name, self._names, self._parameters)
            case exp.Paren() | exp.Alias():
                return self.texts(node.this)
            case exp.Cast() if node.to is not None and node.to.this in TEXT_TYPES and not node.to.expressions:
                return self.texts(node.this)
            case exp.DPipe() | exp.Concat():
                parts = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
                return self._joined(parts, "")
            case exp.Lower():
                return self._changed(node, str.lower)
            case exp.Upper():
                return self._changed(node, str.upper)
            case exp.Trim() if not node.args.get("collation"):
                return self._trimmed(node)
        return None

    def items(self, node: exp.Expr | None) -> frozenset[str] | None:
        """The texts in a constant list, array or JSON array."""
        match node:
            case exp.Values():
                rows = [each.expressions if isinstance(each, exp.Tuple) else [each] for each in node.expressions]
                return self._all([row[0] for row in rows]) if all(len(row) == 1 for row in rows) else None
            case exp.Array() | exp.Tuple() | exp.JSONArray():
                return self._all(node.expressions)
            case exp.Unnest(expressions=[only]):
                return self.items(only)
            case exp.Paren() | exp.Alias() | exp.Explode() | exp.Cast() | exp.ParseJSON():
                return self.items(node.this)
            case exp.Literal(is_string=True):
                self.depends_on_content = True
                return None if MARK in node.name else _array(node.name)
            case exp.Split() | exp.StringToArray():
                return self._split(node.this, node.expression, node)
            case exp.Anonymous(expressions=[text, mark]) if node.name.lower() in _LISTS:
                return self._split(text, mark, node)
            case exp.Anonymous(expressions=[only]) if node.name.lower() in _JSON_LISTS:
                return self.items(only)
        return None

    def _all(self, nodes: Sequence[exp.Expr]) -> frozenset[str] | None:
        found: set[str] = set()
        for each in nodes:
            if isinstance(each, exp.Null):
                continue
            texts = self.texts(each)
            if texts is None:
                return None
            found |= texts
        return frozenset(found)

    def _joined(self, nodes: Sequence[exp.Expr], between: str) -> frozenset[str] | None:
        self.depends_on_content = True
        found = frozenset([""])
        for number, each in enumerate(nodes):
            texts = self.texts(each)
            if texts is None or len(texts) * len(found) > _MOST:
                return None
            found = frozenset(one + (between if number else "") + other for one in found for other in texts)
        return found

    def _changed(self, node: exp.Expr, change: Callable[[str], str]) -> frozenset[str] | None:
        self.depends_on_content = True
        texts = self.texts(node.this)
        return None if texts is None else frozenset(map(change, texts))

    def _trimmed(self, node: exp.Trim) -> frozenset[str] | None:
        side = str(node.args.get("position") or "BOTH").upper()
        characters = self.texts(node.expression) if node.expression is not None else frozenset([" "])
        if characters is None or len(characters) != 1:
            return None
        (those,) = characters
        if len(those) != 1:
            return None
        strip = {"LEADING": str.lstrip, "TRAILING": str.rstrip}.get(side, str.strip)
        return self._changed(node, lambda text: strip(text, those))

    def _split(self, text: exp.Expr | None, mark: exp.Expr | None, node: exp.Expr) -> frozenset[str] | None:
        self.depends_on_content = True
        texts, marks = self.texts(text), self.texts(mark)
        is_regular = isinstance(node, exp.Anonymous) and node.name.lower().startswith("regexp")
        if texts is None or marks is None or len(marks) != 1:
            return None
        (at,) = marks
        if not at or (is_regular and re.search(r"[^\w ,;/:-]", at)):
            return None
        return frozenset(part for each in texts for part in each.split(at))


def _array(text: str) -> frozenset[str] | None:
    """The elements of `{A,"B C"}` or of a JSON array of texts."""
    text = text.strip()
    if text.startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(items, list) or not all(isinstance(each, str) or each is None for each in items):
            return None
        return frozenset(each for each in items if each is not None)
    if not (text.startswith("{") and text.endswith("}")):
        return None
    body, place, found = text[1:-1], 0, set()
    while place < len(body):
        each = _ELEMENT.match(body, place)
        if each is None:
            return None
        if each[1] is not None:
            found.add(re.sub(r"\\(.)", r"\1", each[1]))
        elif each[2].upper() != "NULL":
            found.add(each[2])
        place = each.end()
    return frozenset(found)


def escaped(text: str) -> str:
    """A text as a part of a LIKE pattern with the escape character `!`."""
    return re.sub(r"([%_!])", r"!\1", text)


def from_regular(regular: str) -> tuple[str, ...] | None:
    """The LIKE patterns, with the escape character `!`, for a regular expression without special characters."""
    found = _PLAIN_REGULAR.match(regular)
    if (
        found is None
        or bool(found[2]) != bool(found[4])
        or ("|" in found[3] and not found[2] and (found[1] or found[5]))
    ):
        return None
    start, end = "" if found[1] else "%", "" if found[5] else "%"
    return tuple(f"{start}{escaped(each)}{end}" for each in found[3].split("|"))

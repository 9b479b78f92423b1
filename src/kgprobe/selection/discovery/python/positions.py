"""Where a text of a Python file stands in the file, if it is written there as it is."""

from __future__ import annotations

import ast

from kgprobe.selection.discovery.python.modules import Module

__all__ = ["name_place", "place_of"]


def place_of(node: ast.Constant, module: Module) -> int | None:
    """The character of the file that a text starts with; None if escapes or breaks make it another text there."""
    start, end = _place(node.lineno, node.col_offset, module), _place(node.end_lineno, node.end_col_offset, module)
    if start is None or end is None or not isinstance(node.value, str) or not node.value:
        return None
    place = module.text.find(node.value, start, end)
    # What stands before the text is a prefix and quotes, and nothing else.
    return place if place >= 0 and place - start <= 5 else None


def name_place(node: ast.expr, module: Module) -> tuple[int, str] | None:
    """Where a term is named, and how: `Pizza` in `EX.Pizza`, `EX["Pizza"]` and `"Pizza"`."""
    if isinstance(node, ast.Subscript):
        node = node.slice
    if isinstance(node, ast.Constant):
        place = place_of(node, module)
        return None if place is None else (place, str(node.value))
    end = _place(node.end_lineno, node.end_col_offset, module)
    if not isinstance(node, ast.Attribute) or end is None:
        return None
    start = end - len(node.attr)
    return (start, node.attr) if module.text[start:end] == node.attr else None


def _place(line: int | None, column: int | None, module: Module) -> int | None:
    if line is None or column is None:
        return None
    starts = module.line_starts
    if line > len(starts):
        return None
    start = starts[line - 1]
    # Columns count bytes.
    rest = module.text[start : start + column]
    return start + len(rest.encode()[:column].decode(errors="ignore"))

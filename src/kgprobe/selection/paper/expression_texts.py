"""Class expressions as the labels of property edges.

A filler that is a name is the target of its edge, and is not in the label: `<p>[some]`. A filler that is no name is in
the label, and the edge goes to each class, datatype and individual that is named in it. So a change anywhere inside a
nested expression changes a label or a target, and is not lost:

- a restriction is chained: `<p>[some <q>[only]]`;
- anything else is spelled out, with operands in order of their texts: `<p>[only (<A> or <B>)]`.

A label depends neither on the labels of blank nodes nor on the order of operands. A text that is too long to be read is
cut, and ends with a digest of all of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import chain

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Term
from kgprobe.selection.paper.expressions import FILLERS, Expressions, Restriction, Shape
from kgprobe.selection.paper.labels import UNDEFINED, spelled

__all__ = ["ExpressionTexts"]

_LONGEST = 1000
_LONGEST_CHAIN = 20


class ExpressionTexts:
    """The texts of the expressions of a graph; each is made once."""

    def __init__(self, graph: Graph, expressions: Expressions) -> None:
        self._graph = graph
        self._expressions = expressions
        self._texts: dict[Key, str] = {}
        self._plain_labels: dict[tuple[Key, str], str] = {}

    def plain(self, key: Key) -> tuple[Term, str] | None:
        """The target and the label of the edge of a restriction whose filler is a name: of almost all there are."""
        facts = self._expressions.facts[key]
        if len(facts) != 2:
            return None
        (first, on), (word, filler) = facts  # the property comes first
        target = self._graph.term(filler)
        if first != "onProperty" or word not in FILLERS or type(target) is not NamedNode:
            return None
        label = self._plain_labels.get((on, word))
        if label is None:
            label = self._plain_labels[on, word] = self.label(
                Restriction(self._expressions.property_text(on), FILLERS[word], filler)
            )
        return target, label

    def label(self, restriction: Restriction) -> str:
        """The label of a restriction's edges."""
        texts: list[str] = []
        links = 0
        while True:
            texts.append(f"{restriction.property}[{restriction.kind}")
            filler = restriction.filler
            if filler is None or type(self._graph.term(filler)) is NamedNode:
                break
            chained = self._expressions.restrictions(filler)
            if len(chained) != 1 or links == _LONGEST_CHAIN or len(self._expressions.shapes(filler)) != 1:
                texts.append(self.text(filler))
                break
            links += 1
            restriction = chained[0]
        return _cut(" ".join(texts) + "]" * (links + 1))

    def text(self, key: Key) -> str:
        """The text of an expression or of a term."""
        texts = self._texts
        pending, open_ = [key], set[Key]()
        while pending:
            each = pending[-1]
            if each in texts:
                pending.pop()
                continue
            shapes = self._expressions.shapes(each) if each in self._expressions.anonymous else []
            if not shapes:
                texts[each] = spelled(self._graph.term(each))
                continue
            missing = [part for shape in shapes for part in shape.parts if part not in texts and part not in open_]
            if missing and each not in open_:
                open_.add(each)
                pending += missing
                continue
            texts[each] = self._joined(shapes)
            open_.discard(each)
        return texts[key]

    def definition(self, key: Key) -> str:
        """The text of what a node says of itself, even if it has a name."""
        shapes = self._expressions.shapes(key)
        for part in chain.from_iterable(shape.parts for shape in shapes):
            self.text(part)
        return self._joined(shapes)

    def _joined(self, shapes: Iterable[Shape]) -> str:
        """The text of a node, once those of its parts are known. A part without a text is part of itself."""
        texts = self._texts
        return _cut(
            " ".join(
                sorted(
                    before + between.join(sorted(texts.get(part, UNDEFINED) for part in parts)) + after
                    for before, between, after, parts in shapes
                )
            )
        )


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    # Between two names, so that what is left of them can be made short for people.
    return f"{text[:_LONGEST].rpartition(' ')[0]} … #{hashlib.sha256(text.encode()).hexdigest()[:16]}"

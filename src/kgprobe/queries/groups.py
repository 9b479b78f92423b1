"""The groups of a query, one in the other: every triple of every group is a use, wherever the group stands.

GRAPH is taken for what is inside it: there is one graph, which is there in any case.
"""

from __future__ import annotations

from kgprobe.graph.patterns.pattern import TriplePattern
from kgprobe.graph.terms import XSD
from kgprobe.queries.path_uses import patterns_of, uses_of
from kgprobe.queries.restrictions import Restrictions
from kgprobe.queries.source import Source
from kgprobe.queries.tree import Node
from kgprobe.queries.triples import PathTriple, TripleReader
from kgprobe.queries.uses import Use

__all__ = ["GroupReader"]


class GroupReader:
    """Collects what the groups of one query use."""

    def __init__(self, source: Source) -> None:
        self.uses: list[Use] = []
        self.patterns: list[TriplePattern] = []
        self.unseen: list[str] = []
        self._source = source
        self._triples = TripleReader(source)
        self._exists = 0  # how many EXISTS are around

    def read(self, node: Node) -> None:
        """Take everything in a part of the query: groups, and what expressions have inside."""
        pending = [node]
        while pending:
            node = pending.pop()
            if node.kind == "group_graph_pattern":
                self._group(node)
            elif node.kind in ("exists_func", "not_exists_func"):
                self._exists += 1
                self.read(node.children[-1])
                self._exists -= 1
            elif node.kind == "service_graph_pattern":
                self.unseen.append(f"line {self._source.line(node)}: SERVICE asks another system")
            else:
                if node.kind == "function_call":
                    self._call(node)
                pending += reversed(node.children)

    def read_template(self, node: Node) -> None:
        """Take the triples of a CONSTRUCT WHERE, which are pattern and template in one."""
        self.uses += uses_of(self._read_triples(node), Restrictions(self._source), self._triples)

    def _group(self, group: Node) -> None:
        triples: list[PathTriple] = []
        restrictions = Restrictions(self._source)
        place = len(self.uses)
        for node in group.children:
            match node.kind:
                case "triples_block":
                    triples += self._read_triples(node)
                case "filter":
                    if not restrictions.add_filter(node.children[-1]):
                        self.read(node)
                case "bind":
                    self.read(node)
                    if not self._exists:
                        restrictions.add_bind(*node.children)
                case "inline_data":
                    # In EXISTS some engines put the outer value of a variable into the triples, and not here.
                    if not self._exists:
                        restrictions.add_values(node.children[-1])
                case _:
                    self.read(node)
        self.uses[place:place] = uses_of(triples, restrictions, self._triples)

    def _read_triples(self, block: Node) -> list[PathTriple]:
        triples: list[PathTriple] = []
        for node in block.children:
            self._triples.read(node, triples)
        self.patterns += patterns_of(triples, self._triples)
        return triples

    def _call(self, node: Node) -> None:
        name = node.children[0]
        function = self._source.iri(name)
        if function is None or not function.value.startswith(XSD.iri):
            written = self._source.written(name)
            self.unseen.append(f"line {self._source.line(name)}: the function {written} may look at anything")

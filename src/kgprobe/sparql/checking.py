"""Checking a query against an ontology: reading it, finding what cannot match, and reporting it with its place."""

from __future__ import annotations

from collections.abc import Mapping

from kgprobe.queries.algebra import Document, Span
from kgprobe.queries.documents import read_document
from kgprobe.sparql.clash import ClashFinder
from kgprobe.sparql.clash_wording import concerned_variable, message_of
from kgprobe.sparql.diagnostics import Diagnostic, Related, Report, Severity, in_text_order
from kgprobe.sparql.facts import Fact, name_of
from kgprobe.sparql.names import StrangeName, strange_names
from kgprobe.sparql.proving import Finding, Prover
from kgprobe.sparql.schema import Schema
from kgprobe.sparql.texts import QueryText
from kgprobe.sparql.worlds import Role, worlds_of

__all__ = ["Checker"]


class Checker:
    """Checks queries against one ontology."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.finder = ClashFinder(schema)
        self._prover = Prover(schema, self.finder)

    def close(self) -> None:
        """End the processes of the reasoners."""
        self.finder.close()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self, query: QueryText, prefixes: Mapping[str, str] | None = None, *, tolerant: bool = False) -> Report:
        """The diagnostics of a query; InputError if it is not SPARQL, unless the check is tolerant."""
        document = read_document(query.text, query.file.name, prefixes, tolerant=tolerant)
        return self.check_document(document, query)

    def check_document(self, document: Document, query: QueryText) -> Report:
        """The diagnostics of a query that has been read."""
        found: list[Diagnostic] = [self._of_name(each, query) for each in strange_names(document, self.schema)]
        undecided: list[Related] = []
        for operation in document.operations:
            for each in self._prover.findings(worlds_of(operation)):
                if isinstance(each, Finding):
                    found.append(self._of_finding(each, query))
                else:
                    undecided.append(Related(query.place(each.world.span), each.why))
        return Report(1, in_text_order(found), tuple(dict.fromkeys(undecided)))

    def _of_finding(self, finding: Finding, query: QueryText) -> Diagnostic:
        is_error = finding.conflict.is_proof and not finding.world.is_negated and finding.world.role != Role.CONSTRUCT
        variable = concerned_variable(finding)
        place = query.place(finding.blamed.source.span)
        return Diagnostic(
            query.file.name,
            place,
            Severity.ERROR if is_error else Severity.WARNING,
            finding.conflict.code,
            message_of(finding, lambda fact: query.place(fact.source.span).line),
            query.file.line_text(place.line),
            None if variable is None else name_of(variable),
            tuple(map(self.schema.words, finding.conflict.axioms)),
            tuple(self._related(fact, query) for fact in finding.others),
        )

    def _related(self, fact: Fact, query: QueryText) -> Related:
        span = fact.source.span
        return Related(query.place(span), "takes part: " + " ".join(query.text[span.start : span.end].split()))

    def _of_name(self, strange: StrangeName, query: QueryText) -> Diagnostic:
        named = strange.use.named
        place = query.place(Span(named.start, named.end))
        return Diagnostic(
            query.file.name,
            place,
            Severity.ERROR if strange.is_error else Severity.WARNING,
            strange.code,
            strange.message,
            query.file.line_text(place.line),
        )

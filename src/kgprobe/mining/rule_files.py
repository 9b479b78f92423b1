"""Rules as JSON, as a CSV table, and as SHACL rules in Turtle."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyoxigraph import RdfFormat, serialize

from kgprobe.errors import InputError, Position, nearest
from kgprobe.mining.rules import MinedRules, Rule
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, SH, XSD, Literal, NamedNode, Term, Triple
from kgprobe.written_files import write_file

__all__ = ["as_json", "check_rules_file", "rule_text", "write_rules"]

_PREFIXES = {"rdf": RDF.iri, "rdfs": RDFS.iri, "owl": OWL.iri, "xsd": XSD.iri}
_COLUMNS = (
    *("body", "head", "support", "body_size", "head_size", "confidence", "pca_body_size", "pca_confidence"),
    "examples",
)
_RULE_NAMES = "urn:kgprobe:rule:"


def write_rules(path: str | Path, mined: MinedRules, *, force: bool = True) -> None:
    """Write rules to a file. Its name says whether as JSON, CSV or Turtle; InputError if it does not.

    Without `force`, a file that exists is not replaced, but an InputError.
    """
    write_file(Path(path), check_rules_file(path)(mined).encode(), force=force)


def check_rules_file(path: str | Path) -> Callable[[MinedRules], str]:
    """The function that makes the text of this file; InputError if its name has none of the known endings."""
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        meant = nearest(ending, _WRITERS)
        hint = f"did you mean '{meant}'?" if meant else f"its name must end in {', '.join(_WRITERS)}"
        raise InputError(f"no format for rules is known by the ending '{ending}'", where=Position(str(path)), hint=hint)
    return _WRITERS[ending]


def rule_text(rule: Rule) -> str:
    """A rule on one line, with short names for the terms of RDF, RDFS, OWL and XSD."""
    atoms = [" ".join(map(_short, atom)) for atom in (*rule.body, rule.head)]
    return f"{', '.join(atoms[:-1])} => {atoms[-1]}"


def _short(part: Variable | Term) -> str:
    if isinstance(part, NamedNode):
        for prefix, namespace in _PREFIXES.items():
            if part.value.startswith(namespace):
                return f"{prefix}:{part.value.removeprefix(namespace)}"
    return str(part)


# -- JSON --------------------------------------------------------------------------------------------------------------


def as_json(mined: MinedRules) -> dict[str, Any]:
    """Rules as a JSON value. Terms are written as in N-Triples, and variables as `?a`."""
    return {
        "rules": [_rule_as_json(rule) for rule in mined.rules],
        "complete": mined.is_complete,
        "not_explored": list(mined.not_explored),
    }


def _rule_as_json(rule: Rule) -> dict[str, Any]:
    return {
        "body": [_strings(atom) for atom in rule.body],
        "head": _strings(rule.head),
        "support": rule.support,
        "body_size": rule.body_size,
        "head_size": rule.head_size,
        "confidence": rule.confidence,
        "pca_body_size": rule.pca_body_size,
        "pca_confidence": rule.pca_confidence,
        "examples": [{f"?{name}": str(term) for name, term in each.items()} for each in rule.examples],
    }


def _json_text(mined: MinedRules) -> str:
    return json.dumps(as_json(mined), ensure_ascii=False, indent=2) + "\n"


# -- CSV ---------------------------------------------------------------------------------------------------------------


def _csv_text(mined: MinedRules) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for rule in mined.rules:
        row = _rule_as_json(rule)
        row["body"] = " . ".join(" ".join(atom) for atom in row["body"])
        row["head"] = " ".join(row["head"])
        row["examples"] = json.dumps(row["examples"], ensure_ascii=False)
        writer.writerow(row[column] for column in _COLUMNS)
    return text.getvalue()


# -- SHACL -------------------------------------------------------------------------------------------------------------


def _turtle_text(mined: MinedRules) -> str:
    triples = [triple for number, rule in enumerate(mined.rules, 1) for triple in _shacl(rule, number)]
    prefixes = {"sh": SH.iri, **_PREFIXES}
    text = serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes)
    return (text or b"").decode()


def _shacl(rule: Rule, number: int) -> Iterator[Triple]:
    """A shape with the rule. Its targets are the values that the body's first atom with ?a gives to ?a."""
    shape, inner = NamedNode(f"{_RULE_NAMES}{number}:shape"), NamedNode(f"{_RULE_NAMES}{number}")
    focus = Variable("a")
    subject, predicate, _ = next(atom for atom in rule.body if focus in atom)
    target = SH.targetSubjectsOf if subject == focus else SH.targetObjectsOf
    body, head = (" . ".join(map(_sparql, atoms)) for atoms in (rule.body, [rule.head]))
    counts = f"support {rule.support}, body {rule.body_size}, head {rule.head_size}, confidence {rule.confidence:.4g}"
    assert isinstance(predicate, NamedNode)  # noqa: S101 - the predicates of rules are constants
    yield Triple(shape, RDF.type, SH.NodeShape)
    yield Triple(shape, target, predicate)
    yield Triple(shape, SH.rule, inner)
    yield Triple(inner, RDF.type, SH.SPARQLRule)
    yield Triple(inner, RDFS.comment, Literal(counts))
    yield Triple(inner, SH.construct, Literal(f"CONSTRUCT {{ {head} }} WHERE {{ {body} }}"))


def _sparql(atom: TriplePattern) -> str:
    # SHACL binds $this to each target.
    return " ".join("$this" if part == Variable("a") else str(part) for part in atom)


def _strings(atom: TriplePattern) -> list[str]:
    return [str(part) for part in atom]


_WRITERS: dict[str, Callable[[MinedRules], str]] = {".json": _json_text, ".csv": _csv_text, ".ttl": _turtle_text}

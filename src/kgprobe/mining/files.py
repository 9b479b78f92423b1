"""Rules and mined operators as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyoxigraph import RdfFormat, serialize

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.mining.operators import MARK, Update, update_text
from kgprobe.mining.rules import MinedRules, Rule
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, SH, XSD, Literal, NamedNode, Term, Triple
from kgprobe.written_files import write_file

__all__ = ["as_json", "check_folder", "check_rules_file", "rule_text", "write_operators", "write_rules"]


_ENDING = ".ru"
_MOST_READ = 1 << 20  # no operator that kgprobe writes is larger


@dataclass(frozen=True)
class WrittenOperators:
    """The files of all operators, and those of an earlier run that were removed."""

    files: tuple[Path, ...]
    removed: tuple[Path, ...] = ()


def write_operators(updates: Iterable[Update], folder: str | Path, *, force: bool = False) -> WrittenOperators:
    """Write each operator to a file that is named after it.

    InputError, before anything is written, if the folder has other operators of an earlier run: `force` removes them.
    A file that kgprobe did not write is never replaced nor removed. Files with the same content stay as they are.
    """
    folder = Path(folder)
    texts: dict[Path, bytes] = {}
    for update in updates:
        number, name = 1, update.name
        while folder / (name + _ENDING) in texts:  # hardly ever: names end with a number made from the operator
            number += 1
            name = f"{update.name}-{number}"
        texts[folder / (name + _ENDING)] = update_text(replace(update, name=name)).encode()
    present = _present(folder)
    for path in texts:
        if path in present and not present[path]:
            message = "kgprobe did not write this file, and will not replace it"
            raise InputError(message, where=Position(str(path)), hint="name another folder with --out")
    stale = [path for path, text in present.items() if text is not None and texts.get(path) != text]
    if stale and not force:
        message = f"this folder already contains other mined operators, for example {stale[0].name}"
        hint = "name another folder with --out, or replace them with --force"
        raise InputError(message, where=Position(str(folder)), hint=hint)
    removed = tuple(path for path in stale if path not in texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            if present.get(path) != text:
                write_file(path, text, force=force or path in present)
        for path in removed:
            path.unlink()
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise InputError(message, where=Position(str(error.filename or folder))) from None
    return WrittenOperators(tuple(texts), removed)


def check_folder(folder: Path) -> None:
    """Raise InputError if this cannot be a folder."""
    try:
        is_other = folder.exists() and not folder.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        is_other = True
    if is_other:
        hint = "name the folder to write operators to"
        raise InputError("is not a folder", where=Position(str(folder)), hint=hint)


def _present(folder: Path) -> dict[Path, bytes | None]:
    """The operators in a folder: their texts, and None for those that kgprobe did not write."""
    check_folder(folder)
    contents: dict[Path, bytes | None] = {}
    mark = f"\n{MARK}\n".encode()
    try:
        for path in sorted(folder.glob(f"*{_ENDING}")) if folder.exists() else ():
            text = None
            if path.is_file() and path.stat().st_size <= _MOST_READ:
                text = path.read_bytes()
            contents[path] = text if text is not None and mark in text else None
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, where=Position(str(error.filename or folder))) from None
    return contents


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
        hint = did_you_mean(ending, _WRITERS, f"its name must end in {', '.join(_WRITERS)}")
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
        "examples": [{f"?{name}": str(term) for name, term in example.items()} for example in rule.examples],
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

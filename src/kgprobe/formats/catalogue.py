"""The formats: their names and file extensions, whether kgprobe can write them, and how to detect them.

The content of a text decides its format; the file name decides only where the content is ambiguous.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from kgprobe.errors import InputError, Position, nearest
from kgprobe.formats import xml_guard
from kgprobe.formats.source import Source

__all__ = ["FORMATS", "Format", "by_extension", "by_name", "detect"]

# A Turtle text can begin with the IRI `<?x>`, but not with these; an IRI has no space inside.
_XML = re.compile(r"\s*<(?:\?xml\s|!DOCTYPE\s|!--|[\w.:\-]+\s+[\w.:\-]+\s*=)")
_DOCTYPE = re.compile(r"<!DOCTYPE\s+(?:[^\s:>\[]+:)?([^\s:>\[]+)")
_HTML = re.compile(r"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+)?html\b[^<>]*>", re.IGNORECASE | re.DOTALL)
_COMMENT_LINES = re.compile(r"(?:\s*#[^\n]*(?:\n|$))*\s*")
# The first token of a text, after white space and comments.
_BEGINNINGS = (
    ("functional", re.compile(r"(?:Prefix|Ontology)\s*\(")),
    (
        "manchester",
        re.compile(
            r"(?:Prefix|Ontology|Import|Annotations|Class|Datatype|Individual|(?:Object|Data|Annotation)Property"
            r"|(?:Equivalent|Disjoint)(?:Classes|Properties)|SameIndividual|DifferentIndividuals):\s"
        ),
    ),
    ("jsonld", re.compile(r'\{\s*["}]|\[\s*[{\[]|\[\s*\]\s*$')),
    (
        "obo",
        re.compile(
            r"(?:!.*\n\s*)*(?:\[(?:Term|Typedef|Instance)\]|(?:format-version|data-version|ontology|date|saved-by"
            r"|auto-generated-by|default-namespace|subsetdef|synonymtypedef|idspace|remark|import)\s*:\s)"
        ),
    ),
)
_IRI = r"<[a-zA-Z][^<>\s:]*:[^<>\s]*>"
# Possessive: a label outside a statement is rejected in one pass.
_BLANK = r"_:\w++(?>(?:[.:\-]++\w++)*)"
_LITERAL = r'"(?:[^"\\\n]|\\.)*"(?:@[\w-]+|\^\^<[^>\s]*>)?'
_STATEMENT = re.compile(
    rf"(?:{_IRI}|{_BLANK})\s*{_IRI}\s*(?:{_IRI}|{_BLANK}|{_LITERAL})\s*(?P<graph>{_IRI}|{_BLANK})?\s*\.\s*(?:#.*)?"
)
_DIRECTIVE = re.compile(r"^[ \t]*(?:@prefix|@base|PREFIX|BASE)\s", re.IGNORECASE | re.MULTILINE)
_ANY_IRI = re.compile(r"<[^<>\s]*>")
# Strings (including one that the end of the text cuts off), IRIs, escapes and comments. Without these, only TriG has
# braces.
_OPAQUE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\s]*>"
    r"|\\."
    r"|#[^\n]*",
    re.DOTALL,
)
_CONTAIN_LINES = ("turtle", "trig", "ntriples", "nquads")
_STATEMENT_ENDS = (".", ";", ",")


@dataclass(frozen=True, slots=True)
class Format:
    """One syntax for graphs."""

    name: str
    title: str
    extensions: tuple[str, ...]
    writable: bool = True

    def __str__(self) -> str:
        return self.name


FORMATS = {
    format_.name: format_
    for format_ in (
        Format("turtle", "Turtle", ("ttl", "turtle", "shacl")),
        Format("ntriples", "N-Triples", ("nt", "ntriples")),
        Format("nquads", "N-Quads", ("nq", "nquads")),
        Format("trig", "TriG", ("trig",)),
        Format("rdfxml", "RDF/XML", ("rdf", "owl", "xml", "rdfs")),
        Format("jsonld", "JSON-LD", ("jsonld", "json")),
        Format("functional", "OWL functional syntax", ("ofn", "fss", "func")),
        Format("manchester", "OWL Manchester syntax", ("omn",), writable=False),
        Format("owlxml", "OWL/XML", ("owx",), writable=False),
        Format("obo", "OBO", ("obo",), writable=False),
        Format("tsv", "tab-separated triples", ("tsv",), writable=False),
    )
}


def by_name(name: str) -> Format:
    """The format with this name or file extension; otherwise `InputError` with the closest name as a hint."""
    wanted = name.casefold().lstrip(".")
    found = FORMATS.get(wanted) or by_extension(f"x.{wanted}")
    if found is None:
        meant = nearest(name, FORMATS)
        hint = f"did you mean '{meant}'?" if meant else f"available formats: {', '.join(FORMATS)}"
        raise InputError(f"no format named '{name}'", hint=hint)
    return found


def by_extension(file_name: str) -> Format | None:
    """The format that the extension of a file name suggests, if any; `.gz` is ignored."""
    extension = PurePath(file_name.removesuffix(".gz")).suffix.lstrip(".").casefold()
    return next((format_ for format_ in FORMATS.values() if extension in format_.extensions), None)


def detect(source: Source) -> Format:
    """The format of a text; `InputError` if kgprobe does not support it."""
    text = source.head.decode(errors="replace")
    claimed = by_extension(source.stem)
    if _HTML.match(text):
        raise InputError(
            "is a web page, not a graph",
            where=Position(source.name),
            hint="the download may have returned a page about the ontology",
        )
    if not _without_comments(text):
        return claimed or FORMATS["turtle"]  # an empty text is an empty graph, in the syntaxes that allow one
    # The last line may be cut off, unless the head is the whole text.
    found = _from_content(text if source.head_is_all else text.rpartition("\n")[0] or text, claimed)
    if found is None:
        raise InputError(
            "not a graph in any format that kgprobe reads",
            where=Position(source.name),
            hint=f"supported formats: {', '.join(FORMATS)}",
        )
    return FORMATS[found]


def _from_content(text: str, claimed: Format | None) -> str | None:
    if text.lstrip().startswith("<"):
        element = xml_guard.root(text.encode())
        if _XML.match(text) or (element and element.prefixes):
            return _xml(text, element, claimed)
    rest = _without_comments(text)
    for name, beginning in _BEGINNINGS:
        if beginning.match(rest):
            return name
    return _line_based(text, claimed) or _turtle_like(text, claimed)


def _without_comments(text: str) -> str:
    return text[_COMMENT_LINES.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty text, too


def _xml(text: str, element: xml_guard.XmlRoot | None, claimed: Format | None) -> str:
    """One of the two XML syntaxes. A long or broken beginning may hide the root element."""
    doctype = _DOCTYPE.search(text)
    name = element.name if element else doctype[1] if doctype else None
    if name is None:
        return "owlxml" if claimed and claimed.name == "owlxml" else "rdfxml"
    return "owlxml" if name == "Ontology" else "rdfxml"


def _line_based(text: str, claimed: Format | None) -> str | None:
    """N-Triples, N-Quads or tab-separated triples, if every line of the text has that form."""
    lines = [line for line in map(str.strip, text.split("\n")) if line and not line.startswith("#")]
    statements = [_STATEMENT.fullmatch(line) for line in lines]
    if lines and all(statements):
        if any(found and found["graph"] for found in statements):
            return "nquads"
        # N-Triples is a subset of Turtle, TriG and N-Quads, so trust the file extension.
        return claimed.name if claimed and claimed.name in ("turtle", "trig", "nquads") else "ntriples"
    if claimed and claimed.name in _CONTAIN_LINES and all(line.endswith(_STATEMENT_ENDS) for line in lines):
        return None  # tabs are white space in these formats
    return "tsv" if lines and all(line.count("\t") in (2, 3) for line in lines) else None


def _turtle_like(text: str, claimed: Format | None) -> str | None:
    name = claimed.name if claimed else None
    if _DIRECTIVE.search(text) or (_ANY_IRI.search(text) and name not in ("ntriples", "nquads")):
        return "trig" if name == "trig" or "{" in _OPAQUE.sub(" ", text) else "turtle"
    # The content suggests no format. Trust an extension that names one of these: its parser reports better errors.
    return name if name in ("turtle", "trig", "ntriples", "nquads", "obo", "tsv") else None

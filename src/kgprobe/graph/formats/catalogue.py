"""The formats by name, with their file extensions and whether kgprobe can write them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from kgprobe.errors import InputError, nearest

__all__ = ["FORMATS", "Format", "by_extension", "by_name"]


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

"""Names as a user wrote them: a local name, a prefixed name or an IRI stands for a relation or a class of the graph."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from kgprobe.errors import nearest
from kgprobe.questions.settings import SettingsError
from kgprobe.rdf.spelling import STANDARD_PREFIXES

__all__ = ["PREFIXES", "Vocabulary", "is_iri", "local_name"]

PREFIXES: Mapping[str, tuple[str, ...]] = {
    **{prefix: (iri,) for prefix, iri in STANDARD_PREFIXES.items()},
    "bfo": ("http://purl.obolibrary.org/obo/BFO_",),
    "dbo": ("http://dbpedia.org/ontology/",),
    "dbp": ("http://dbpedia.org/property/",),
    "dbr": ("http://dbpedia.org/resource/",),
    "dc": ("http://purl.org/dc/elements/1.1/",),
    "dcterms": ("http://purl.org/dc/terms/",),
    "foaf": ("http://xmlns.com/foaf/0.1/",),
    "geo": ("http://www.opengis.net/ont/geosparql#", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
    "obo": ("http://purl.obolibrary.org/obo/",),
    "org": ("http://www.w3.org/ns/org#",),
    "prov": ("http://www.w3.org/ns/prov#",),
    "ro": ("http://purl.obolibrary.org/obo/RO_",),
    "schema": ("http://schema.org/", "https://schema.org/"),
    "sdo": ("https://schema.org/", "http://schema.org/"),
    "skos": ("http://www.w3.org/2004/02/skos/core#",),
    "sosa": ("http://www.w3.org/ns/sosa/",),
    "ssn": ("http://www.w3.org/ns/ssn/",),
    "wd": ("http://www.wikidata.org/entity/",),
    "wdt": ("http://www.wikidata.org/prop/direct/",),
    "yago": ("http://yago-knowledge.org/resource/",),
}
"""Prefixes that many graphs use, with the namespaces that they can stand for."""
_LOCAL = re.compile(r"[^/#]+$")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://|[^/\s]*:)\S*")
_MOST_SHOWN = 5


def local_name(iri: str) -> str:
    """The last part of an IRI: after the last / or #, or after the last colon if it has neither."""
    found = _LOCAL.search(iri.rstrip("/#"))
    last = found.group() if found else iri
    return last.rpartition(":")[2] or last


def is_iri(name: str) -> bool:
    """Whether a name is a whole IRI, and not a prefixed name."""
    return _IRI.fullmatch(name) is not None


class Vocabulary:
    """The relations or the classes that a user can name."""

    def __init__(self, what: str, ids: Mapping[str, int]) -> None:
        """`what` is the word for one of them in messages; `ids` has the id of each IRI."""
        self.what = what
        self.ids = ids
        self._by_local: dict[str, list[str]] = defaultdict(list)
        for iri in sorted(ids):
            self._by_local[local_name(iri)].append(iri)

    def id_of(self, name: str, path: tuple[str, ...]) -> int:
        """The id of the name. SettingsError, with the path of the setting, if it is unknown or ambiguous."""
        candidates = self.candidates(name)
        if len(candidates) == 1:
            return self.ids[candidates[0]]
        if candidates:
            shown = ", ".join(candidates[:_MOST_SHOWN])
            more = ", …" if len(candidates) > _MOST_SHOWN else ""
            message = f"'{name}' can be {len(candidates)} {self.what}s of the graph: {shown}{more}"
            raise SettingsError(message, path=path, hint="write the IRI")
        close = self._nearest(name)
        hint = f"did you mean '{close}'?" if close else None
        raise SettingsError(f"the graph has no {self.what} '{name}'", path=path, hint=hint)

    def candidates(self, name: str) -> list[str]:
        """The IRIs that the name can stand for."""
        name = name.removeprefix("<").removesuffix(">") if name.startswith("<") else name
        if name in self.ids:
            return [name]
        prefix, colon, local = name.partition(":")
        if is_iri(name):
            return []
        if not colon:
            return self._by_local.get(name, [])
        if prefix in PREFIXES:
            return [iri for namespace in PREFIXES[prefix] if (iri := namespace + local) in self.ids]
        # The prefixes of the graph's files are not known here, so only the local name counts.
        return self._by_local.get(local, [])

    def similar_in_namespace(self, iri: str) -> str | None:
        """The IRI of the same namespace whose local name is nearest, if one is close."""
        namespace = iri.removesuffix(local_name(iri))
        locals_ = {local_name(each) for each in self.ids if each.removesuffix(local_name(each)) == namespace}
        close = nearest(local_name(iri), locals_)
        return close and namespace + close

    def _nearest(self, name: str) -> str | None:
        if is_iri(name.strip("<>")):
            return nearest(name.strip("<>"), self.ids)
        prefix, colon, local = name.rpartition(":")
        close = nearest(local, self._by_local)
        return close and f"{prefix}{colon}{close}"

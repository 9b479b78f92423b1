"""Two SPARQL engines that answer the query in `queries/3.rq`."""

from pathlib import Path

import pyoxigraph
import rdflib

QUERY = (Path(__file__).parent / "queries" / "3.rq").read_text()


def oxigraph(graph):
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(triple.subject, triple.predicate, triple.object) for triple in graph)
    return [[str(term) for term in row] for row in store.query(QUERY)]


def rdf_lib(graph):
    other = rdflib.Graph().parse(data="\n".join(f"{triple} ." for triple in graph), format="nt")
    return [[term.n3() for term in row] for row in other.query(QUERY)]

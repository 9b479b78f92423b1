"""Makes a menu from a graph of drinks. It assumes that every coffee has exactly one price."""

from pyoxigraph import NamedNode

CAFE = "https://example.org/cafe#"
TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def menu(graph):
    """The price of each coffee, by its name."""
    prices = {}
    for triple in graph.triples(None, TYPE, NamedNode(CAFE + "Coffee")):
        [price] = graph.triples(triple.subject, NamedNode(CAFE + "price"))
        prices[triple.subject.value] = float(price.object.value)
    return prices

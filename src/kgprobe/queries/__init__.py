"""SPARQL queries as data: what they say, where they say it, and which triples they can see."""

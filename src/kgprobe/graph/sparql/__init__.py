"""SPARQL texts and pyoxigraph: how large a text may be, how it is evaluated, and how its terms stay exact."""

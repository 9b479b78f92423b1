"""SPARQL with pyoxigraph, on exact terms.

The entry point is `exact_store.ExactStore`. All texts pass `engine`, which refuses those that are too large (`limits`).
pyoxigraph changes the spelling of some literals: `stand_ins` replaces these in the store, and `rewriting` and
`exact_functions` make queries treat stand-ins as the literals that they stand for.
"""

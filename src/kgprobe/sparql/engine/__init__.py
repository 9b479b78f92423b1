"""SPARQL with pyoxigraph, on exact terms.

The entry point is `exact_store.ExactStore`. All queries go through `pyoxigraph`, which refuses those that are too
large. The engine changes the spelling of some literals: `rewriting` has stand-ins for these. It makes queries treat
stand-ins as the literals that they stand for, with the functions in `exact_store`.
"""

"""SPARQL with pyoxigraph, on exact terms.

The entry point is `exact_store.ExactStore`. All queries go through `pyoxigraph`, which refuses those that are too
large. The engine changes the spelling of some literals: `stand_ins` replaces these in the store, and `rewriting` and
the functions in `exact_store` make queries treat stand-ins as the literals that they stand for.
"""

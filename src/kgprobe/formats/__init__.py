"""Reads and writes graph files: one module or package for each family of syntaxes.

The entry point is `files` (`load` and `save`), which picks the reader or writer; `imports` adds what an ontology
imports. `source` opens a file, and `catalogue` lists the formats and finds the one of a file. The readers build on
these: `rdf` for the RDF syntaxes, `functional`, `manchester`, `owlxml` and `obo` for those of OWL, `tsv` for
tab-separated triples.
"""

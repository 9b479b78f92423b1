"""Reads and writes graph files: one module or package for each family of syntaxes.

`catalogue` lists the formats, `source` opens a file, `detect` finds its format. The readers build on these: `rdf` for
the RDF syntaxes, `functional`, `manchester`, `owlxml` and `obo` for those of OWL, `tsv` for tab-separated triples.
Callers use `kgprobe.graph.files`, which picks the reader or writer.
"""

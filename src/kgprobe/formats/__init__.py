"""Reads and writes graph files: one module or package for each family of syntaxes.

The entry point is `files` (`load` and `save`), which picks the reader or writer; `imports` adds what an ontology
imports. `source` opens a file, `format` says what a format is, and `catalogue` finds the one of a file. Each module of
`syntaxes` has all about some formats; `functional`, `manchester` and `owlxml` are the parsers of the syntaxes of OWL,
and `rdf_xml` has what pyoxigraph lacks.
"""

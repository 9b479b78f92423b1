"""The queries in files that a user names.

Entry point: `query_files.read_source`. Read `texts` (a query, where its characters are in its file, and its prefixes),
then the kinds of files: `python_strings`, `program_strings`, and `data_files` for Markdown, YAML, JSON and RDF.
`templates` says what a template can become.
"""

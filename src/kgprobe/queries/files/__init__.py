"""The queries in files that a user names.

Entry point: `query_files.read_source`. Read `texts` (a query, and where each of its characters is in its file), then
the kinds of files: `python_strings`, `program_strings`, and `data_files` for Markdown, YAML, JSON and RDF. `templates`
says what a template can become, and `prefixes` which prefixes need no declaration.
"""

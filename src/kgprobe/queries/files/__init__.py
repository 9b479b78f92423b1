"""The queries in files that a user names, and the comments in them that address kgprobe.

Entry point: `query_files.read_source`. Read `texts` (a query, and where each of its characters is in its file),
`located` (texts that a file writes in another form), then one module for each kind of file: `python_strings`,
`program_strings`, `markdown`, `rdf_files`, `yaml_files` and `json_files`. `templates` says what a template can become,
`prefixes` which prefixes need no declaration, and `comments` reads those that address kgprobe. `query_files` puts it
together.
"""

"""The queries in files that a user names, and the comments in them that address kgprobe.

Entry point: `query_files.read_source`. Read `texts` (where each character of a query is in its file), `python_strings`,
`comments` and `query_files`.
"""

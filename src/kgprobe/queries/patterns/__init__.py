"""The groups of a query as facts: everything that must hold if a group takes part in an answer.

Entry point: `worlds.worlds_of`. Read `facts`, `scopes` (which variables a group can see), `demands` (OPTIONALs that
must match), `group_facts`, `path_edges` (property paths) and `worlds`.
"""

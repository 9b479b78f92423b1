"""The groups of a query as facts: everything that must hold if a group takes part in an answer.

Entry point: `worlds.worlds_of`. Read `facts` (with the variables that are others, and the OPTIONALs that must
match), `group_facts` and `worlds`.
"""

"""Reports: the results of campaigns, reductions and selections, for people and for machines.

Each module makes lines of text, JSON values or XML from values of the layers below. None prints, and none knows a
command. For a campaign, start with `console`, then `story`, `values` and `junit`.
"""

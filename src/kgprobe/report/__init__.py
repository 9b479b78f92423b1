"""Reports: the results of campaigns, reductions and selections, for people and for machines.

Each module makes lines of text, JSON values or XML from values of the layers below. None prints, and none depends on
a command. Start with `campaign`; `questions` is for answers to questions. `mutation`, `reduction` and `selection` are
independent of these.
"""

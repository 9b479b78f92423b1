"""`kgprobe demo`: a small, real run of each method, on graphs that are built in.

Each part is a function that yields the lines to print. Read `inspection` first (graphs, masks and mutants of a robot's
graph), then `campaign` and `selection`. `materials` finds the graphs.
"""

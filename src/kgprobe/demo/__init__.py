"""`kgprobe demo`: a small, real run of each method, on graphs that are built in.

`parts` has a function for each part of the demo, which yields the lines to print.
"""

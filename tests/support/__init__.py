"""Shared parts of tests: random graphs, real data, and the command line."""

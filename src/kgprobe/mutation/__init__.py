"""Graphs that differ from a seed graph by random, recorded steps."""

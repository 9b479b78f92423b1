"""Reasoners: one protocol for all of them, each in a child process with a time and a memory limit."""

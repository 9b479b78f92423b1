"""Tests of child processes: real processes, as hostile as they come."""

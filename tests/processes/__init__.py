"""Tests of child processes: real and hostile ones."""

"""Tests of the systems under test: real processes and real servers, including hostile ones."""

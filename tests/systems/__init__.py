"""Tests of the systems under test: real processes, real servers, and as hostile as they come."""

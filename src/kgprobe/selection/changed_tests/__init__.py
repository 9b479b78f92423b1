"""Tests that have changed since a revision: they, or a file that they use."""

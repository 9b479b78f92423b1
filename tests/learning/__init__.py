"""Tests of learning from stored results."""

"""Tests of entailment."""

"""Tests of the reduction."""

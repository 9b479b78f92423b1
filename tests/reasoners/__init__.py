"""Tests of the reasoners: real ones, in real processes."""

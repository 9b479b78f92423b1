"""Benchmarks: each prints ratios that were measured in one run. They are not tests."""

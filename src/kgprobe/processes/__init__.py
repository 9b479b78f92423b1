"""Processes that kgprobe starts: watched, counted, and ended together with everything that they started."""

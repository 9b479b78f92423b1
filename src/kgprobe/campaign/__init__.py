"""The loop over cases, and the store of its results."""

"""Python test files: what their tests use, from their text. Nothing is imported, and nothing is run."""

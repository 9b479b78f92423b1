"""Reads SQL statements: which rows of which stored tables can matter to their results."""

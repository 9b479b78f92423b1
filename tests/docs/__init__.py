"""The documentation, checked: every command in it is run, and its output compared."""

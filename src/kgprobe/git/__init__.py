"""Reads a git repository: which files it had at a revision, their content, and which commits changed a file.

`repository` asks git. `versions` builds on it: graphs as they were, with their imports, and the history of a file.
"""

"""Reads which relations and functions a live database has. Nothing in it is changed."""

from __future__ import annotations

from kgprobe.selection.warehouse.catalogue import Catalogue

__all__ = ["read_database"]


def read_database(url: str) -> Catalogue:
    """The catalogue of a database."""
    raise NotImplementedError(url)

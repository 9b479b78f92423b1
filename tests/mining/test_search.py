"""The rules that a search finds, compared with those that brute force finds."""

from __future__ import annotations

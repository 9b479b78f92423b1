"""Sequences whose items are made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar, overload

__all__ = ["OnDemand"]

_Item = TypeVar("_Item")


class OnDemand(Sequence[_Item], Generic[_Item]):
    """What a function makes of numbers, of which there may be very many while only a few are looked at."""

    def __init__(
        self, numbers: Sequence[int], make: Callable[[int], _Item], *, key: Callable[[int], str] | None = None
    ) -> None:
        """`key` tells what the numbers are sorted by, once they are looked at."""
        self._numbers = numbers
        self._make = make
        self._key = key

    @cached_property
    def _in_order(self) -> Sequence[int]:
        return self._numbers if self._key is None else sorted(self._numbers, key=self._key)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[_Item]: ...

    def __getitem__(self, place: int | slice) -> _Item | list[_Item]:
        if isinstance(place, slice):
            return list(map(self._make, self._in_order[place]))
        return self._make(self._in_order[place])

    def __iter__(self) -> Iterator[_Item]:
        return map(self._make, self._in_order)

    def __repr__(self) -> str:
        return f"<{len(self):,} items>"

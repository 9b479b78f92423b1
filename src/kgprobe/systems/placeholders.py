"""Placeholders: words in braces in the arguments of a command, replaced when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kgprobe.errors import InputError, nearest
from kgprobe.processes.programs import as_list

__all__ = ["check_arguments", "filled", "is_used"]


_WORD = re.compile(r"\{(\w+)\}")


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with each placeholder replaced. Replacements are not searched again; other braces stay."""
    return _WORD.sub(lambda found: values.get(found[1], found[0]), text)


def is_used(name: str, arguments: Iterable[str]) -> bool:
    """Whether a placeholder occurs in the arguments."""
    return any(found[1] == name for argument in arguments for found in _WORD.finditer(argument))


def check_arguments(arguments: Sequence[str], known: Sequence[str], *, what: str) -> tuple[str, ...]:
    """The arguments of a command, or InputError.

    Braces have a meaning in many languages, so a word in braces is taken for a mistake only if it is close to a
    placeholder: `{grpah}` is one, and the `{print}` of awk is not.
    """
    if isinstance(arguments, str | bytes) or not isinstance(arguments, Sequence):
        form = as_list(arguments) if isinstance(arguments, str) else '["program", "argument", …]'
        raise InputError(f"{what} is not a list of arguments: {arguments!r}", hint=f"write {form}")
    if not arguments or not all(isinstance(argument, str) for argument in arguments):
        raise InputError(f"{what} needs a program and arguments, all of them strings: {list(arguments)!r}")
    if not arguments[0] or any("\0" in argument for argument in arguments):
        raise InputError(f"{what} does not name a program: {list(arguments)!r}")
    for argument in arguments:
        for found in _WORD.finditer(argument):
            meant = nearest(found[1], known)
            if found[1] not in known and meant is not None:
                raise InputError(f"{what} has no placeholder '{found[0]}'", hint=f"did you mean '{{{meant}}}'?")
    return tuple(arguments)

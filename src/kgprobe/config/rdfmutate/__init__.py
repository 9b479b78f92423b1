"""Converts configurations of RDFMutate to profiles, and its rules to operators.

`convert` is the only entry point. Read `configuration` (the YAML) and `rules` (SWRL and association rules as
operators), then `conversion`, which also knows the built-in operators of RDFMutate.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.errors import UnavailableError

if TYPE_CHECKING:
    from kgprobe.config.rdfmutate.conversion import Conversion

__all__ = ["convert"]


def convert(path: Path, folder: Path) -> Conversion:
    """Read a configuration and the files that it names. `folder` is where the profile will be.

    UnavailableError if PyYAML, which only this package needs, is not installed.
    """
    try:
        from kgprobe.config.rdfmutate.conversion import converted
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        raise UnavailableError("PyYAML is not installed", hint="pip install 'kgprobe[rdfmutate]'") from None
    return converted(path, folder)

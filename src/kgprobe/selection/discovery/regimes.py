"""What a test says about itself in the comments at its start: `# kgprobe: regime=rdfs`."""

from __future__ import annotations

import re
from collections.abc import Callable

from kgprobe.entailment.regime import Regime
from kgprobe.errors import nearest

__all__ = ["stated_regime"]

_REGIMES = tuple(regime.value for regime in Regime)
_LINE = re.compile(r"(?:#|--)\s*kgprobe:(.*)")


def stated_regime(text: str, name: str, notes: Callable[[str], None]) -> Regime | None:
    """The regime that the comments at the start of a test name. What they say otherwise is told as a note."""
    if "kgprobe:" not in text:
        return None
    found = None
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip().removeprefix("\ufeff")
        if stripped and not stripped.startswith(("#", "--")):
            break
        said = _LINE.match(stripped)
        for word in said[1].replace(",", " ").split() if said else ():
            key, _, value = word.partition("=")
            if key != "regime":
                notes(f"{name}:{number}: kgprobe knows no '{key}', only regime=…")
            elif value in _REGIMES:
                found = Regime(value)
            else:
                meant = nearest(value, _REGIMES)
                valid = f"did you mean '{meant}'?" if meant else f"it is one of {', '.join(_REGIMES)}"
                notes(f"{name}:{number}: there is no regime '{value}': {valid}")
    return found

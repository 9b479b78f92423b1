"""The rules: each module of this package has a `RULE`. They look at a query in the order of their names."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from kgprobe.errors import InputError, did_you_mean
from kgprobe.queries.diagnosis.findings import Rule
from kgprobe.queries.diagnostics import COMMON_CODES, Code

__all__ = ["CODES", "RULES", "code_named", "codes_of", "rules_in"]


def rules_in(package: ModuleType) -> tuple[Rule, ...]:
    """The rules of the modules of a package."""
    names = (module.name for module in iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{name}").RULE for name in names)


def codes_of(rules: Iterable[Rule]) -> dict[str, Code]:
    """The codes of findings by name: those that several rules have, and those of one."""
    return {code.name: code for code in (*COMMON_CODES, *(code for rule in rules for code in rule.codes))}


RULES = rules_in(sys.modules[__name__])
CODES = codes_of(RULES)


def code_named(name: str) -> Code:
    """The code with this name."""
    if name not in CODES:
        hint = did_you_mean(name, CODES, "'kgprobe query codes' lists them")
        raise InputError(f"no code is named '{name}'", hint=hint)
    return CODES[name]

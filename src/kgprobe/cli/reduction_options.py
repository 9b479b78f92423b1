"""What `kgprobe reduce` is told, beside the graph."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.campaign.outcome import Sameness
from kgprobe.errors import InputError
from kgprobe.reduction.problem import REPEATS
from kgprobe.reduction.reducer import Algorithm

__all__ = ["ReduceOptions"]

_WAYS = ("system", "differential", "profile")
# What means something for one way only.
_ONLY_WITH = {"task": "differential", "system_format": "system"}


@dataclass(frozen=True, kw_only=True)
class ReduceOptions:
    """The options of the command, by their names. What fails is told in one of three ways."""

    system: str | None
    differential: str | None
    profile: str | None
    task: str | None
    signature: str | None
    exact: bool
    algorithm: Algorithm
    seed: int
    seed_graph: str | None
    no_simplify: bool
    repeats: int | None
    confidence: float
    most_runs: int | None
    seconds: float | None
    memory_mb: int | None
    system_format: str | None
    workers: int | None
    out: str | None
    written_as: str | None
    force: bool
    outside_mask: bool

    def __post_init__(self) -> None:
        ways = [way for way in _WAYS if getattr(self, way) is not None]
        if len(ways) != 1:
            named = f"not both --{ways[0]} and --{ways[1]}" if ways else "and none is given"
            raise InputError(f"what fails is told by one of --system, --differential and --profile, {named}")
        for option, way in _ONLY_WITH.items():
            if getattr(self, option) is not None and ways != [way]:
                raise InputError(f"--{option.replace('_', '-')} is for --{way} only")
        if self.outside_mask and ways != ["profile"]:
            raise InputError("--outside-mask is for --profile only")
        if self.most_runs is not None and self.repeats is not None and self.most_runs < self.repeats:
            raise InputError(f"{self.repeats} repeats are more than {self.most_runs} runs")

    @property
    def first_runs(self) -> int:
        """How often the whole graph is run at first."""
        if self.repeats is not None:
            return self.repeats
        return REPEATS if self.most_runs is None else min(REPEATS, self.most_runs)

    @property
    def sameness(self) -> Sameness:
        """What a smaller graph must have in common with the whole one."""
        return Sameness.EXACT if self.exact else Sameness.ENDING if self.system else Sameness.SIGNATURE

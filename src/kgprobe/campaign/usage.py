"""What the answers of a campaign cost: requests, tokens and money, for each system."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from kgprobe.campaign.answers import tally_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import expect
from kgprobe.config.profile import Profile

__all__ = ["SystemUsage", "record_usage", "usage_in"]

_KEY = "usage"


@dataclass(frozen=True)
class SystemUsage:
    """The requests of a system, the tokens in them, and the answers that were known before. `cost` may be unknown."""

    requests: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens

    @property
    def text(self) -> str:
        """For people."""
        parts = [str(self.requests), f"{self.cached} answers known before" if self.cached else ""]
        parts += [f"{self.tokens} tokens" if self.tokens else ""]
        parts += ["" if self.cost is None else f"cost {self.cost:.4g}"]
        return ", ".join(filter(None, parts))

    @property
    def value(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def record_usage(profile: Profile, store: Store) -> None:
    """Copy the counts of all systems to the store, so that a report needs nothing else."""
    found = {}
    for table in profile.systems:
        tally = tally_in(profile.campaign.answers, table.name)
        cost = table.cost(tally.usage)
        usage = tally.usage
        found[table.name] = SystemUsage(
            usage.requests, tally.recalled, usage.input_tokens, usage.output_tokens, cost
        ).value
    store.set(_KEY, json.dumps(found))


def usage_in(store: Store) -> dict[str, SystemUsage]:
    """The usage of each system, from a store."""
    with store.reading():
        return {name: _usage(each) for name, each in json.loads(store.value(_KEY) or "{}").items()}


def _usage(value: dict[str, Any]) -> SystemUsage:
    counts = {key: expect(int, value[key]) for key in ("requests", "cached", "input_tokens", "output_tokens")}
    return SystemUsage(**counts, cost=None if value["cost"] is None else float(value["cost"]))

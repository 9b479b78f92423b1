"""How properties are tested: the same examples in each run, and no limit of time that a busy machine could pass.

`pytest --hypothesis-profile=explore` looks at other examples each time: 1,000 where a test does not say how many.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", deadline=None, print_blob=True, max_examples=1000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

"""rustdl does not find that A is a subclass of C, and reports no omissions."""

from pathlib import Path

import rustdl

file = str(Path(__file__).with_suffix(".ofn"))
print("rustdl: left out:", rustdl.dropped_axioms(file))
assert not rustdl.dropped_axioms(file)
a, c = "http://example.org/A", "http://example.org/C"
print("rustdl: A is a subclass of C:", rustdl.is_subclass_of(file, a, c))
assert not rustdl.is_subclass_of(file, a, c)
assert not rustdl.classify(file, per_pair_timeout_ms=0, global_timeout_ms=0).is_subclass(a, c)

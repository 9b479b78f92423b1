"""rustdl says consistent, and reports no omissions."""

from pathlib import Path

import rustdl

file = str(Path(__file__).with_suffix(".ofn"))
print("rustdl: left out:", rustdl.dropped_axioms(file))
print("rustdl: consistent:", rustdl.is_consistent(file))
assert not rustdl.dropped_axioms(file)
assert rustdl.is_consistent(file)

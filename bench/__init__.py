"""Benchmarks: each prints ratios that were measured in one run. They are not tests.

They use what supports the tests: `tests/support`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

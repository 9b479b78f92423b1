"""Konclude says consistent."""

import subprocess
from pathlib import Path

file = str(Path(__file__).with_suffix(".ofn"))
command = ["Konclude", "consistency", "-w", "2", "-i", file]
found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60).stdout
print(found)
assert "is consistent" in found

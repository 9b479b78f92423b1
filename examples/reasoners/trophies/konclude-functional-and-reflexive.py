"""Konclude does not find that G is a subclass of H."""

import subprocess
from pathlib import Path

file = str(Path(__file__).with_suffix(".ofn"))
command = ["Konclude", "classification", "-w", "2", "-i", file, "-o", "/dev/stdout"]
found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60).stdout
print(found)
axioms = "".join(found.split())
assert 'IRI="http://example.org/G"' in axioms
assert 'IRI="http://example.org/G"/><ClassIRI="http://example.org/H"' not in axioms

"""Neither Konclude nor JFact finds that A is unsatisfiable."""

import subprocess
from pathlib import Path

file = str(Path(__file__).with_suffix(".ofn"))
command = ["Konclude", "classification", "-w", "2", "-i", file, "-o", "/dev/stdout"]
found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60).stdout
print(found)
thing = '<ClassIRI="http://www.w3.org/2002/07/owl#Thing"/>'
assert f'<SubClassOf><ClassIRI="http://example.org/A"/>{thing}</SubClassOf>' in "".join(found.split())

"""pyHermiT raises an InternalInvariantError."""

from pathlib import Path

import pyhermit

axioms = Path(__file__).with_suffix(".ofn").read_bytes().partition(b"\n")[2]  # without the comment
try:
    with pyhermit.Reasoner(pyhermit.load_snapshot(axioms)) as reasoner:
        raise SystemExit(f"pyHermiT: consistent: {reasoner.is_consistent()}")
except pyhermit.InternalInvariantError as error:
    print("pyHermiT:", error)

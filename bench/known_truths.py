"""Mutants whose verdicts follow from a hidden mask: those of the tests."""

from support.known_truths import HELD_OUT, TUNED, Truth, judged, plant, with_wrong_verdicts

__all__ = ["HELD_OUT", "TUNED", "Truth", "judged", "plant", "with_wrong_verdicts"]

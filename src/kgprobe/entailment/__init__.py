"""What follows from a graph: its triples and those that an entailment regime adds."""

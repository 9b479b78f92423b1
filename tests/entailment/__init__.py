"""What follows from a graph."""

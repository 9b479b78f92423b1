"""What several tests need: random graphs, real data, and the command line."""

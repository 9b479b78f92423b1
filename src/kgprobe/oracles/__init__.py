"""How an observation is judged."""

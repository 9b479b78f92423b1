"""How a failing case is made small."""

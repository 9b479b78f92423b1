"""How a system under test is started, run and observed."""

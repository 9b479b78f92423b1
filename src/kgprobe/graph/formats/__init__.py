"""Files in and out: one module for each family of syntaxes."""

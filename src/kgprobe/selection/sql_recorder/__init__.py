"""The folder that `--record` puts on the path of tests, so that their interpreter loads `sitecustomize` from it."""

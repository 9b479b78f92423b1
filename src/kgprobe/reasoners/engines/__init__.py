"""The code that runs in a child process: one module for each library, all with the same few methods."""

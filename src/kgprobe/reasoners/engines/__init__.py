"""What runs in a child process: one module for each library, all of them with the same few methods."""

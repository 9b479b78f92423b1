"""What `kgprobe demo` shows: a small, real run of every method that exists so far, on graphs that come along."""

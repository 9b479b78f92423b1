"""The version of kgprobe. It has its own module, so that any other may import it."""

__version__ = "0.1.0"

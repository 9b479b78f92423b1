"""`python -m kgprobe` is the same as `kgprobe`."""

from kgprobe.cli import main

if __name__ == "__main__":
    main()

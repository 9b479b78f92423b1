"""kgprobe tests software that depends on a knowledge graph or an ontology."""

__version__ = "0.1.0"

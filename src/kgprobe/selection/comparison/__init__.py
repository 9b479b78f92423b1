"""What has changed between two versions of a graph, for people and for machines."""

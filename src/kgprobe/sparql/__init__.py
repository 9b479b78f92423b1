"""SPARQL queries against an ontology: can they have an answer, and are the answers what their author expects?"""

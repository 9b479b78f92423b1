-- The tables that the SQL tests ask. `terms` is loaded from the ontology: each term with everything above it.
CREATE TABLE terms (term text NOT NULL, ancestor text NOT NULL);
CREATE TABLE orders (id integer PRIMARY KEY, type text NOT NULL);

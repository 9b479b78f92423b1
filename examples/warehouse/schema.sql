-- The tables of the warehouse. `orders` come from the shop, everything else from the ontology.
CREATE TABLE term (id VARCHAR(80) PRIMARY KEY, label VARCHAR(200), note VARCHAR(200), obsolete VARCHAR(10));
CREATE TABLE synonym (term VARCHAR(80), text VARCHAR(200));
CREATE TABLE edge (child VARCHAR(80), parent VARCHAR(80), relation VARCHAR(80));
CREATE TABLE closure (child VARCHAR(80), parent VARCHAR(80), distance INTEGER);
CREATE TABLE concept (path VARCHAR(900), code VARCHAR(80), name VARCHAR(200), level INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, term VARCHAR(80), customer VARCHAR(40));

CREATE VIEW vegetarian AS SELECT child AS id FROM closure WHERE parent = 'VeggiePizza';
CREATE VIEW named_closure AS
SELECT closure.child, closure.parent, term.label AS parent_label
FROM closure JOIN term ON term.id = closure.parent;
CREATE VIEW with_mozzarella AS SELECT child AS id FROM edge WHERE parent = 'Mozzarella' AND relation = 'hasTopping';
CREATE VIEW pizza_orders AS
SELECT orders.id, orders.customer FROM orders JOIN closure ON closure.child = orders.term WHERE closure.parent = 'Pizza';
CREATE VIEW vegetarian_orders AS SELECT orders.id FROM orders WHERE orders.term IN (SELECT id FROM vegetarian);

-- Fills the tables from `triples`, in which IRIs are shortened to their last parts and blank nodes start with `_:`.
INSERT INTO term
SELECT kind.subject,
  (SELECT MIN(value.object) FROM triples value WHERE value.subject = kind.subject AND value.predicate = 'label'),
  (SELECT MIN(value.object) FROM triples value WHERE value.subject = kind.subject AND value.predicate = 'comment'),
  (SELECT MIN(value.object) FROM triples value WHERE value.subject = kind.subject AND value.predicate = 'deprecated')
FROM triples kind
WHERE kind.predicate = 'type' AND kind.object = 'Class' AND SUBSTR(kind.subject, 1, 2) <> '_:';

INSERT INTO synonym
SELECT subject, object FROM triples WHERE predicate = 'altLabel';

INSERT INTO edge
SELECT subject, object, 'is_a' FROM triples
WHERE predicate = 'subClassOf' AND SUBSTR(object, 1, 2) <> '_:';

INSERT INTO edge
SELECT below.subject, filler.object, property.object
FROM triples below
JOIN triples property ON property.subject = below.object AND property.predicate = 'onProperty'
JOIN triples filler ON filler.subject = below.object AND filler.predicate = 'someValuesFrom'
WHERE below.predicate = 'subClassOf';

INSERT INTO closure
WITH RECURSIVE up (child, parent, distance) AS (
  SELECT child, parent, 1 FROM edge
  UNION
  SELECT up.child, edge.parent, up.distance + 1 FROM up JOIN edge ON edge.child = up.parent WHERE up.distance < 30
)
SELECT child, parent, MIN(distance) FROM up GROUP BY child, parent;

INSERT INTO concept
WITH RECURSIVE tree (path, code, level) AS (
  SELECT CAST('\' || label || '\' AS VARCHAR(900)), id, 0 FROM term
  WHERE id NOT IN (SELECT child FROM edge WHERE relation = 'is_a')
  UNION ALL
  SELECT CAST(tree.path || term.label || '\' AS VARCHAR(900)), term.id, tree.level + 1
  FROM tree JOIN edge ON edge.parent = tree.code AND edge.relation = 'is_a' JOIN term ON term.id = edge.child
)
SELECT tree.path, tree.code, term.label, tree.level FROM tree JOIN term ON term.id = tree.code;

INSERT INTO orders VALUES
  (1, 'Margherita', 'ann'), (2, 'Diavola', 'bob'), (3, 'MushroomPizza', 'ann'), (4, 'GreenTea', 'eve'),
  (5, 'Espresso', 'bob'), (6, 'Margherita', 'eve'), (7, 'Tea', 'ann'), (8, 'Coffee', 'dan');

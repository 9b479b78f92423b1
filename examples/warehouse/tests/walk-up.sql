WITH RECURSIVE up (id) AS (SELECT parent
FROM edge WHERE child = 'Diavola' UNION SELECT edge.parent FROM edge JOIN up ON up.id = edge.child) SELECT id FROM up;

WITH RECURSIVE down (id) AS (SELECT child
FROM edge WHERE parent = 'Topping' UNION SELECT edge.child FROM edge JOIN down ON down.id = edge.parent) SELECT COUNT(*) FROM down;

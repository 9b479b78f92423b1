SELECT relation, COUNT(*)
FROM edge GROUP BY relation;

SELECT term.label, COUNT(*)
FROM orders JOIN term ON term.id = orders.term GROUP BY term.label;

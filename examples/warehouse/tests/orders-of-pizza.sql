SELECT COUNT(*)
FROM orders WHERE term IN (SELECT child FROM closure WHERE parent = 'Pizza');

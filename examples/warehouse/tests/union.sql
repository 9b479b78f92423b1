SELECT child
FROM closure WHERE parent = 'Tea' UNION SELECT child FROM closure WHERE parent = 'Coffee';

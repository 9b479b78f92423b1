SELECT id
FROM term WHERE id NOT IN (SELECT child FROM closure WHERE parent = 'Food');
